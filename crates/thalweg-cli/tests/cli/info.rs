//! `thalweg info` and `thalweg completions`.

use serde_json::Value;
use thalweg::primitives::sort;
use thalweg::{ansv, rmq};

use crate::sandbox::Sandbox;

#[test]
fn info_lists_every_engine_and_marks_the_default() {
    let sandbox = Sandbox::new();
    let text = String::from_utf8(sandbox.run("info").stdout).unwrap();
    assert!(text.contains(env!("CARGO_PKG_VERSION")) && text.contains("threads") && text.contains("cpu"), "{text}");
    assert_eq!(text.matches("(default)").count(), 3, "{text}");
    let info: Value = serde_json::from_slice(&sandbox.run("info --json").stdout).expect("one JSON object");
    assert!(info["devices"][0]["cores"].as_u64() >= Some(1));
    let names = |list: &Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&info["engines"][0]["names"]), rmq::Engine::ALL.iter().map(|e| e.name()).collect::<Vec<_>>());
    assert_eq!(names(&info["engines"][1]["names"]), ansv::Engine::ALL.iter().map(|e| e.name()).collect::<Vec<_>>());
    assert_eq!(names(&info["engines"][2]["names"]), sort::Engine::ALL.iter().map(|e| e.name()).collect::<Vec<_>>());
}

#[test]
fn completions_for_every_shell() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = String::from_utf8(sandbox.run(&format!("completions {shell}")).stdout).unwrap();
        assert!(script.contains("thalweg") && script.contains("--queries") || script.contains("queries"), "{shell}");
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
