//! The program at tiny sizes: that it runs, checks, and writes what it promises. No times are asserted.

#[cfg(feature = "gpu")]
mod gpu;
#[cfg(unix)]
mod interrupt;
#[cfg(feature = "gpu")]
mod sandbox;

use assert_cmd::Command;
use serde_json::Value;

fn bench(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_thalweg-bench"));
    command.args(args);
    command
}

/// Runs a problem with peers, JSON and plot, and returns the table, the report and the picture.
fn everything(args: &[&str]) -> (String, Value, String) {
    everything_at("2^10,2^12", args)
}

fn everything_at(sizes: &str, args: &[&str]) -> (String, Value, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (json, plot) = (path("out.json"), path("out.svg"));
    let assert = bench(args)
        .args(["--n", sizes, "--threads", "1,2", "--peers", "--repeat", "2", "--json", &json, "--plot", &plot])
        .assert()
        .success()
        .stderr("");
    let table = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    assert!(table.lines().all(|line| line.chars().count() <= 120), "{table}");
    let read = |path: &str| std::fs::read_to_string(path).unwrap();
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 2, "nothing but the two files is left behind");
    (table, serde_json::from_str(&read(&json)).unwrap(), read(&plot))
}

/// Rows of a report in which all these fields have these values.
fn select<'r>(report: &'r Value, fields: &[(&str, Value)]) -> Vec<&'r Value> {
    let rows = report["rows"].as_array().unwrap();
    rows.iter().filter(|row| fields.iter().all(|(field, value)| row[field] == *value)).collect()
}

fn check_common(report: &Value, plot: &str) {
    assert_eq!(report["copy"].as_array().unwrap().len(), 2);
    assert!(!report["cpu"].as_str().unwrap().is_empty());
    for row in report["rows"].as_array().unwrap() {
        assert!(row["median_ns"].as_f64().unwrap() >= row["min_ns"].as_f64().unwrap(), "{row}");
        assert!(row["ns_per_item"].as_f64().unwrap() > 0.0, "{row}");
        assert!(row["ratio_to_best_peer"].as_f64().unwrap() > 0.0, "{row}");
        assert_eq!(row["runs"], 2);
    }
    assert!(plot.starts_with("<svg") && plot.trim_end().ends_with("</svg>"));
}

#[test]
fn rmq() {
    let (table, report, plot) = everything(&["rmq", "--count", "2^12", "--dtype", "u32,f32"]);
    check_common(&report, &plot);
    for kind in ["large", "medium", "small", "mixed"] {
        assert!(table.contains(kind) && plot.contains(&format!("{kind} ranges")));
        for peer in ["range_minimum_query", "vers FastRmq", "vers BinaryRmq"] {
            for (threads, singles) in [(1, 1), (2, 0)] {
                for dtype in ["u32", "f32"] {
                    let rows = |what: &str| {
                        let fields = [
                            ("what", what.into()),
                            ("queries", kind.into()),
                            ("engine", peer.into()),
                            ("threads", threads.into()),
                            ("n", 4096.into()),
                            ("dtype", dtype.into()),
                        ];
                        select(&report, &fields).len()
                    };
                    assert_eq!((rows("batch"), rows("single")), (1, singles), "{kind} {peer} {threads} {dtype}");
                }
            }
        }
        let ours = select(&report, &[("queries", kind.into()), ("peer", false.into()), ("what", "batch".into())]);
        assert!(!ours.is_empty() && ours.iter().all(|row| row["leftmost"] == true));
    }
    let builds = select(&report, &[("what", "build".into()), ("engine", "vers FastRmq".into())]);
    assert!(builds.iter().all(|row| row["extra_bits_per_element"].as_f64().unwrap() > 0.0));
    assert!(builds.iter().all(|row| row["share_of_copy"].as_f64().unwrap() > 0.0));
}

#[test]
fn ansv() {
    let (table, report, plot) = everything(&["ansv", "--kind", "random,sorted,few", "--dtype", "f64"]);
    check_common(&report, &plot);
    assert!(table.contains("vs stack"));
    for kind in ["random", "sorted", "few"] {
        let stack = select(&report, &[("engine", "stack".into()), ("kind", kind.into()), ("peer", true.into())]);
        assert_eq!(stack.len(), 4);
        assert!(stack.iter().all(|row| row["ratio_to_best_peer"] == 1.0 && row["gb_per_s"].as_f64().unwrap() > 0.0));
    }
}

