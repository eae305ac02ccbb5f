//! One vocabulary: the same words in every command, and what is said in them. What each option is called is held to clap's
//! list of commands in `src/vocabulary.rs`.

use serde_json::Value;

use crate::sandbox::Sandbox;

/// Runs the command, and returns its exit code and what it printed.
fn exits(sandbox: &Sandbox, arguments: &str) -> (Option<i32>, String, String) {
    let output = sandbox.command(arguments).output().expect("the command runs");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// With `--verbose` every command that solves a problem tells where its time went, the last thing before the peak of its memory.
#[test]
fn the_time_is_told_stage_by_stage() {
    let sandbox = Sandbox::new();
    sandbox.put("x.txt", "abracadabra");
    for (arguments, stages) in [
        ("rmq --n 100 --count 10 --out r.npy", "reading building answering checking writing"),
        ("build --n 100 --out r.thw", "reading building writing"),
        ("query r.thw --count 10", "reading answering checking"),
        ("inspect r.thw", "reading"),
        ("ansv --n 100 --out r.npy", "reading answering checking writing"),
        ("rank --n 100 --out r.npy", "reading answering checking writing"),
        ("forest --n 100 --out r.npy", "reading answering checking writing"),
        ("lca --n 100 --count 10 --out r.npy", "reading building answering checking writing"),
        ("subtree --n 100", "reading answering checking"),
        ("cartesian --n 100 --out r.npy", "reading checking writing"),
        ("hull --n 100 --out r.npy", "reading checking writing"),
        ("envelope --n 100 --out r.npy", "reading checking writing"),
        ("path --rows 9 --cols 9 --count 3 --out r.npy", "reading building answering checking writing"),
        ("matching --nodes 20 --out r.npy", "reading checking writing"),
        ("fft --shape 100 --out r.npy", "reading answering checking writing"),
        ("convolve --shape 100 --out r.npy", "reading answering checking writing"),
        ("blur --sigma 1 --no-verify", "reading"),
        ("sudoku --out r.npy", "writing"),
        ("sa x.txt --out r.npy", "reading checking writing"),
        ("lce x.txt --count 3 --out r.npy", "reading answering checking writing"),
        ("lz77 x.txt --out r.tlz", "reading writing"),
        ("unlz77 r.tlz --out r", "reading"),
        ("search abra x.txt", "reading searching"),
        ("lrs x.txt", "reading"),
    ] {
        let has_device = !["build", "query", "inspect", "unlz77"].iter().any(|name| arguments.starts_with(name));
        let device = if has_device { "--device cpu" } else { "" };
        let (code, _, told) = exits(&sandbox, &format!("{arguments} --verbose {device}"));
        let line =
            told.lines().find(|line| line.starts_with("time: ")).unwrap_or_else(|| panic!("{arguments}: {told}"));
        assert_eq!(code, Some(0), "{arguments}: {told}");
        for stage in stages.split(' ') {
            assert!(line.contains(&format!(" {stage} ")), "{arguments}: {stage} in {line}");
        }
    }
}

#[test]
fn nothing_found_is_no() {
    let sandbox = Sandbox::new();
    sandbox.put("x.txt", "abracadabra");
    for (arguments, printed) in [("search xyz x.txt", ""), ("search xyz x.txt --count", "0\n"), ("search abra -", "")] {
        assert_eq!(exits(&sandbox, arguments), (Some(1), printed.to_owned(), String::new()), "{arguments}");
    }
    let (code, report, _) = exits(&sandbox, "search xyz x.txt --json");
    let report: Value = serde_json::from_str(&report).expect("one JSON object");
    assert_eq!((code, &report["count"]), (Some(1), &0.into()));
    sandbox.run("search abra x.txt");
    let (_, help, _) = exits(&sandbox, "--help");
    assert!(help.contains("Exit codes: 0 done; 1 the answer is no"), "{help}");
}

#[test]
fn old_names_still_work() {
    let sandbox = Sandbox::new();
    sandbox.put("x.txt", "abracadabra");
    for [old, new] in [
        ["build --n 100 --array-kind few --output old", "build --n 100 --kind few -o new"],
        ["lz77 x.txt --output old", "lz77 x.txt -o new"],
        ["unlz77 old.tlz --output old", "unlz77 old.tlz -o new"],
        ["cartesian --n 100 --array-kind runs --parents old", "cartesian --n 100 --kind runs --out new"],
        ["rank --n 100 --list-kind several --out old", "rank --n 100 --kind several -o new"],
        ["lca --n 100 --forest-kind many --count 10 --out old", "lca --n 100 --kind many --count 10 -o new"],
        ["hull --n 100 --point-kind normal --out old", "hull --n 100 --kind normal -o new"],
        ["envelope --n 100 --segment-kind fan --out old", "envelope --n 100 --kind fan -o new"],
        ["path --rows 20 --cols 20 --grid-kind maze --lengths old", "path --rows 20 --cols 20 --kind maze -o new"],
        ["matching --nodes 100 --graph-kind near --out old", "matching --nodes 100 --kind near -o new"],
        ["fft --shape 100 --array-kind chirp --out old", "fft --shape 100 --kind chirp -o new"],
    ] {
        sandbox.run("lz77 x.txt -o old.tlz");
        sandbox.run(old);
        sandbox.run(new);
        assert!(sandbox.bytes("old") == sandbox.bytes("new"), "{new}");
    }
}

/// Commands with several results of the same rank write them as columns of one.
#[test]
fn out_has_all_of_a_node_or_an_element() {
    let sandbox = Sandbox::new();
    sandbox.run("ansv --n 1000 --kind few -o A.npy --left L.npy --right R.npy");
    let (shape, both) = sandbox.npy::<i64>("A.npy");
    assert_eq!(shape, [1000, 2]);
    let [left, right] = ["L.npy", "R.npy"].map(|name| sandbox.npy::<i64>(name).1);
    assert!(both.chunks(2).zip(left.iter().zip(&right)).all(|(both, (left, right))| both == [*left, *right]));
    // More than a chunk of what is written at a time.
    sandbox.run("forest --n 70000 --kind many -o F.npy");
    sandbox.run("forest --n 70000 --kind many --roots 0.npy --depths 1.npy --sizes 2.npy --preorder 3.npy");
    let (shape, all) = sandbox.npy::<i64>("F.npy");
    assert_eq!(shape, [70000, 4]);
    for column in 0..4 {
        let own = sandbox.npy::<i64>(&format!("{column}.npy")).1;
        assert!(all.iter().skip(column).step_by(4).eq(&own), "{column}");
    }
    sandbox.run("forest --n 0 -o F.npy");
    assert_eq!(sandbox.npy::<i64>("F.npy").0, [0, 4]);
}

#[test]
fn raw_queries_have_a_type_of_their_own() {
    let sandbox = Sandbox::new();
    sandbox.put_npy("P.npy", &[3], &[-1i64, 0, 0]);
    sandbox.put("Q.bin", [1u8, 2, 0, 1]).run("lca --parents P.npy --queries Q.bin --query-dtype u8 -o R.npy");
    assert_eq!(sandbox.npy::<i64>("R.npy"), (vec![2], vec![0, 0]));
    sandbox.put("N.bin", [0u8, 2]);
    sandbox.run("subtree --parents P.npy --what size --nodes N.bin --query-dtype u8 -o R.npy");
    assert_eq!(sandbox.npy::<i64>("R.npy"), (vec![2], vec![3, 1]));
    sandbox.put_npy("S.npy", &[1, 4], &[0i32, 0, 10, 20]).put("X.bin", [1u8, 5]);
    sandbox.run("envelope --segments S.npy --at X.bin --query-dtype u8 --values V.npy");
    assert_eq!(sandbox.npy::<f64>("V.npy"), (vec![2], vec![2.0, 10.0]));
}

/// Reports of all commands have the same parts, and say of how many answers the first are shown.
#[test]
fn reports_say_the_same_everywhere() {
    let sandbox = Sandbox::new();
    sandbox.put("x.txt", "abracadabra".repeat(20));
    sandbox.run("build --n 1000 -o I.thw");
    for (command, of) in [
        ("rmq --n 1000 --count 100", 100),
        ("query I.thw --count 100", 100),
        ("ansv --n 1000", 1000),
        ("rank --n 1000", 1000),
        ("forest --n 1000", 1000),
        ("lca --n 1000 --count 100", 100),
        ("subtree --n 1000", 1000),
        ("cartesian --n 1000", 1000),
        ("envelope --n 1000 --grid 0..50", 50),
        ("path --rows 30 --cols 30 --count 9", 9),
        ("fft --shape 12,10", 120),
        ("convolve --shape 120", 120),
        ("matching --nodes 100", 100),
        ("sudoku", 8),
        ("sa x.txt", 220),
        ("lce x.txt --count 100", 100),
    ] {
        let text = String::from_utf8(sandbox.run(command).stdout).unwrap();
        let report: Value = serde_json::from_slice(&sandbox.run(&format!("{command} --json")).stdout).expect("JSON");
        let answers = &report["answers"];
        assert_eq!((&answers["first"], &answers["of"]), (&5.into(), &of.into()), "{command}: {answers}");
        assert_eq!(answers["rows"].as_array().map(Vec::len), Some(5), "{command}");
        assert!(text.contains(&format!("\nfirst 5 of {}", report_count(of))), "{command}: {text}");
        // A table has a heading, whose columns programs know, too.
        for column in answers["columns"].as_array().expect("columns") {
            assert!(text.contains(column.as_str().expect("a name")), "{command}: {text}");
        }
        for part in ["version", "problem", "engine", "device", "threads", "outputs", "verified"] {
            assert!(!report[part].is_null(), "{command}: no {part} in {report}");
        }
        assert!(report["verified"].as_u64() >= Some(1) && report["outputs"].is_array(), "{command}: {report}");
        assert!(text.contains("\nverify   ") && text.contains("checked"), "{command}: {text}");
    }
}

fn report_count(n: usize) -> String {
    thalweg_cli::numbers::show_count(n)
}

#[test]
fn reports_tell_the_files_own_types() {
    let sandbox = Sandbox::new();
    sandbox.put_npy("A.npy", &[3], &[1i16, 2, 3]).put_npy("Q.npy", &[1, 2], &[0u8, 2]);
    sandbox.put_npy("P.npy", &[3], &[-1i16, 0, 0]).put_npy("N.npy", &[2], &[0u16, 1]);
    sandbox.put_npy("L.npy", &[2], &[1i16, -1]);
    for (command, data, queries) in [
        ("rmq --array A.npy --queries Q.npy", "i16", "u8"),
        ("lca --parents P.npy --queries Q.npy", "i16", "u8"),
        ("subtree --parents P.npy --nodes N.npy", "i16", "u16"),
    ] {
        let report: Value = serde_json::from_slice(&sandbox.run(&format!("{command} --json")).stdout).expect("JSON");
        assert_eq!(
            (&report["array"]["dtype"], &report["queries"]["dtype"]),
            (&data.into(), &queries.into()),
            "{command}"
        );
    }
    for command in ["forest --parents P.npy", "rank --next L.npy"] {
        let report: Value = serde_json::from_slice(&sandbox.run(&format!("{command} --json")).stdout).expect("JSON");
        assert_eq!(report["array"]["dtype"], "i16", "{command}");
    }
}

#[test]
fn one_is_not_many() {
    let sandbox = Sandbox::new();
    sandbox.put_npy("E.npy", &[2, 2], &[0i64, 1, 1, 1]).put("x.txt", "a");
    for (command, parts) in [
        ("rmq --n 1 --count 1 --threads 1", &["1 thread\n", "1 answer checked: "][..]),
        ("build --n 1 -o I.thw --threads 1", &["(minima), 1 thread\n"]),
        ("matching --edges E.npy", &["2 vertices, 1 edge (", "1 loop, 0 repeated edges", "1 pair, "]),
        ("lrs x.txt", &["1 byte (x.txt)"]),
        ("envelope --n 1 --grid 0..1", &["1 whole number from 0 on"]),
        ("sudoku --gen 1 --out P.txt", &["1 puzzle with one solution"]),
    ] {
        let text = String::from_utf8(sandbox.run(command).stdout).unwrap();
        assert!(parts.iter().all(|part| text.contains(part)), "{command}: {text}");
    }
    sandbox.put_npy("P.npy", &[1], &[5i64]).fail_saying("forest --parents P.npy", &["but there is only 1 node"]);
}

/// Long ranges: as many answers as somebody wants are checked, by another engine, and in bounded time.
#[test]
fn long_answers_are_checked_by_another_engine() {
    let sandbox = Sandbox::new();
    for (command, other) in [
        ("rmq --n 2^20 --query-kind large --count 3000 --verify 3000", "hierarchy"),
        ("rmq --n 2^20 --query-kind large --count 3000 --verify 3000 --engine hierarchy", "lines"),
        ("ansv --n 2^20 --kind sorted --max --verify 3000", "range minima of hierarchy"),
        ("cartesian --n 2^20 --verify 3000", "range minima of hierarchy"),
        ("lca --n 2^20 --kind path --count 3000 --verify 3000", "euler_rmq"),
        ("subtree --n 2^20 --kind path --what argmin --verify 3000", "range minima of hierarchy"),
        ("subtree --n 2^20 --kind path --what sum --verify 3000", "sums from the leaves"),
        ("subtree --n 2^20 --kind path --what size --verify 3000", "sums from the leaves"),
        ("forest --n 2^20 --kind path --verify 3000", "a walk to the root, of up to 1,000 links"),
    ] {
        let report: Value = serde_json::from_slice(&sandbox.run(&format!("{command} --json")).stdout).expect("JSON");
        assert_eq!(report["verified"], 3000, "{command}: {report}");
        assert!(report["verified_with"].as_str().is_some_and(|with| with.starts_with(other)), "{command}: {report}");
    }
}

/// What has nothing to do with what was chosen is refused, not ignored.
#[test]
fn idle_options_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.put_npy("A.npy", &[3], &[1i64, 0, 0]).put_npy("Q.npy", &[1, 2], &[0i64, 1]).put("x.txt", "abracadabra");
    sandbox.put_npy("P.npy", &[3], &[-1i64, 0, 0]);
    sandbox.run("build --n 100 --engine balanced_parens -o I.thw");
    for (arguments, part) in [
        ("rmq --n 10 --count 1 --engine lines --chunk 4", "--chunk is for hierarchy"),
        ("rmq --n 10 --count 1 --block 8", "--block is for padded_tree"),
        ("build --n 10 -o J.thw --with-array", "--with-array is for balanced_parens"),
        ("subtree --n 10 --what sum --max", "--max is for min and argmin"),
        ("subtree --parents P.npy --values P.npy --what size", "--values is for min, argmin and sum"),
        ("path --rows 9 --cols 9 --kind maze --walls 30", "--walls is for random maps, not for maze"),
        ("gen grid --rows 9 --cols 9 --kind maze --walls 30 -o G.npy", "--walls is for random maps"),
        ("blur --sigma 1 --out B.png --quality 50", "--quality is for JPEG"),
        ("matching --nodes 10 --verify 5", "the whole proof is checked"),
        ("query I.thw --count 5 --verify 5", "saved without it"),
        ("rmq --array A.npy --queries Q.npy --query-dtype u8", "Q.npy: the file holds i64, but --query-dtype says u8"),
        ("lca --parents P.npy --queries Q.npy --query-dtype u8", "but --query-dtype says u8"),
        ("convolve --shape 9 --engine ntt", "--engine ntt is for integers"),
        ("convolve --array A.npy --kernel A.npy --seed 3", "--seed: cannot be used with --array and --kernel"),
        ("path --grid A.npy --queries Q.npy --seed 3", "--seed: cannot be used with --grid and --queries"),
        ("subtree --parents P.npy --values P.npy --seed 3", "--seed: cannot be used with --parents and --values"),
        ("subtree --parents P.npy --what size --seed 3", "--seed: cannot be used with --parents: nothing"),
    ] {
        sandbox.fail_saying(arguments, &[part]);
    }
    // What clap knows.
    for arguments in [
        "rmq --array A.npy --queries Q.npy --seed 3",
        "rmq --n 10 --count 1 --query-dtype u8",
        "query I.thw --queries Q.npy --seed 3",
        "ansv --array A.npy --seed 3",
        "cartesian --array A.npy --seed 3",
        "build --array A.npy -o J.thw --seed 3",
        "rank --next P.npy --seed 3",
        "rank --n 10 --dtype i32",
        "forest --parents P.npy --seed 3",
        "forest --n 10 --dtype i32",
        "lca --parents P.npy --queries Q.npy --seed 3",
        "subtree --parents P.npy --value-dtype i32",
        "hull --points Q.npy --seed 3",
        "hull --n 10 --what points",
        "envelope --segments Q.npy --seed 3",
        "matching --edges Q.npy --seed 3",
        "matching --nodes 10 --dtype i32",
        "fft --array A.npy --seed 3",
        "sa x.txt --seed 3",
        "lz77 x.txt --seed 3",
        "lrs x.txt --seed 3",
        "lce x.txt --queries Q.npy --seed 3",
        "lce x.txt --query-dtype u8",
        "sudoku --seed 3",
        "sudoku --gen 3 --verify 3",
        "blur --sigma 1 --quality 50",
        "path --query-dtype u8",
        "rmq --n 10 --count 1 --raw",
        "forest --n 10 --raw",
        "hull --n 10 --raw --plot p.svg",
        "sudoku --raw",
    ] {
        let (code, out, err) = exits(&sandbox, arguments);
        assert_eq!((code, &out[..]), (Some(2), ""), "{arguments}");
        assert!(err.contains("cannot be used with") || err.contains("required"), "{arguments}: {err}");
    }
    assert_eq!(sandbox.files(), ["A.npy", "I.thw", "P.npy", "Q.npy", "x.txt"]);
    // What has to do with something is taken.
    sandbox.run("rmq --array A.npy --count 5 --seed 3");
    sandbox.run("lce x.txt --count 5 --seed 3");
    sandbox.run("path --rows 9 --cols 9 --kind random --walls 30");
    sandbox.run("query I.thw --count 5 --kind small");
    sandbox.run("convolve --array A.npy --seed 3");
    sandbox.run("path --rows 9 --cols 9 --count 3 --seed 3");
    sandbox.run("subtree --parents P.npy --seed 3");
    sandbox.run("subtree --n 10 --what size --seed 3");
    assert_eq!(sandbox.run("sudoku --gen 1 --raw").stdout.len(), 81);
}
