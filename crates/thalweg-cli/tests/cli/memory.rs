//! `--memory`: the same bytes as without it, in as much memory as was allowed; and nothing is left behind.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::limits::limited;
use crate::sandbox::Sandbox;

/// So little that short arrays have several parts.
const LITTLE: &str = "80Mi";

/// Runs the command and returns the most memory that it held, in MiB; with a limit, that it kept to it is checked.
fn peak(sandbox: &Sandbox, arguments: &str) -> u64 {
    let output = sandbox.run(&format!("{arguments} --json"));
    let report: Value = serde_json::from_slice(&output.stdout).expect("the report is JSON");
    let number = |key: &str| report["memory"][key].as_u64().unwrap_or_else(|| panic!("{arguments}: {report}"));
    let (peak, limit) = (number("peak_bytes"), number("limit_bytes"));
    assert!(peak <= limit, "{arguments}: {peak} bytes held, of {limit}");
    peak >> 20
}

#[test]
fn ansv_of_every_type_and_shape() {
    let sandbox = Sandbox::new();
    for (dtype, kind) in [("u8", "random"), ("i16", "runs"), ("f32", "special"), ("u32", "sorted"), ("i64", "reverse")]
    {
        sandbox.run(&format!("gen array --n 400003 --dtype {dtype} --kind {kind} --out A.npy"));
        for relation in ["smaller", "not-smaller"] {
            let ansv = format!("ansv --array A.npy --device cpu --relation {relation}");
            sandbox.run(&format!("{ansv} --left L.npy --right R.npy --out B.npy"));
            peak(&sandbox, &format!("{ansv} --left L2.npy --right R2.npy --out B2.npy --memory {LITTLE}"));
            for name in ["L", "R", "B"] {
                let same = sandbox.bytes(&format!("{name}.npy")) == sandbox.bytes(&format!("{name}2.npy"));
                assert!(same, "{dtype} {kind} {relation}: {name}");
            }
            for (option, name) in [("--left", "L"), ("--right", "R")] {
                sandbox.run(&format!("{ansv} {option} one.npy --memory {LITTLE} --threads 1"));
                let same = sandbox.bytes("one.npy") == sandbox.bytes(&format!("{name}.npy"));
                assert!(same, "{dtype} {kind} {relation}: {name} alone");
            }
        }
    }
    // Other formats, and files without a header.
    sandbox.run("gen array --n 300000 --dtype f64 --out A.npy");
    sandbox.run("gen array --n 300000 --dtype f64 --raw --out A.bin");
    sandbox.run("ansv --array A.npy --out B.csv --device cpu");
    sandbox.run(&format!("ansv --array A.bin --dtype f64 --out B2.csv --memory {LITTLE}"));
    assert!(sandbox.bytes("B.csv") == sandbox.bytes("B2.csv"));
}

/// Files of 64 MiB each, array and answers, in less memory than two of them take. All of it is open on one side: the array rises, and then
/// falls through all of it.
#[test]
fn ansv_in_less_memory_than_its_files() {
    let sandbox = Sandbox::new();
    let n = 1i64 << 23;
    let mountain: Vec<i64> = (0..n).map(|i| if i < n / 2 { 2 * i } else { 2 * (n - i) + 1 }).collect();
    sandbox.put_npy("A.npy", &[n as u64], &mountain);
    sandbox.run("ansv --array A.npy --left L.npy --right R.npy --device cpu --no-verify");
    let held = peak(&sandbox, "ansv --array A.npy --left L2.npy --right R2.npy --memory 100Mi");
    assert!(held < 100, "{held} MiB");
    assert!(sandbox.bytes("L.npy") == sandbox.bytes("L2.npy") && sandbox.bytes("R.npy") == sandbox.bytes("R2.npy"));
}