#[test]
fn changing() {
    let (table, report, plot) =
        everything(&["changing", "--dtype", "u32,f64", "--count", "100", "--kind", "random,few"]);
    check_common(&report, &plot);
    assert!(table.contains("of a build"));
    for engine in ["lines", "ac-library-rs Segtree"] {
        for (what, pools) in [("build", 2), ("updates", 2), ("in turn", 1)] {
            let rows = select(&report, &[("engine", engine.into()), ("what", what.into())]);
            assert_eq!(rows.len(), 2 * 2 * 2 * pools, "{engine} {what}");
        }
    }
    bench(&["changing", "--count", "0"]).assert().failure().code(2);
}

#[test]
fn in_order() {
    let (table, report, plot) = everything(&["in-order", "--kind", "random,few,special", "--dtype", "f32", "--k", "3"]);
    check_common(&report, &plot);
    assert!(table.contains("ns/range"));
    for (what, engine) in
        [("smallest", "sort of the range"), ("smallest", "heap of k over it"), ("below", "scan of the range")]
    {
        assert_eq!(select(&report, &[("engine", engine.into()), ("what", what.into())]).len(), 3 * 2 * 3 * 2);
    }
    bench(&["in-order", "--k", "0"]).assert().failure().code(2);
}

#[test]
fn windows() {
    let (table, report, plot) = everything(&["window", "--kind", "random,special", "--dtype", "u8,f32"]);
    check_common(&report, &plot);
    assert!(table.contains("vs queue"));
    for what in ["values", "positions"] {
        for engine in ["blocks", "naive", "monotonic queue", "copy"] {
            let fields = [("engine", engine.into()), ("what", what.into()), ("queries", "w = 100".into())];
            assert_eq!(select(&report, &fields).len(), 2 * 2 * 2 * 2, "{engine}");
        }
    }
    bench(&["window", "--width", "0"]).assert().failure().code(2);
}

#[test]
fn primitives() {
    let (table, report, plot) = everything(&["primitives", "--kind", "random,special", "--dtype", "u32,u64"]);
    check_common(&report, &plot);
    for what in ["reduce", "scan", "compact", "split", "sort", "sort_idx", "sort_by_key", "fork"] {
        assert!(table.contains(what) && plot.contains(what));
        for threads in [1, 2] {
            let rows = select(&report, &[("what", what.into()), ("threads", threads.into()), ("default", true.into())]);
            assert_eq!(rows.len(), 2 * 2 * 2, "{what}");
        }
    }
    for peer in ["rdst", "rayon par_sort_unstable", "std sort_unstable"] {
        assert_eq!(select(&report, &[("what", "sort".into()), ("engine", peer.into())]).len(), 2 * 2 * 2 * 2);
    }
    assert_eq!(select(&report, &[("what", "sort_idx".into()), ("engine", "rdst".into())]).len(), 2 * 2 * 2 * 2);
    // The copy is raced with everybody, and shares are shares of its speed.
    let copies = select(&report, &[("engine", "copy".into())]);
    assert_eq!(copies.len(), 8 * 2 * 2 * 2 * 2);
    assert!(copies.iter().all(|row| (row["share_of_copy"].as_f64().unwrap() - 1.0).abs() < 1e-9));
}

#[test]
fn lists() {
    let (table, report, plot) = everything(&["list", "--kind", "random,several,short,single"]);
    check_common(&report, &plot);
    for what in ["rank", "sums"] {
        assert!(table.contains(what) && plot.contains(what));
        for engine in ["helman_jaja", "sequential", "pointer_jumping", "independent_set", "plain walk"] {
            let rows = select(&report, &[("what", what.into()), ("engine", engine.into())]);
            assert_eq!(rows.len(), 2 * 2 * 4, "{what} {engine}");
        }
    }
}

#[test]
fn trees() {
    let (table, report, plot) = everything(&["tree", "--count", "2^10", "--kind", "random,scale-free,many,isolated"]);
    check_common(&report, &plot);
    for (what, engines) in [
        ("depths", &["pointer_jumping", "euler_tour", "plain walk"][..]),
        ("tour", &["euler_tour", "plain walk"]),
        ("lca build", &["inlabel", "euler_rmq", "euler_rmq, sparse table"]),
        ("lca batch", &["inlabel", "euler_rmq", "euler_rmq, sparse table"]),
        ("subtree minima", &["lines", "plain walk"]),
    ] {
        assert!(table.contains(what) && plot.contains(what));
        for &engine in engines {
            let rows = select(&report, &[("what", what.into()), ("engine", engine.into())]);
            assert_eq!(rows.len(), 2 * 2 * 4, "{what} {engine}");
        }
    }
}

