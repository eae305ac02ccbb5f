//! `thalweg info` and `thalweg completions`.

use serde_json::Value;
use thalweg::primitives::sort;
use thalweg::{ansv, list, rmq, tree};

use crate::sandbox::Sandbox;

#[test]
fn info_lists_every_engine_and_marks_the_default() {
    let sandbox = Sandbox::new();
    let text = String::from_utf8(sandbox.run("info").stdout).unwrap();
    assert!(text.contains(env!("CARGO_PKG_VERSION")) && text.contains("threads") && text.contains("cpu"), "{text}");
    let info: Value = serde_json::from_slice(&sandbox.run("info --json").stdout).expect("one JSON object");
    assert!(info["devices"][0]["cores"].as_u64() >= Some(1));
    let problems = info["engines"].as_array().unwrap();
    // On the CPU each problem has a default, and on a GPU if that has an engine.
    let on_gpu = problems.iter().filter(|entry| entry["gpu"] != serde_json::json!([])).count();
    assert_eq!(text.matches("(default)").count(), problems.len() + on_gpu, "{text}");
    assert!(text.contains("thesis (needs a GPU)"), "{text}");
    let lists = |problem: &str, engines: Vec<&str>| {
        let found = problems.iter().find(|entry| entry["problem"] == problem).unwrap_or_else(|| panic!("{problem}"));
        let names: Vec<&str> = found["names"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert_eq!(names, engines, "{problem}");
    };
    lists("rmq", rmq::Engine::ALL.iter().map(|e| e.name()).collect());
    lists("ansv", ansv::Engine::ALL.iter().map(|e| e.name()).collect());
    lists("sort", sort::Engine::ALL.iter().map(|e| e.name()).collect());
    lists("list", list::Engine::ALL.iter().map(|e| e.name()).collect());
    lists("forest", tree::Engine::ALL.iter().map(|e| e.name()).collect());
    lists("lca", tree::lca::Engine::ALL.iter().map(|e| e.name()).collect());
}

#[test]
fn completions_for_every_shell() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = String::from_utf8(sandbox.run(&format!("completions {shell}")).stdout).unwrap();
        assert!(script.contains("thalweg") && script.contains("--queries") || script.contains("queries"), "{shell}");
        assert!(script.contains("bench"), "{shell}");
    }
}

#[test]
fn usage_errors_exit_with_2() {
    let sandbox = Sandbox::new();
    for arguments in [
        "",
        "nonsense",
        "rmq --engine nonsense",
        "rmq --threads 0",
        "rmq --threads 1e9",
        "rmq --threads -1",
        "rmq --what nonsense",
        "rmq --n 1.5",
        "rmq --n 2^64",
        "rmq --dtype f16",
        "rmq --array A.npy --n 7",
        "rmq --verify 3 --no-verify",
        "ansv --relation greater --max",
        "ansv --relation nonsense",
        "gen array",
        "gen array --out A.npy --kind nonsense",
        "completions nonsense",
    ] {
        let output = sandbox.command(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{arguments}");
    }
    assert!(sandbox.files().is_empty());
    sandbox.run("--version");
    sandbox.run("rmq --help");
}