/// The system itself refuses more memory, also such as is never touched: what is allocated stays within the limit, too.
#[test]
#[cfg(target_os = "linux")]
fn the_system_holds_it_to_the_limit() {
    let sandbox = Sandbox::new();
    sandbox.run("gen array --n 2^23 --dtype f32 --kind sorted --out A.npy");
    sandbox.run("gen text --n 3M --out T");
    for arguments in [
        "ansv --array A.npy --left L.npy --right R.npy --memory 100Mi --threads 2",
        "rmq --array A.npy --count 1000 --out Q.npy --memory 100Mi --threads 2",
        "sa T --out S.npy --lcp P.npy --memory 100Mi --threads 2",
    ] {
        let output = limited(&sandbox, arguments, &[(libc::RLIMIT_DATA, 100 << 20)]);
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    }
    // And it would refuse: without a limit of its own the command takes more, and says so.
    let output = limited(
        &sandbox,
        "ansv --array A.npy --left X.npy --right Y.npy --device cpu --threads 2",
        &[(libc::RLIMIT_DATA, 50 << 20)],
    );
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

#[test]
fn range_minima_in_batches() {
    let sandbox = Sandbox::new();
    sandbox.run("gen array --n 2^24 --dtype f64 --kind few --out A.npy");
    sandbox.run("gen queries --n 2^24 --count 300000 --kind mixed --out Q.npy");
    for what in ["value", "index"] {
        let rmq = format!("rmq --array A.npy --queries Q.npy --what {what}");
        sandbox.run(&format!("{rmq} --out R.npy --device cpu"));
        let held = peak(&sandbox, &format!("{rmq} --out S.npy --memory 110Mi"));
        assert!(held < 110, "{held} MiB, and the array alone has 128");
        assert!(sandbox.bytes("R.npy") == sandbox.bytes("S.npy"), "{what}");
    }
    // A query that is wrong is told by its row in the file.
    let queries: Vec<i64> = (0..70_000).flat_map(|i| [0, if i == 69_999 { 1 << 24 } else { 5 }]).collect();
    sandbox.put_npy("Q.npy", &[70_000, 2], &queries);
    let bad = "rmq --array A.npy --queries Q.npy --out T.npy --memory 110Mi";
    sandbox.fail_saying(bad, &["Q.npy: row 69999: range 0..=16777216: not inside"]);
    // An index of 128 MiB, over a file that takes no room.
    File::create(sandbox.path("big.raw")).unwrap().set_len(1 << 30).unwrap();
    let big = "rmq --array big.raw --dtype u8 --count 5 --memory 90Mi";
    let line = String::from_utf8(sandbox.command(big).output().unwrap().stderr).unwrap();
    assert!(line.contains("--memory: 90.0 MiB is too little: the index takes"), "{line}");

    sandbox.run("build --array A.npy -o A.thw");
    peak(&sandbox, "build --array A.npy -o B.thw --memory 110Mi");
    assert!(sandbox.bytes("A.thw") == sandbox.bytes("B.thw"), "the same index");
}

/// An index without a copy of the array answers as the other does, and knows the array again.
#[test]
fn an_index_that_refers_to_its_array() {
    let sandbox = Sandbox::new();
    sandbox.run("gen array --n 1000003 --dtype f32 --out A.npy");
    sandbox.run("build --array A.npy -o A.thw");
    fs::create_dir(sandbox.path("below")).unwrap();
    for (index, memory) in [("R.thw", ""), ("below/R.thw", "--memory 80Mi")] {
        let output = sandbox.run(&format!("build --array A.npy -o {index} --refer {memory} --json"));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["with_array"], false);
        assert!(sandbox.bytes(index).len() < 500_000);
        for more in ["--what value", "--what index --no-verify"] {
            sandbox.run(&format!("query A.thw --count 5000 --out S.npy {more}"));
            sandbox.run(&format!("query {index} --count 5000 --out T.npy {more}"));
            assert!(sandbox.bytes("S.npy") == sandbox.bytes("T.npy"), "{index} {more}");
        }
    }
    // Both are moved together.
    fs::create_dir(sandbox.path("moved")).unwrap();
    for name in ["A.npy", "R.thw"] {
        fs::copy(sandbox.path(name), sandbox.path(&format!("moved/{name}"))).unwrap();
    }
    sandbox.run("query moved/R.thw --count 5000 --out T.npy --what index");
    assert!(sandbox.bytes("S.npy") == sandbox.bytes("T.npy"), "moved");
    sandbox.run("inspect moved/R.thw");

    sandbox.fail_saying("build --array A.npy -o A.npy --refer", &["A.npy: is read, and a result would replace it"]);
    sandbox.fail_saying("build --array A.npy -o X.thw --refer --engine padded_tree", &["'lines' alone"]);
    sandbox.fail_saying("build --array A.npy -o - --refer", &["--refer needs a file"]);
    sandbox.put("A.csv", "value\n1\n2\n");
    sandbox.fail_saying("build --array A.csv -o X.thw --refer", &["A.csv", "--refer"]);

    // One element is changed, which the sample does not see; more of them; cut; gone.
    let file = File::options().write(true).open(sandbox.path("moved/A.npy")).unwrap();
    let query = "query moved/R.thw --count 10";
    file.write_all_at(&[1, 2, 3], 2_000_001).unwrap();
    sandbox.fail_saying(query, &["R.thw", "A.npy was changed since the index was built"]);
    file.write_all_at(&[1; 200_000], 2_000_000).unwrap();
    sandbox.fail_saying(&format!("{query} --no-verify"), &["R.thw", "A.npy was changed since the index was built"]);
    file.set_len(3_000_000).unwrap();
    sandbox.fail_saying(query, &["R.thw", "A.npy has 3000000 bytes, not 4000140"]);
    fs::remove_file(sandbox.path("moved/A.npy")).unwrap();
    sandbox.fail_saying(query, &["R.thw", "A.npy cannot be read", "No such file"]);
}

