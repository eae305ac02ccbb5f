//! `--device`: the same files as from the CPU, byte for byte.

use serde_json::Value;
use thalweg::gpu::testing;
use thalweg_data::TextKind;

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
            for engine in ["lines", "hierarchy", "padded-tree", "inlabel", "naive"] {
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
fn elements_in_order_are_those_of_the_cpu() {
    let Some(_) = testing::name() else { return };
    let sandbox = Sandbox::new();
    sandbox.run("gen queries --n 9000 --count 200 --kind mixed --out Q.npy");
    for (kind, dtype, threshold) in [("few", "f64", "1.5"), ("random", "i16", "-32000")] {
        sandbox.run(&format!("gen array --n 9000 --kind {kind} --dtype {dtype} --out A.npy"));
        for options in ["--k 7", "--k 40 --max"] {
            let run = format!("smallest --array A.npy --queries Q.npy {options} --out S.npy");
            same_files(&sandbox, &run, &["lines", "naive"], &["S.npy"]);
        }
        let run = format!("below --array A.npy --queries Q.npy --threshold {threshold} --out B.npy --lengths L.npy");
        same_files(&sandbox, &run, &["lines", ""], &["B.npy", "L.npy"]);
    }
}

#[test]
fn windows_are_those_of_the_cpu() {
    let Some(_) = testing::name() else { return };
    let sandbox = Sandbox::new();
    for (kind, dtype) in [("few", "f64"), ("random", "i16")] {
        sandbox.run(&format!("gen array --n 9000 --kind {kind} --dtype {dtype} --out A.npy"));
        for options in ["--width 100 --align trailing --border fill --fill -3", "--width 5000 --max --stride 3"] {
            let run = format!("window --array A.npy {options} --out V.npy --positions P.npy");
            same_files(&sandbox, &run, &["blocks", ""], &["V.npy", "P.npy"]);
        }
    }
    sandbox.put_npy("A.npy", &[30, 40], &(0..1200).map(|i| i * i % 97).collect::<Vec<i32>>());
    same_files(&sandbox, "window --array A.npy --width 5,7 --out V.npy --positions P.npy", &[""], &["V.npy", "P.npy"]);
    sandbox.put_npy("S.npy", &[3], &[0i64, 7, 1000]);
    sandbox.put_npy("E.npy", &[3], &[7i64, 7, 1200]);
    sandbox.put_npy("A.npy", &[1200], &(0..1200).map(|i| i * i % 97).collect::<Vec<i32>>());
    let run = "window --array A.npy --starts S.npy --ends E.npy --fill 9 --out V.npy --positions P.npy";
    same_files(&sandbox, run, &[""], &["V.npy", "P.npy"]);
}

/// Runs a command on the CPU and then on the GPU, with every engine, and compares the files.
fn same_files(sandbox: &Sandbox, run: &str, engines: &[&str], files: &[&str]) {
    let device = testing::name().expect("asked for before");
    let bytes = || files.iter().map(|file| sandbox.bytes(file)).collect::<Vec<_>>();
    sandbox.run(&format!("{run} --device cpu"));
    let expected = bytes();
    for engine in engines {
        let engine = if engine.is_empty() { String::new() } else { format!("--engine {engine}") };
        // Of a matching the whole proof is checked anyway.
        let verify = if run.starts_with("matching") { "" } else { "--verify 500" };
        sandbox.run(&format!("{run} --device {device} {engine} {verify}"));
        assert!(bytes() == expected, "{run} {engine}");
    }
}

/// Of connected graphs. Others have a matching of their own on a GPU, and the labels of the CPU.
#[test]
fn matchings_are_those_of_the_cpu() {
    let Some(device) = testing::name() else { return };
    let sandbox = Sandbox::new();
    for kind in ["grid", "nested"] {
        sandbox.run(&format!("gen graph --n 150 --kind {kind} --shuffle --out E.npy"));
        let run = "matching --edges E.npy --engine tutte --out M.npy --certificate U.npy";
        same_files(&sandbox, run, &[""], &["M.npy", "U.npy"]);
    }
    sandbox.run("gen graph --n 300 --edges 300 --out E.npy");
    let run = "matching --edges E.npy --nodes 300 --certificate";
    sandbox.run(&format!("{run} cpu.npy"));
    // The engine that GPUs have is theirs unless another one is named.
    let report = sandbox.run(&format!("{run} gpu.npy --device {device} --json")).stdout;
    let report: Value = serde_json::from_slice(&report).expect("one JSON object");
    assert_eq!(report["engine"], "tutte");
    assert_ne!(report["device"], "cpu");
    assert!(sandbox.bytes("cpu.npy") == sandbox.bytes("gpu.npy"));
    sandbox.fail_saying(&format!("{run} x.npy --device {device} --engine forest"), &["'forest'", "GPUs have tutte"]);
}

#[test]
fn ranks_are_those_of_the_cpu() {
    if testing::name().is_none() {
        return;
    }
    let sandbox = Sandbox::new();
    let weights: Vec<i64> = (0..5000).map(|i| (i % 17 - 8) << 33).collect();
    sandbox.put_npy("W.npy", &[5000], &weights);
    let engines = ["helman_jaja", "pointer-jumping", "independent-set"];
    for kind in ["random", "short"] {
        sandbox.run(&format!("gen list --n 5000 --kind {kind} --out N.npy"));
        for options in ["", "--weights W.npy", "--direction from-head"] {
            same_files(&sandbox, &format!("rank --next N.npy {options} --out D.npy"), &engines, &["D.npy"]);
        }
    }
}

#[test]
fn trees_are_those_of_the_cpu() {
    let Some(device) = testing::name() else { return };
    let sandbox = Sandbox::new();
    sandbox.run("gen array --n 3000 --kind few --dtype i16 --out A.npy");
    sandbox.run("gen queries --n 3000 --count 2000 --kind large --out Q.npy");
    for kind in ["many", "path"] {
        sandbox.run(&format!("gen forest --n 3000 --kind {kind} --shuffle --out P.npy"));
        let all = ["R.npy", "D.npy", "S.npy", "O.npy"];
        let run = "forest --parents P.npy --roots R.npy --depths D.npy --sizes S.npy --preorder O.npy";
        same_files(&sandbox, run, &["", "pointer-jumping", "euler-tour"], &all);
        same_files(&sandbox, "forest --parents P.npy --depths D.npy", &[""], &["D.npy"]);
        let run = "lca --parents P.npy --queries Q.npy --out L.npy";
        same_files(&sandbox, run, &["", "inlabel", "euler-rmq"], &["L.npy"]);
        for what in ["min", "argmin", "argmin --max", "sum", "size"] {
            let values = if what == "size" { "" } else { "--values A.npy" };
            let run = format!("subtree --parents P.npy {values} --what {what} --out V.npy");
            same_files(&sandbox, &run, &[""], &["V.npy"]);
        }
    }
    sandbox.put_npy("V.npy", &[3], &[5i64, 0, 2999]);
    same_files(&sandbox, "subtree --parents P.npy --values A.npy --nodes V.npy --out M.npy", &[""], &["M.npy"]);
    same_files(&sandbox, "cartesian --array A.npy --out C.npy", &[""], &["C.npy"]);
    same_files(&sandbox, "cartesian --array A.npy --out C.npy --max", &[""], &["C.npy"]);
    // What is no forest is named, with its file.
    sandbox.put_npy("P.npy", &[4], &[0i64, 3, 1, 2]);
    for command in ["forest", "lca --count 1", "subtree"] {
        sandbox.fail_saying(&format!("{command} --parents P.npy --device {device}"), &["P.npy", "node 1", "cycle"]);
    }
    sandbox.put_npy("N.npy", &[4], &[1i64, 2, 0, 3]);
    sandbox.fail_saying(&format!("rank --next N.npy --device {device}"), &["N.npy", "element 0", "cycle"]);
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
    let on = |what: &str| format!("{what} --device {device}");
    sandbox.fail_saying(&on("rmq --n 10 --count 1 --engine sparse-table"), &["sparse_table", "lines"]);
    sandbox.fail_saying(&on("ansv --n 10 --engine stack"), &["stack", "tiles"]);
    sandbox.fail_saying("ansv --n 10 --engine thesis --device cpu", &["thesis", "berkman"]);
    sandbox.put_npy("A.npy", &[4], &[1.0f32, 2.0, 3.0, 4.0]).put_npy("Q.npy", &[2, 2], &[0i64, 3, 1, 4]);
    sandbox.fail_saying(&on("rmq --array A.npy --queries Q.npy --out R.npy"), &["Q.npy", "1", "4"]);
}

#[test]
fn texts_are_those_of_the_cpu() {
    let Some(device) = testing::name() else { return };
    let sandbox = Sandbox::new();
    let pairs: Vec<i64> = (0..600).map(|i| (i * 7919) % 3001).collect();
    sandbox.put_npy("Q.npy", &[300, 2], &pairs);
    for kind in [TextKind::Mixed, TextKind::Fibonacci] {
        sandbox.put("text", kind.make(3001, 3));
        same_files(&sandbox, "sa text --out SA.npy --lcp LCP.npy --bwt BWT", &[""], &["SA.npy", "LCP.npy", "BWT"]);
        same_files(&sandbox, "sa text --out SA.npy", &[""], &["SA.npy"]);
        for source in ["any", "leftmost", "nearest"] {
            let run = |tail: &str| sandbox.run(&format!("lz77 text -o T.tlz --source {source} {tail}"));
            run("--device cpu");
            let expected = sandbox.bytes("T.tlz");
            run(&format!("--device {device}"));
            assert!(sandbox.bytes("T.tlz") == expected, "lz77 {source}");
        }
        let repeat = |device: &str| {
            let output = sandbox.run(&format!("lrs text --json --device {device}"));
            let report: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
            (report["length"].clone(), report["places"].clone())
        };
        assert_eq!(repeat(&device), repeat("cpu"));
        same_files(&sandbox, "lce text --queries Q.npy --out R.npy", &["", "lines", "inlabel", "naive"], &["R.npy"]);
        for pattern in ["ba", "abaab", "nowhere at all"] {
            let run = |tail: &str| {
                let mut command = sandbox.command("search");
                command.arg(pattern).arg("text").args(tail.split_whitespace());
                command.output().expect("it runs").stdout
            };
            let want = run("--device cpu");
            for engine in ["blocks", "duel"] {
                assert!(run(&format!("--device {device} --engine {engine}")) == want, "{pattern} {engine}");
                let count = String::from_utf8(run(&format!("--device {device} --engine {engine} --count")));
                let lines = want.iter().filter(|&&byte| byte == b'\n').count();
                assert_eq!(count.expect("a number").trim(), lines.to_string(), "{pattern} {engine}");
            }
        }
    }
    let on = |what: &str| format!("{what} --device {device}");
    sandbox.put_npy("bad.npy", &[2, 2], &[0i64, 3000, 1, 1 << 40]);
    sandbox.fail_saying(&on("lce text --queries bad.npy --out R.npy"), &["bad.npy", "row 1", "1099511627776"]);
    sandbox.fail_saying(&on("search a text --engine kmp"), &["kmp", "duel"]);
}

#[test]
fn sudokus_are_those_of_the_cpu() {
    let Some(device) = testing::name() else { return };
    let sandbox = Sandbox::new();
    sandbox.run("gen sudoku --n 90 --kind mixed --out P.npy");
    for options in ["", "--limit 1", "--limit 30"] {
        let run = format!("sudoku P.npy --out S.npy --counts C.npy {options}");
        same_files(&sandbox, &run, &["", "bands"], &["S.npy", "C.npy"]);
    }
    same_files(&sandbox, "sudoku P.npy --counts C.npy", &[""], &["C.npy"]);
    let report = sandbox.run(&format!("sudoku P.npy --json --device {device}"));
    let report: Value = serde_json::from_slice(&report.stdout).expect("one JSON object");
    assert_eq!(report["engine"], "bands");
    assert_ne!(report["device"], "cpu");
    sandbox.fail_saying(&format!("sudoku P.npy --engine exact-cover --device {device}"), &["exact_cover", "bands"]);
    let mut puzzles = thalweg_data::SudokuKind::Full.make(5, 1);
    puzzles[3][80] = 77;
    sandbox.put_npy("bad.npy", &[5, 81], puzzles.as_flattened());
    let command = format!("sudoku bad.npy --out S2.npy --device {device}");
    sandbox.fail_saying(&command, &["bad.npy", "row 3", "cell 80 is 77"]);
}

/// The bytes may differ: either device rounds in its own way. The command itself compares with plain sums.
#[test]
fn transforms_agree_with_those_of_the_cpu() {
    let Some(device) = testing::name() else { return };
    let sandbox = Sandbox::new();
    for (shape, options) in
        [("4096", ""), ("1000", ""), ("60,64", ""), ("60,64", "--axes 0"), ("7,11,13", "--axes 2,0")]
    {
        sandbox.run(&format!("gen signal --shape {shape} --out A.npy"));
        for command in ["fft", "ifft --norm ortho"] {
            sandbox.run(&format!("{command} --array A.npy {options} --out cpu.npy --device cpu"));
            let run = format!("{command} --array A.npy {options} --out gpu.npy --device {device} --verify 300 --json");
            let report: Value = serde_json::from_slice(&sandbox.run(&run).stdout).expect("one JSON object");
            assert_ne!(report["device"], "cpu");
            let [cpu, gpu] = ["cpu.npy", "gpu.npy"].map(|name| sandbox.npy::<npyz::num_complex::Complex<f32>>(name));
            assert_eq!(cpu.0, gpu.0);
            let norm = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>().sqrt();
            let error = norm(&mut cpu.1.iter().zip(&gpu.1).map(|(x, y)| f64::from((x - y).norm_sqr())));
            let share = error / norm(&mut cpu.1.iter().map(|x| f64::from(x.norm_sqr())));
            assert!(share < 1e-6, "{shape} {options} {command}: {share}");
        }
    }
    sandbox.run("gen signal --shape 64 --dtype c128 --out A.npy");
    sandbox.fail_saying(&format!("fft --array A.npy --out B.npy --device {device}"), &["f64"]);
}

#[test]
fn convolutions_of_integers_are_those_of_the_cpu() {
    let Some(_) = testing::name() else { return };
    let sandbox = Sandbox::new();
    sandbox.run("gen array --n 5000 --dtype i16 --out A.npy");
    sandbox.run("gen array --n 300 --dtype i16 --seed 8 --out K.npy");
    for options in ["", "--boundary wrap --correlate", "--extent full"] {
        let run = format!("convolve --array A.npy --kernel K.npy --out C.npy {options}");
        same_files(&sandbox, &run, &["ntt"], &["C.npy"]);
    }
}

/// A GPU is opened while files are read, and with `--verbose` its phases are told; a name that nobody has is an error as before.
#[test]
fn phases_of_the_device_are_told() {
    let Some(device) = testing::name() else { return };
    let sandbox = Sandbox::new();
    sandbox.run("gen list --n 1000 --out L.npy");
    let output = sandbox.run(&format!("rank --next L.npy --out R.npy --verbose --device {device}"));
    let told = String::from_utf8(output.stderr).expect("text");
    let line = told.lines().find(|line| line.starts_with("time of the GPU: ")).unwrap_or_else(|| panic!("{told}"));
    for phase in ["opening ", "compiling ", "up ", "kernels ", "down "] {
        assert!(line.contains(phase), "{phase}: {line}");
    }
    // Whoever fails first, nothing is left hanging.
    sandbox.fail_saying("rank --next L.npy --out R.npy --device nobody-has-this", &["--device"]);
    sandbox.fail_saying(&format!("rank --next missing.npy --device {device}"), &["missing.npy"]);
    sandbox.fail_saying("rank --next missing.npy --device nobody-has-this", &["missing.npy"]);
}

/// What was compiled is kept although the GPU is closed before the command ends.
#[test]
fn kernels_are_kept_when_the_device_is_let_go() {
    let Some(device) = testing::name() else { return };
    let sandbox = Sandbox::new();
    sandbox.run("gen list --n 1000 --out L.npy");
    let run = format!("rank --next L.npy --out R.npy --device {device}");
    sandbox.command(&run).env("THALWEG_CACHE", sandbox.path("kept")).assert().success();
    if cfg!(target_os = "linux") {
        let kept: Vec<_> = std::fs::read_dir(sandbox.path("kept")).expect("a folder").collect();
        assert_eq!(kept.len(), 1, "{kept:?}");
    }
}

/// What `info` says of devices is what they do: the engines that it lists work there, and the others are refused.
#[test]
fn info_tells_the_engines_of_every_device() {
    let sandbox = Sandbox::new();
    sandbox.put("x.txt", "abracadabra");
    sandbox.put_npy("I.npy", &[4], &[1i32, 2, 3, 4]);
    let info: Value = serde_json::from_slice(&sandbox.run("info --json").stdout).expect("JSON");
    let Some(device) = testing::name() else { return };
    for entry in info["engines"].as_array().expect("a list") {
        let problem = entry["problem"].as_str().expect("a name");
        // Of transforms nobody can choose: each device has its own.
        if problem == "transform" {
            for (key, device) in [("cpu", "cpu"), ("gpu", &device[..])] {
                let run = sandbox.run(&format!("fft --shape 64 --json --device {device}"));
                let report: Value = serde_json::from_slice(&run.stdout).expect("JSON");
                assert_eq!(entry[key], serde_json::json!([report["engine"]]), "{device}");
            }
            continue;
        }
        let command = match problem {
            "rmq" => "rmq --n 100 --count 10",
            "ansv" => "ansv --n 100",
            "lz77" => "lz77 x.txt",
            "search" => "search abra x.txt",
            "list" => "rank --n 100",
            "forest" => "forest --n 100",
            "lca" => "lca --n 100 --count 10",
            "path" => "path --rows 9 --cols 9 --count 3",
            "matching" => "matching --nodes 20",
            "hull" => "hull --n 100 --dtype i32",
            "convolution" => "convolve --shape 100",
            "exact" => "convolve --array I.npy --kernel I.npy",
            "blur" => "blur --sigma 1 --no-verify",
            "sudoku" => "sudoku",
            // Of envelopes `raster` is for grids, the others are not; `sort` is no command.
            _ => continue,
        };
        let names = |key: &str| -> Vec<&str> {
            entry[key].as_array().expect("names").iter().filter_map(Value::as_str).collect()
        };
        for engine in names("names") {
            for (key, device) in [("cpu", "cpu"), ("gpu", &device[..])] {
                let arguments = format!("{command} --engine {engine} --device {device}");
                let output = sandbox.command(&arguments).output().expect("the command runs");
                let code = if names(key).contains(&engine) { 0 } else { 2 };
                assert_eq!(output.status.code(), Some(code), "{arguments}: {output:?}");
            }
        }
    }
}
