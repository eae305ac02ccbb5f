//! Indexes in files: `thalweg build`, `query` and `inspect`.

use serde_json::Value;
use thalweg::rmq::Engine;
use thalweg::rmq::file::{self, SAVED, Stored};
use thalweg_data::{ArrayKind, QueryKind};

use crate::sandbox::{Sandbox, spellings};

const N: usize = 30_001;

/// A sandbox with an array and queries.
fn example() -> Sandbox {
    let sandbox = Sandbox::new();
    let queries = QueryKind::Mixed.make::<u64>(N, 2000, 4);
    sandbox.put_npy("A.npy", &[N as u64], &ArrayKind::Few.make::<f32>(N, 3));
    sandbox.put_npy("Q.npy", &[2000, 2], queries.as_flattened());
    sandbox
}

fn json(output: &std::process::Output) -> Value {
    serde_json::from_slice(&output.stdout).expect("the report is JSON")
}

#[test]
fn what_was_saved_answers_as_what_was_built() {
    let sandbox = example();
    for &engine in SAVED {
        let options = match engine {
            Engine::Hierarchy(_) => "--chunk 5",
            Engine::PaddedTree(_) => "--block 8",
            Engine::BalancedParens => "--with-array",
            _ => "",
        };
        for engine in spellings(engine.name()) {
            for max in ["", "--max"] {
                sandbox.run(&format!("build --array A.npy -o A.thw --engine {engine} {options} {max}"));
                for what in ["value", "index"] {
                    sandbox.run(&format!("rmq --array A.npy --queries Q.npy --out R.npy --what {what} {max}"));
                    sandbox.run(&format!("query A.thw --queries Q.npy --out S.npy --what {what} --verify 2000"));
                    assert!(sandbox.bytes("R.npy") == sandbox.bytes("S.npy"), "{engine} {max} {what}");
                    sandbox.run(&format!("query A.thw --queries Q.npy --out S.npy --what {what} --no-verify"));
                    assert!(sandbox.bytes("R.npy") == sandbox.bytes("S.npy"), "{engine} {max} {what}, unverified");
                }
            }
        }
    }
}

#[test]
fn every_type_and_the_pipes() {
    let sandbox = Sandbox::new();
    for dtype in ["u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f32", "f64"] {
        sandbox.run(&format!("gen array --n 5000 --dtype {dtype} --out A.npy"));
        sandbox.run("build --array A.npy -o A.thw");
        let output = sandbox.run("build --array A.npy -o -");
        assert!(output.stdout == sandbox.bytes("A.thw"), "{dtype}: standard output");
        // Generated in memory, it lies elsewhere relative to cache lines.
        sandbox.run(&format!("build --n 5000 --dtype {dtype} -o B.thw"));
        sandbox.run("rmq --array A.npy --count 500 --out R.npy");
        for index in ["A.thw", "B.thw"] {
            sandbox.run(&format!("query {index} --count 500 --out S.npy"));
            assert!(sandbox.bytes("R.npy") == sandbox.bytes("S.npy"), "{dtype} {index}");
        }
    }
    sandbox.run("build --n 0 -o A.thw");
    sandbox.run("query A.thw --count 0 --out S.npy");
    assert_eq!(sandbox.npy::<f32>("S.npy"), (vec![0], vec![]));
}

#[test]
fn reports() {
    let sandbox = example();
    let report = json(&sandbox.run("build --array A.npy -o A.thw --json"));
    assert_eq!((&report["engine"], &report["array"]["count"]), (&"lines".into(), &N.into()));
    assert_eq!(report["outputs"][0]["bytes"], sandbox.bytes("A.thw").len());
    let report = json(&sandbox.run("query A.thw --queries Q.npy --json"));
    assert_eq!((&report["open"]["checked"], &report["verified"]), (&true.into(), &1000.into()));
    assert_eq!(report["answers"]["columns"], serde_json::json!(["l", "r", "argmin", "min"]));
    let report = json(&sandbox.run("query A.thw --queries Q.npy --json --no-verify"));
    assert_eq!((&report["open"]["checked"], &report["verified"]), (&false.into(), &0.into()));
    let text = String::from_utf8(sandbox.run("query A.thw --queries Q.npy").stdout).unwrap();
    assert!(text.contains("checksums as written") && text.contains("array    30,001 x f32 (A.thw)"), "{text}");

    let text = String::from_utf8(sandbox.run("inspect A.thw").stdout).unwrap();
    for part in ["A.thw", "version 1", "lines (minima), shift 0", "30,001 x f32", "as written", "line_offset", "ok"] {
        assert!(text.contains(part), "{text:?} lacks {part:?}");
    }
    let text = String::from_utf8(sandbox.run("inspect A.thw --no-verify").stdout).unwrap();
    assert!(text.contains("not checked"), "{text}");
    let report = json(&sandbox.run("inspect A.thw --json"));
    let stored = Stored::open(sandbox.path("A.thw")).unwrap();
    assert_eq!(report["intact"], true);
    assert_eq!(report["options"]["shift"], 0);
    let sections = report["sections"].as_array().unwrap();
    assert_eq!(sections.len(), stored.header().sections.len());
    for (told, section) in sections.iter().zip(&stored.header().sections) {
        assert_eq!((&told["name"], &told["offset"]), (&section.name.clone().into(), &section.offset.into()));
        assert_eq!((&told["bytes"], &told["intact"]), (&section.bytes.into(), &true.into()));
    }
}

