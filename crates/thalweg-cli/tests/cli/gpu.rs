//! `--device`: the same files as from the CPU, byte for byte.

use serde_json::Value;
use thalweg_gpu::testing;

use crate::sandbox::Sandbox;

#[test]
fn range_minima_are_those_of_the_cpu() {
    let Some(device) = testing::name() else { return };
    let sandbox = Sandbox::new();
    sandbox.run("gen queries --n 5000 --count 3000 --kind mixed --out Q.npy");
    for dtype in ["f32", "i64", "u8"] {
        sandbox.run(&format!("gen array --n 5000 --kind few --dtype {dtype} --out A.npy"));
        for options in ["--what value", "--what index", "--what index --max"] {
            let run = format!("rmq --array A.npy --queries Q.npy {options} --out");
            sandbox.run(&format!("{run} cpu.npy --device cpu"));
            for engine in ["lines", "hierarchy", "scan", "naive"] {
                sandbox.run(&format!("{run} gpu.npy --device {device} --engine {engine}"));
                assert!(sandbox.bytes("cpu.npy") == sandbox.bytes("gpu.npy"), "{dtype} {options} {engine}");
            }
        }
    }
}

#[test]
fn nearest_smaller_values_are_those_of_the_cpu() {
    let Some(device) = testing::name() else { return };
    let sandbox = Sandbox::new();
    for (kind, dtype) in [("random", "f64"), ("few", "i16"), ("worst", "u32")] {
        sandbox.run(&format!("gen array --n 9000 --kind {kind} --dtype {dtype} --out A.npy"));
        for relation in ["smaller", "not-smaller"] {
            let run = format!("ansv --array A.npy --relation {relation} --left L.npy --right R.npy");
            sandbox.run(&format!("{run} --device cpu"));
            let expected = (sandbox.bytes("L.npy"), sandbox.bytes("R.npy"));
            for engine in ["tiles", "thesis"] {
                sandbox.run(&format!("{run} --device {device} --engine {engine}"));
                let got = (sandbox.bytes("L.npy"), sandbox.bytes("R.npy"));
                assert!(got == expected, "{kind} {dtype} {relation} {engine}");
            }
        }
    }
}

#[test]
fn the_report_names_the_device() {
    let Some(device) = testing::name() else { return };
    let sandbox = Sandbox::new();
    let report =
        |arguments: &str| -> Value { serde_json::from_slice(&sandbox.run(arguments).stdout).expect("one JSON object") };
    // A small run is no work for a GPU, whatever there is.
    assert_eq!(report("rmq --n 1000 --count 100 --json")["device"], "cpu");
    let info = report("info --json");
    let gpus = info["gpus"].as_array().expect("a list");
    assert!(gpus.iter().all(|gpu| gpu["binding_bytes"].as_u64() >= Some(1 << 20)), "{info}");
    let name = &report(&format!("rmq --n 1000 --count 100 --json --device {device}"))["device"];
    assert!(gpus.iter().any(|gpu| &gpu["name"] == name), "{name} {info}");
}

#[test]
fn bad_devices_and_engines_fail() {
    let Some(device) = testing::name() else { return };
    let sandbox = Sandbox::new();
    sandbox.fail_saying("rmq --n 10 --count 1 --device nonsense", &["--device", "nonsense"]);
    sandbox.fail_saying("ansv --n 10 --device 99", &["--device", "99"]);
    sandbox.fail_saying("bench rmq --n 10 --device nonsense", &["--device", "nonsense"]);
    let on = |what: &str| format!("{what} --device {device}");
    sandbox.fail_saying(&on("rmq --n 10 --count 1 --engine sparse-table"), &["sparse_table", "lines"]);
    sandbox.fail_saying(&on("ansv --n 10 --engine stack"), &["stack", "tiles"]);
    sandbox.fail_saying("ansv --n 10 --engine thesis --device cpu", &["thesis", "tiles"]);
    sandbox.put_npy("A.npy", &[4], &[1.0f32, 2.0, 3.0, 4.0]).put_npy("Q.npy", &[2, 2], &[0i64, 3, 1, 4]);
    sandbox.fail_saying(&on("rmq --array A.npy --queries Q.npy --out R.npy"), &["Q.npy", "1", "4"]);
}

#[test]
fn benchmarks_run_and_write_their_files() {
    let Some(device) = testing::name() else { return };
    let sandbox = Sandbox::new();
    let tail = format!("--device {device} --n 2^10,2^12 --repeat 2 --json B.json --csv B.csv --plot B.svg");
    for (problem, what) in [
        ("rmq --count 2^10", &["build", "value", "index", "host_to_host"][..]),
        ("ansv --kind random,worst", &["device", "host_to_host"]),
        ("primitives", &["reduce", "scan", "compact", "sort"]),
    ] {
        sandbox.run(&format!("bench {problem} {tail}"));
        let report: Value = serde_json::from_slice(&sandbox.bytes("B.json")).expect("one JSON object");
        assert!(report["adapter"]["copy_gb_per_s"].as_f64() > Some(0.0), "{problem}");
        let rows = report["rows"].as_array().expect("rows");
        for what in what {
            assert!(rows.iter().any(|row| row["what"] == *what && row["median_ns"].as_f64() > Some(0.0)), "{what}");
        }
        let csv = String::from_utf8(sandbox.bytes("B.csv")).expect("text");
        assert_eq!(csv.lines().count(), rows.len() + 1, "{problem}");
        assert!(String::from_utf8(sandbox.bytes("B.svg")).expect("text").starts_with("<svg"), "{problem}");
    }
}

#[test]
fn papers_are_repeated() {
    let Some(device) = testing::name() else { return };
    let sandbox = Sandbox::new();
    sandbox.run(&format!("bench paper gpu-rmq --device {device} --n 2^10,2^12 --count 2^10 --repeat 1"));
    sandbox.run(&format!("bench paper ansv-thesis --device {device} --n 2^10,2^12 --repeat 1"));
    let figures = ["fig14.svg", "fig15.svg", "fig16.svg", "fig17.svg"].map(|figure| format!("gpu-rmq-{figure}"));
    let mut expected = figures.to_vec();
    expected.extend(["gpu-rmq.csv", "ansv-thesis.csv", "ansv-thesis.svg"].map(str::to_owned));
    expected.sort();
    assert_eq!(sandbox.files(), expected);
    sandbox.fail_saying(&format!("bench paper gpu-rmq --device {device} --out nowhere"), &["nowhere"]);
}
