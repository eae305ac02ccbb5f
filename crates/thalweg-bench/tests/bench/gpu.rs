//! `--device`: the engines on a GPU.

use serde_json::Value;
use thalweg::gpu::testing;

use crate::sandbox::Sandbox;

#[test]
fn benchmarks_run_and_write_their_files() {
    let Some(device) = testing::name() else { return };
    let sandbox = Sandbox::new();
    let tail = format!("--device {device} --n 2^10,2^12 --repeat 2 --json B.json --csv B.csv --plot B.svg");
    for (problem, what) in [
        ("rmq --count 2^10", &["build", "value", "index", "host_to_host"][..]),
        ("in-order --count 100 --k 3", &["smallest", "below", "below, host to host"]),
        ("changing --count 100", &["build", "updates", "updates, ascending, host to host"]),
        ("ansv --kind random,worst", &["device", "host_to_host"]),
        ("primitives", &["reduce", "scan", "compact", "sort"]),
        ("text", &["suffix array", "LPF", "extensions", "find_all", "lz77, host to host"]),
        ("list --kind random,short", &["rank", "sums"]),
        ("geometry hull --kind square,circle --dtype f64,i32", &["filter", "device", "host_to_host"]),
        ("geometry raster --kind paper,slopes", &["levels", "ids", "host_to_host"]),
        ("tree --count 2^10", &["depths", "children", "tour", "lca build", "lca batch", "rmq build", "subtree minima"]),
    ] {
        sandbox.run(&format!("{problem} {tail}"));
        let report: Value = serde_json::from_slice(&sandbox.bytes("B.json")).expect("one JSON object");
        assert!(report["adapter"]["copy_gb_per_s"].as_f64() > Some(0.0), "{problem}");
        let rows = report["rows"].as_array().expect("rows");
        for what in what {
            assert!(rows.iter().any(|row| row["what"] == *what && row["median_ns"].as_f64() > Some(0.0)), "{what}");
        }
        let csv = String::from_utf8(sandbox.bytes("B.csv")).expect("text");
        assert_eq!(csv.lines().count(), rows.len() + 1, "{problem}");
        // Commas inside of quotes are no columns' ends.
        let commas = |line: &str| line.split('"').step_by(2).map(|part| part.matches(',').count()).sum::<usize>();
        assert!(csv.lines().all(|line| commas(line) == 19), "{problem}: {csv}");
        assert!(String::from_utf8(sandbox.bytes("B.svg")).expect("text").starts_with("<svg"), "{problem}");
    }
}

/// Cubic work, so of small graphs.
#[test]
fn matchings() {
    let Some(device) = testing::name() else { return };
    let sandbox = Sandbox::new();
    let command = format!("graph matching --device {device} --n 60,200 --kind random,hubs --repeat 1");
    sandbox.run(&format!("{command} --json B.json --plot B.svg"));
    let report: Value = serde_json::from_slice(&sandbox.bytes("B.json")).expect("one JSON object");
    let rows = report["rows"].as_array().expect("rows");
    for what in ["device", "host_to_host"] {
        let rows = rows.iter().filter(|row| row["what"] == what && row["engine"] == "tutte");
        assert_eq!(rows.count(), 4, "{what}");
    }
    sandbox.fail_saying(&format!("{command} --engine forest"), &["matching", "'forest'", "GPUs have tutte"]);
}

#[test]
fn papers_are_repeated() {
    let Some(device) = testing::name() else { return };
    let sandbox = Sandbox::new();
    sandbox.run(&format!("paper gpu-rmq --device {device} --n 2^10,2^12 --count 2^10 --repeat 1"));
    sandbox.run(&format!("paper ansv-thesis --device {device} --n 2^10,2^12 --repeat 1"));
    sandbox.run("paper envelope --device cpu --n 2^10,2^12 --repeat 1");
    sandbox.run(&format!("paper envelope --device {device} --n 2^10,2^12 --repeat 1"));
    sandbox.run(&format!("paper drs --device {device} --n 2^10,2^12 --count 2^10 --repeat 1"));
    let figures = ["fig14.svg", "fig15.svg", "fig16.svg", "fig17.svg"].map(|figure| format!("gpu-rmq-{figure}"));
    let mut expected = figures.to_vec();
    expected.extend(["gpu-rmq.csv", "ansv-thesis.csv", "ansv-thesis.svg"].map(str::to_owned));
    expected.extend(["drs.csv", "drs-build.svg", "drs-queries.svg", "envelope.csv", "envelope.svg"].map(str::to_owned));
    expected.sort();
    assert_eq!(sandbox.files(), expected);
    // A folder is made where there is none, but not inside a file.
    sandbox.fail_saying(&format!("paper gpu-rmq --device {device} --out gpu-rmq.csv/here"), &["gpu-rmq.csv/here"]);
}

#[test]
fn bad_devices_fail() {
    if testing::name().is_none() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.fail_saying("rmq --n 10 --device nonsense", &["--device", "nonsense"]);
}