#[test]
fn transforms() {
    let (table, report, plot) = everything(&["fft", "--kind", "line,rows", "--dtype", "f32,f64"]);
    check_common(&report, &plot);
    assert!(table.contains("vs rustfft"));
    for (kind, dtype) in [("line", "f32"), ("line", "f64"), ("rows", "f32"), ("rows", "f64")] {
        for engine in ["two_pass", "rustfft", "plain pass"] {
            let fields = [("kind", kind.into()), ("dtype", dtype.into()), ("engine", engine.into())];
            // Two sizes on two numbers of threads.
            assert_eq!(select(&report, &fields).len(), 4, "{kind} {dtype} {engine}");
        }
    }
    let args = ["--threads", "1", "--repeat", "1", "--real", "--json", "-"];
    for shape in
        [&["--shape", "12x10x9"][..], &["--shape", "30x100", "--rows"], &["--kind", "matrix,cube", "--n", "360"]]
    {
        let assert = bench(&["fft"]).args(shape).args(args).assert().success();
        let report: Value = serde_json::from_slice(&assert.get_output().stdout).unwrap();
        assert!(!select(&report, &[("what", "real".into())]).is_empty());
    }
}

#[test]
fn hulls() {
    let (table, report, plot) = everything(&["geometry", "hull", "--kind", "square,grid,circle", "--dtype", "f64,i32"]);
    check_common(&report, &plot);
    assert!(table.contains("vs geo") && plot.contains("circle"));
    assert!(table.contains("skipped: naive on n = 2^10, f64, square: takes long"), "{table}");
    for engine in ["slabs", "chains", "wagener", "graham", "geo", "plain read"] {
        let rows = select(&report, &[("engine", engine.into())]);
        assert_eq!(rows.len(), 2 * 2 * 3 * 2, "{engine}");
    }
    // What is timed where nothing is said.
    let assert = bench(&["geometry", "hull", "--n", "1000", "--threads", "1", "--repeat", "1", "--json", "-"]).assert();
    let report: Value = serde_json::from_slice(&assert.success().get_output().stdout).unwrap();
    assert!(
        !select(&report, &[("dtype", "f64".into()), ("kind", "disk".into()), ("engine", "slabs".into())]).is_empty()
    );
}

#[test]
fn envelopes() {
    let kinds = "crossing,pieces,points";
    let (table, report, plot) = everything(&["geometry", "envelope", "--kind", kinds, "--dtype", "i32,f64"]);
    check_common(&report, &plot);
    assert!(table.contains("vs sweep") && plot.contains("pieces"));
    assert!(table.contains("skipped: naive on n = 2^10, i32, crossing: takes long"), "{table}");
    for engine in ["merge", "sweep"] {
        let rows = select(&report, &[("engine", engine.into())]);
        assert_eq!(rows.len(), 2 * 2 * 3 * 2, "{engine}");
    }
    let (table, report, plot) = everything(&["geometry", "raster", "--kind", "paper,level,slopes,short"]);
    check_common(&report, &plot);
    assert!(table.contains("vs write") && plot.contains("short data"));
    for engine in ["raster", "naive", "plain write"] {
        assert_eq!(select(&report, &[("engine", engine.into())]).len(), 2 * 2 * 4, "{engine}");
    }
}

#[test]
fn matchings() {
    let kinds = "random,nested,kronecker";
    let (table, report, plot) = everything(&["graph", "matching", "--kind", kinds, "--shuffle", "--engine", "forest"]);
    check_common(&report, &plot);
    assert!(table.contains("vs petgraph") && plot.contains("from the edges"));
    for engine in ["forest", "petgraph"] {
        for what in ["edges", "graph"] {
            let rows = select(&report, &[("engine", engine.into()), ("what", what.into())]);
            assert_eq!(rows.len(), 2 * 2 * 3, "{engine} {what}");
        }
    }
    let small = ["--n", "20,2000", "--threads", "1", "--repeat", "1"];
    let assert = bench(&["graph", "matching"]).args(small).assert().success();
    let table = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    assert!(table.contains("naive") && table.contains("tutte"), "{table}");
    assert!(table.contains("skipped: tutte on n = 2000, u32, random: takes long"), "{table}");
}

