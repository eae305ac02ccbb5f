//! Pipes that close, devices that are full, links and permissions.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Stdio};

use crate::sandbox::Sandbox;

fn thalweg(arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_thalweg"));
    command.args(arguments.split_whitespace()).stdin(Stdio::null());
    command
}

#[test]
fn a_closed_pipe_is_no_reason_to_shout() {
    for arguments in
        ["gen array --n 2^20 --out -", "gen queries --count 2^18 --out -", "rmq --n 2^20 --count 9 --no-verify"]
    {
        let mut child = thalweg(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        assert!(output.stderr.is_empty(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn a_full_device_as_standard_output() {
    for arguments in ["gen array --n 100 --out -", "info", "rmq --n 100 --count 10", "completions bash"] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = thalweg(arguments).stdout(full).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), stderr.lines().count()), (Some(2), 1), "{arguments}: {stderr}");
        assert!(stderr.starts_with("thalweg: standard output: No space left"), "{arguments}: {stderr}");
    }
}

#[test]
fn a_closed_or_full_stderr_does_not_panic() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let status = thalweg("rmq --array missing.npy").stderr(full).status().unwrap();
    assert_eq!(status.code(), Some(2));
    let status = Command::new("sh")
        .args(["-c", "exec \"$0\" rmq --array missing.npy --verbose 2>&-", env!("CARGO_BIN_EXE_thalweg")])
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(2));
}

#[test]
fn a_named_pipe_is_read_and_written() {
    let sandbox = Sandbox::new();
    let made = Command::new("mkfifo").arg(sandbox.path("pipe.npy")).status();
    assert!(made.is_ok_and(|status| status.success()));
    let writer = thalweg("gen array --n 50 --kind sorted --out").arg(sandbox.path("pipe.npy")).spawn();
    sandbox.run("ansv --array pipe.npy --left L.npy");
    assert!(writer.unwrap().wait().unwrap().success());
    assert_eq!(sandbox.npy::<i64>("L.npy").1, (-1..49).collect::<Vec<_>>());
    assert_eq!(sandbox.files(), ["L.npy", "pipe.npy"]);
}

#[test]
fn links_and_permissions_of_an_output_are_kept() {
    let sandbox = Sandbox::new();
    sandbox.put("real.npy", "old");
    fs::set_permissions(sandbox.path("real.npy"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("real.npy", sandbox.path("link.npy")).unwrap();
    sandbox.run("gen array --n 5 --kind sorted --out link.npy");
    assert!(sandbox.path("link.npy").is_symlink());
    assert_eq!(sandbox.npy::<f32>("real.npy").1, [0.0, 1.0, 2.0, 3.0, 4.0]);
    assert_eq!(fs::metadata(sandbox.path("real.npy")).unwrap().permissions().mode() & 0o777, 0o640);
    // A new file gets what any program's would.
    sandbox.put("plain", "").run("gen array --n 5 --out new.npy");
    let mode = |name| fs::metadata(sandbox.path(name)).unwrap().permissions().mode();
    assert_eq!(mode("new.npy"), mode("plain"));
}
