//! `thalweg view`: what is kept beside files, and the page that needs no server. Pages themselves are tested in `thalweg-view`.

use crate::sandbox::Sandbox;

const ARCHIVE: &[u8] = include_bytes!("../fixtures/archive.npz");

#[test]
fn archives_are_never_replaced_by_what_is_called_after_a_member() {
    let sandbox = Sandbox::new();
    sandbox.put("m.npz", ARCHIVE);
    sandbox.run("view m.npz:a --keep --no-open --for 0");
    assert_eq!(sandbox.files(), ["m.npz", "m.npz:a.max.thw", "m.npz:a.min.thw"]);
    let again = sandbox.run("view m.npz:a --verbose --no-open --for 0");
    assert!(String::from_utf8_lossy(&again.stderr).contains("m.npz:a.min.thw, mapped"));
    sandbox.run("build --array m.npz:a -o m.npz:a.thw");
    sandbox.run("inspect m.npz:a.thw");
    sandbox.fail_saying("window --array m.npz:a --out m.npz:w", &["m.npz: has a, b besides", "w alone"]);
    assert!(sandbox.bytes("m.npz") == ARCHIVE);
    // One that has nothing else is replaced, as any result of before.
    sandbox.run("window --array m.npz:a --width 3 --out n.npz:w");
    sandbox.run("window --array m.npz:a --width 5 --out n.npz:w");
}

#[test]
fn damaged_indexes_are_noticed() {
    let sandbox = Sandbox::new();
    let array: Vec<f32> = (0..50_000).map(|i| ((i * 7919) % 50_021) as f32).collect();
    sandbox.put_npy("D.npy", &[array.len() as u64], &array);
    sandbox.run("view D.npy --keep --out p.html");
    let (page, index) = (sandbox.bytes("p.html"), sandbox.bytes("D.npy.min.thw"));
    // As an array that was not changed since.
    let damage = || {
        let when = std::fs::metadata(sandbox.path("D.npy")).unwrap().modified().unwrap();
        let mut bytes = index.clone();
        let middle = bytes.len() / 2;
        bytes[middle..middle + 2000].fill(0);
        sandbox.put("D.npy.min.thw", bytes);
        let file = std::fs::File::options().write(true).open(sandbox.path("D.npy.min.thw")).unwrap();
        file.set_modified(when).unwrap();
    };
    damage();
    sandbox.run("view D.npy --out q.html");
    assert!(sandbox.bytes("q.html") == page);
    sandbox.run("view D.npy --keep --out q.html");
    assert!(sandbox.bytes("q.html") == page && sandbox.bytes("D.npy.min.thw") == index);
    // A server compares while it answers, and tells who has started it.
    damage();
    let ends_saying = |arguments: &str, part: &str| {
        let output = sandbox.command(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), said.lines().count()), (Some(2), 1), "{said}");
        assert!(said.contains("D.npy.min.thw") && said.contains(part), "{said}");
    };
    ends_saying("view D.npy --no-open --for 0", "remove it");
    ends_saying("view D.npy --keep --no-open --for 0", "it was removed");
    sandbox.run("view D.npy --keep --no-open --for 0");
    assert!(sandbox.bytes("D.npy.min.thw") == index);
}