#[test]
fn paths() {
    let (table, report, plot) = everything_at("40,80", &["graph", "path", "--kind", "random,rooms", "--count", "5"]);
    // Peers have nothing to build, and so there is nothing to compare with.
    let mut answers = report.clone();
    answers["rows"].as_array_mut().unwrap().retain(|row| row["what"] != "build");
    check_common(&answers, &plot);
    assert!(table.contains("vs pathfinding") && plot.contains("lengths"));
    for engine in ["jump", "buckets"] {
        for what in ["build", "lengths", "paths"] {
            let rows = select(&report, &[("engine", engine.into()), ("what", what.into())]);
            assert_eq!(rows.len(), 2 * 2 * 2, "{engine} {what}");
        }
    }
    let small = ["--n", "40", "--threads", "1", "--repeat", "1", "--moves", "4", "--dtype", "u32", "--peers"];
    let assert = bench(&["graph", "path"]).args(small).assert().success();
    let table = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    assert!(
        table.contains("buckets") && table.contains("skipped: jump on n = 40, u32, random: takes maps without"),
        "{table}"
    );
}

#[test]
fn json_on_stdout_is_alone() {
    let assert = bench(&["ansv", "--n", "1000", "--threads", "1", "--repeat", "1", "--json"]).assert().success();
    let report: Value = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    assert_eq!(report["problem"], "ansv");
    assert!(select(&report, &[("n", 1000.into())]).len() >= 2);
}

#[test]
fn large_indexes_are_skipped_with_a_line() {
    let small = ["--n", "2^12", "--threads", "1", "--repeat", "1", "--count", "100"];
    let assert = bench(&["rmq", "--peers", "--max-extra", "64K"]).args(small).assert().success();
    let table = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    assert!(table.contains("skipped: vers BinaryRmq on n = 2^12, u32, random: index of 240.0 KiB"), "{table}");
    assert!(table.contains("(--max-extra)"), "{table}");
}

#[test]
fn bad_options_are_one_line_and_exit_code_2() {
    for (args, needle) in [
        (&["rmq", "--n", "0"][..], "--n: an array of 0 elements"),
        (&["rmq", "--n", "2^32"], "32-bit positions"),
        (&["rmq", "--n", "2^10", "--plot", "x.svg"], "--plot: draws time against n"),
        (&["rmq", "--engine", "quantum"], "unknown rmq engine 'quantum'"),
        (&["rmq", "--count", "0"], "--count"),
        (&["rmq", "--engine", "padded_tree", "--n", "2^10", "--dictionary", "3"], "dictionary: 3"),
        (&["ansv", "--engine", "quantum"], "unknown ansv engine 'quantum'"),
        (&["ansv", "--dtype", "u7"], "--dtype: u7: ansv times u32, u64, f32, f64"),
        (&["ansv", "--kind", "shiny"], "--kind: shiny: ansv has random, worst, sorted"),
        (&["list", "--kind", "sorted"], "--kind: sorted: list has random, several"),
        (&["tree", "--kind", "shiny"], "--kind: shiny: tree has random, path"),
        (&["list", "--engine", "quantum"], "unknown list engine 'quantum'"),
        (&["tree", "--count", "0"], "--count"),
        (&["geometry", "hull", "--kind", "random"], "--kind: random: geometry hull has square, disk"),
        (&["geometry", "hull", "--engine", "quantum"], "unknown hull engine 'quantum'"),
        (&["geometry", "hull", "--dtype", "u32"], "--dtype: u32: geometry hull times f64, f32, i64, i32"),
        (&["geometry", "envelope", "--kind", "disk"], "--kind: disk: geometry envelope has crossing, short"),
        (&["geometry", "envelope", "--engine", "raster"], "--engine: raster has no pieces"),
        (&["geometry", "raster", "--dtype", "f64"], "--dtype: f64: geometry raster times i32"),
        (&["graph", "matching", "--kind", "disk"], "--kind: disk: graph matching has random, bipartite"),
        (&["graph", "matching", "--engine", "quantum"], "unknown matching engine 'quantum'"),
        (&["ansv", "--repeat", "0"], "--repeat"),
        (&["ansv", "--threads", "0"], "--threads: 0"),
        (&["ansv", "--threads", "1000000"], "--threads: 1000000"),
        (&["ansv", "--json", "no/such/folder/out.json"], "no/such/folder/out.json: "),
        (&["ansv", "--json", "-", "--plot", "-"], "the same place"),
    ] {
        let assert = bench(args).assert().code(2).stdout("");
        let text = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
        assert!(text.starts_with("thalweg-bench: ") && text.contains(needle), "{args:?}: {text}");
        assert_eq!(text.lines().count(), 1, "{args:?}: {text}");
    }
    // Values that the parser knows are listed by it.
    let assert = bench(&["rmq", "--queries", "huge"]).assert().code(2).stdout("");
    let text = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(text.contains("possible values"), "{text}");
    for (args, needle) in [
        (&["fft", "--shape", "3x0"][..], "the array is empty"),
        (&["fft", "--kind", "rows", "--n", "1000"], "--n: 1000: rows have 1024 elements"),
    ] {
        let assert = bench(args).assert().code(2);
        let text = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
        assert!(text.contains(needle), "{args:?}: {text}");
    }
    bench(&["ansv", "--queries", "large"]).assert().code(2);
}