#[test]
fn parentheses_without_the_array() {
    let sandbox = example();
    let report = json(&sandbox.run("build --array A.npy -o A.thw --engine balanced_parens --json"));
    assert_eq!(report["with_array"], false);
    sandbox.run("rmq --array A.npy --queries Q.npy --out R.npy --what index");
    // Positions are all there is, so they are the default.
    let report = json(&sandbox.run("query A.thw --queries Q.npy --out S.npy --json"));
    assert!(sandbox.bytes("R.npy") == sandbox.bytes("S.npy"));
    assert_eq!(report["verified"], 0);
    assert_eq!(report["answers"]["columns"], serde_json::json!(["l", "r", "argmin"]));
    let arguments = "query A.thw --queries Q.npy --what value";
    sandbox.fail_saying(arguments, &["A.thw: saved without the array", "--what index"]);
    let text = String::from_utf8(sandbox.run("inspect A.thw").stdout).unwrap();
    assert!(text.contains("without the array"), "{text}");
}

#[test]
fn damaged_files() {
    let sandbox = example();
    sandbox.run("build --array A.npy -o A.thw");
    let good = sandbox.bytes("A.thw");
    let section = Stored::open(sandbox.path("A.thw")).unwrap().header().section("table").unwrap().clone();
    let place = section.offset as usize + 3;

    let mut bad = good.clone();
    bad[place..place + 40].fill(0xff);
    sandbox.put("A.thw", &bad);
    sandbox.fail_saying("query A.thw --queries Q.npy --out S.npy", &["A.thw: byte", "section table is damaged"]);
    // Unverified, the answers may be wrong, but they come.
    sandbox.run("query A.thw --queries Q.npy --what index --no-verify");
    let output = sandbox.command("inspect A.thw").output().unwrap();
    let (text, line) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(2));
    assert!(text.contains("BAD") && text.contains("DAMAGED"), "{text}");
    assert!(line.starts_with("thalweg: A.thw: byte") && line.lines().count() == 1, "{line}");
    let output = sandbox.command("inspect A.thw --json").output().unwrap();
    let intact: Vec<bool> =
        json(&output)["sections"].as_array().unwrap().iter().map(|section| section["intact"] == true).collect();
    assert_eq!((output.status.code(), intact.iter().filter(|ok| !**ok).count()), (Some(2), 1));

    let mut later = good.clone();
    later[8] = 9;
    let mut header = good.clone();
    header[70] = 1;
    let trailing = [&good[..], b"\n"].concat();
    let npy = sandbox.bytes("A.npy");
    let cases: [(&[u8], &str); 7] = [
        (&[], "the file is empty"),
        (&npy, "not a .thw file"),
        (&later, "version 9 of the format; this library reads version 1"),
        (&header, "header is damaged"),
        (&trailing, "1 bytes too many at the end"),
        (&good[..good.len() - 1], "cut off"),
        (&good[..100], "cut off"),
    ];
    for (bytes, reason) in cases {
        sandbox.put("B.thw", bytes);
        for command in ["query B.thw --queries Q.npy --no-verify", "query B.thw --count 5", "inspect B.thw --no-verify"]
        {
            sandbox.fail_saying(command, &["B.thw", reason]);
        }
    }
    std::fs::create_dir(sandbox.path("folder")).unwrap();
    sandbox.fail_saying("inspect folder", &["folder: is a directory"]);
    sandbox.fail_saying("query folder", &["folder: is a directory"]);
    sandbox.fail_saying("query nothing.thw", &["nothing.thw: No such file"]);
    sandbox.fail_saying("inspect -", &["standard input"]);
}

#[test]
fn bad_requests() {
    let sandbox = example();
    sandbox.run("build --array A.npy -o A.thw");
    sandbox.put_npy("bad.npy", &[2, 2], &[0i64, 5, 7, N as i64]);
    sandbox.fail_saying("query A.thw --queries bad.npy --out S.npy", &["bad.npy", "row 1", "30001 elements"]);
    sandbox.fail_saying("build --array A.npy -o nowhere/A.thw", &["nowhere/A.thw", "No such file"]);
    sandbox.fail_saying("build --array missing.npy -o A.thw", &["missing.npy"]);
    let output = sandbox.command("build --array A.npy -o A.thw --engine naive").output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text.contains("naive") && text.contains("sparse_table"), "{text}");
}

/// However a build ends, the file is the old one or the new one.
#[cfg(unix)]
#[test]
fn a_killed_build_leaves_the_old_file_or_the_new_one() {
    use std::process::{Command, Stdio};
    use std::time::Duration;

    let sandbox = Sandbox::new();
    let path = sandbox.path("A.thw");
    let build = |n: usize, seed: usize| {
        let (n, seed) = (n.to_string(), seed.to_string());
        let mut command = Command::new(env!("CARGO_BIN_EXE_thalweg"));
        command.args(["build", "--n", &n, "--seed", &seed, "--dtype", "u64", "-o"]).arg(&path);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let size = |attempt: usize| (1 << 19) + attempt;
    assert!(build(size(0), 0).wait().unwrap().success());
    let mut last = size(0);
    for attempt in 1..40 {
        let mut child = build(size(attempt), attempt);
        std::thread::sleep(Duration::from_millis(3 * attempt as u64));
        // SIGKILL: nobody gets to clean up.
        child.kill().unwrap();
        child.wait().unwrap();
        let len = file::open::<u64>(&path).unwrap().len();
        assert!(len == last || len == size(attempt), "{len} after {last} and {}", size(attempt));
        last = len;
    }
}