#[test]
fn suffixes_in_blocks() {
    let sandbox = Sandbox::new();
    let memory = "88Mi";
    for (kind, n) in [("words", "6M"), ("equal", "4M"), ("fibonacci", "4M"), ("random", "2M")] {
        sandbox.run(&format!("gen text --n {n} --kind {kind} --out T"));
        sandbox.run("sa T --out SA.npy --bwt B --lcp L.npy --device cpu --no-verify");
        let held = peak(&sandbox, &format!("sa T --out SA2.npy --bwt B2 --lcp L2.npy --memory {memory}"));
        assert!(held <= 88, "{kind}: {held} MiB");
        assert!(sandbox.bytes("SA.npy") == sandbox.bytes("SA2.npy"), "{kind}");
        assert!(sandbox.bytes("B") == sandbox.bytes("B2"), "{kind}: BWT");
        assert!(sandbox.bytes("L.npy") == sandbox.bytes("L2.npy"), "{kind}: LCP");
    }
    sandbox.put("empty", "");
    sandbox.run(&format!("sa empty --out SA.npy --memory {memory}"));
    assert!(sandbox.npy::<i64>("SA.npy").1.is_empty());
}

#[test]
fn what_cannot_be_done_is_said() {
    let sandbox = Sandbox::new();
    sandbox.run("gen array --n 1000 --dtype f32 --out A.npy");
    sandbox.put("A.csv", "value\n1\n2\n");
    let cases = [
        ("ansv --array A.npy --left L.npy --memory 1Mi", "is too little"),
        ("ansv --array A.npy --left L.npy --memory much", "is not a count"),
        ("ansv --left L.npy --memory 80Mi", "arrays from files"),
        ("ansv --array A.csv --left L.npy --memory 80Mi", "A.csv: --memory is for arrays that are used where they lie"),
        ("ansv --array A.npy --memory 80Mi", "--memory needs a result"),
        ("ansv --array A.npy --left L.npy --engine stack --memory 80Mi", "engine tiles"),
        ("rmq --array A.npy --engine naive --memory 80Mi", "engine lines"),
        ("build --array A.npy --engine padded_tree -o A.thw --memory 80Mi", "engine lines"),
        ("sa --memory 80Mi", "plain files"),
    ];
    for (arguments, part) in cases {
        let output = sandbox.command(arguments).output().unwrap();
        let line = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments}: {line}");
        assert!(line.contains(part), "{arguments}: {line}");
        assert_eq!(sandbox.files(), ["A.csv", "A.npy"], "{arguments}");
    }
}

/// Files may not grow beyond this: as on a full disk, a write fails, be it of a result or of what is spilled.
#[test]
fn a_full_disk_leaves_nothing() {
    let sandbox = Sandbox::new();
    sandbox.run("gen array --n 1e6 --dtype i32 --out A.npy");
    sandbox.run("gen queries --n 1e6 --count 1e6 --out Q.npy");
    sandbox.run("gen text --n 3M --out T");
    let n = 1i64 << 22;
    let mountain: Vec<i64> = (0..n).map(|i| if i < n / 2 { 2 * i } else { 2 * (n - i) + 1 }).collect();
    sandbox.put_npy("M.npy", &[n as u64], &mountain);
    let files = sandbox.files();
    for (arguments, most) in [
        ("ansv --array A.npy --left L.npy --memory 80Mi", 5 << 20),
        ("ansv --array M.npy --right L.npy --memory 80Mi", 1 << 20),
        ("rmq --array A.npy --queries Q.npy --out L.npy --memory 80Mi", 1 << 20),
        ("build --array A.npy -o L.thw --memory 80Mi", 1 << 20),
        ("sa T --out L.npy --memory 88Mi", 2 << 20),
        ("sa T --out L.npy --memory 88Mi", 20 << 20),
    ] {
        let output = limited(&sandbox, arguments, &[(libc::RLIMIT_FSIZE, most)]);
        let line = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments}: {output:?}");
        assert!(line.starts_with("thalweg: ") && line.lines().count() == 1, "{arguments}: {line}");
        assert!(line.contains("File too large"), "{arguments}: {line}");
        assert_eq!(sandbox.files(), files, "{arguments}");
    }
}

/// A process that is killed leaves its unfinished result, which the next one clears, and nothing else.
#[test]
fn a_kill_leaves_what_the_next_run_clears() {
    let sandbox = Sandbox::new();
    sandbox.run("gen text --n 12M --kind dna --out T");
    sandbox.run("gen array --n 2^21 --dtype u8 --out A.npy");
    for (arguments, after) in
        [("sa T --out L.npy --memory 100Mi", 400), ("ansv --array A.npy --left L.npy --memory 80Mi", 40)]
    {
        let mut child = Command::new(env!("CARGO_BIN_EXE_thalweg"))
            .current_dir(sandbox.path(""))
            .args(arguments.split_whitespace())
            .env("GOMP_SPINCOUNT", "1000")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while sandbox.files().len() == 2 {
            assert!(child.try_wait().unwrap().is_none(), "{arguments} ended before it was killed");
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(after));
        child.kill().unwrap();
        child.wait().unwrap();
        let left: Vec<String> =
            sandbox.files().into_iter().filter(|name| !["A.npy", "T", "L.npy"].contains(&&name[..])).collect();
        assert!(left.len() <= 1 && left.iter().all(|name| name.starts_with(".L.npy.tmp")), "{arguments}: {left:?}");
        sandbox.run(&arguments.replace("sa T", "sa A.npy"));
        assert_eq!(sandbox.files(), ["A.npy", "L.npy", "T"], "{arguments}");
        fs::remove_file(sandbox.path("L.npy")).unwrap();
    }
}