#[test]
fn text() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (json, plot) = (path("out.json"), path("out.svg"));
    let options = ["--n", "2^12,2^14", "--threads", "1,2", "--count", "1000", "--repeat", "2"];
    let assert = bench(&["text", "--json", &json, "--plot", &plot]).args(options).assert().success().stderr("");
    let table = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    assert!(table.lines().all(|line| line.chars().count() <= 120), "{table}");
    let report: Value = serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
    for threads in [1, 2] {
        for n in [1 << 12, 1 << 14] {
            let rows = |what: &str| {
                select(&report, &[("what", what.into()), ("threads", threads.into()), ("n", n.into())]).len()
            };
            assert_eq!((rows("suffix array"), rows("LCP"), rows("inverse")), (2, 1, 1));
            assert_eq!((rows("lz77"), rows("lz77: text order"), rows("lz77: after the suffix array")), (3, 2, 2));
            assert_eq!((rows("find_all"), rows("decode"), rows("extensions")), (6, 2, 2));
        }
    }
    let extensions = select(&report, &[("what", "extensions".into()), ("engine", "lce".into())]);
    assert!(extensions.iter().all(|row| row["ratio_to_best_peer"].as_f64().unwrap() > 0.0));
    assert!(std::fs::read_to_string(&plot).unwrap().starts_with("<svg"));
    std::fs::write(path("text"), "a text of one's own, of one's own").unwrap();
    bench(&["text", "--file", &path("text"), "--count", "10", "--repeat", "1"]).assert().success();
    let assert = bench(&["text", "--file", &path("text"), "--n", "1000"]).assert().code(2).stdout("");
    assert!(String::from_utf8_lossy(&assert.get_output().stderr).contains("--n: 1000: the file has 33 bytes"));
}

/// Tables that nobody can read are an error, and no panic.
#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_output_is_an_error() {
    use std::process::{Command, Stdio};
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a device of the system");
    let mut bench = Command::new(env!("CARGO_BIN_EXE_thalweg-bench"));
    bench.args(["ansv", "--n", "1000", "--repeat", "1", "--threads", "1"]).stdout(Stdio::from(full));
    let output = bench.stderr(Stdio::piped()).output().expect("the program runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("standard output: No space left"), "{stderr}");
}

#[test]
fn convolve() {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("out.json");
    let args = ["convolve", "--n", "2^12,2^14", "--kind", "line,grid", "--dtype", "f32,f64", "--kernel", "3,20"];
    bench(&args).args(["--threads", "1,2", "--repeat", "2", "--out"]).arg(&json).assert().success().stderr("");
    let report: Value = serde_json::from_str(&std::fs::read_to_string(json).unwrap()).unwrap();
    for engine in ["direct", "spectral", "naive"] {
        for kernel in ["kernel 3", "kernel 20"] {
            let fields = [("engine", engine.into()), ("queries", kernel.into()), ("n", 4096.into())];
            assert_eq!(select(&report, &fields).len(), 2 * 2 * 2, "{engine} {kernel}");
        }
    }
    bench(&["convolve", "--kernel", "0"]).assert().failure().code(2);
}

#[test]
fn blur() {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("out.json");
    let args = ["blur", "--n", "3500,2^13", "--kind", "grey,rgb,rgba", "--dtype", "u8,u16,f32", "--sigma", "0.7,6"];
    bench(&args).args(["--threads", "1,2", "--repeat", "2", "--json"]).arg(&json).assert().success().stderr("");
    let report: Value = serde_json::from_str(&std::fs::read_to_string(json).unwrap()).unwrap();
    for engine in ["direct", "spectral", "naive"] {
        for sigma in ["sigma 0.7", "sigma 6"] {
            let fields = [("engine", engine.into()), ("queries", sigma.into()), ("n", 3500.into())];
            assert_eq!(select(&report, &fields).len(), 2 * 3 * 3, "{engine} {sigma}");
        }
    }
    bench(&["blur", "--sigma", "0"]).assert().failure().code(2);
}
