//! `thalweg bench` starts `thalweg-bench`, or says how to come by it.
//!
//! The command runs as a copy in a folder of its own, with a PATH of our choice: beside the one that was built the program
//! may lie or not. The program is a script here.

use std::path::Path;
use std::process::{Command, Output};

use crate::sandbox::Sandbox;

/// Runs the copy.
fn run(sandbox: &Sandbox, arguments: &[&str]) -> Output {
    let command = sandbox.path(&format!("here/thalweg{}", std::env::consts::EXE_SUFFIX));
    Command::new(command).args(arguments).env("PATH", sandbox.path("path")).output().expect("the copy runs")
}

/// Folders for the copy and for PATH.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    for folder in ["here", "path"] {
        std::fs::create_dir(sandbox.path(folder)).expect("the sandbox is writable");
    }
    let copy = sandbox.path(&format!("here/thalweg{}", std::env::consts::EXE_SUFFIX));
    copy_program(Path::new(env!("CARGO_BIN_EXE_thalweg")), &copy);
    sandbox
}

/// Copies a program, in a process of its own: a file that this process holds open for writing, and with it every process
/// that another test starts at that moment, cannot be run.
#[cfg(unix)]
fn copy_program(from: &Path, to: &Path) {
    use std::os::unix::fs::PermissionsExt;
    assert!(Command::new("cp").args([from, to]).status().expect("cp runs").success());
    std::fs::set_permissions(to, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
}

#[cfg(not(unix))]
fn copy_program(from: &Path, to: &Path) {
    std::fs::copy(from, to).expect("the sandbox is writable");
}

#[test]
fn without_the_program_a_line_says_how_to_install_it() {
    let sandbox = sandbox();
    // What cannot be started is not the program.
    std::fs::create_dir(sandbox.path("path/thalweg-bench")).expect("the sandbox is writable");
    #[cfg(unix)]
    sandbox.put("here/thalweg-bench", "");
    for arguments in [&["bench"][..], &["bench", "rmq", "--n", "2^20"], &["bench", "--peers"]] {
        let output = run(&sandbox, arguments);
        let line = String::from_utf8(output.stderr).expect("text");
        assert_eq!((output.status.code(), line.lines().count()), (Some(2), 1), "{line}");
        assert!(line.starts_with("thalweg: thalweg-bench") && output.stdout.is_empty(), "{line}");
        assert!(line.contains("cargo install thalweg-bench") && line.contains("-p thalweg-bench --"), "{line}");
    }
    for arguments in [&["bench", "--help"][..], &["bench", "-h"], &["bench", "rmq", "--help"], &["help", "bench"]] {
        let output = run(&sandbox, arguments);
        let help = String::from_utf8(output.stdout).expect("text");
        assert!(output.status.success() && output.stderr.is_empty(), "{help}");
        assert!(help.contains("cargo install thalweg-bench") && help.contains("Usage: thalweg bench"), "{help}");
    }
}

/// A program that shows its name and its arguments, and ends with code 7.
#[cfg(unix)]
fn put_program(sandbox: &Sandbox, folder: &str) {
    sandbox.put("script", format!("#!/bin/sh\nprintf '{folder}'\nprintf '[%s]' \"$@\"\necho said >&2\nexit 7\n"));
    copy_program(&sandbox.path("script"), &sandbox.path(&format!("{folder}/thalweg-bench")));
}

#[cfg(unix)]
fn is_started(sandbox: &Sandbox, folder: &str) {
    for (arguments, shown) in [
        (&["bench", "rmq", "--n", "2^20, 2^22", "--", "--peers", "*"][..], "[rmq][--n][2^20, 2^22][--][--peers][*]"),
        (&["bench", "--help"], "[--help]"),
        (&["bench", "-h"], "[-h]"),
        (&["bench", "--version", "-x", "rmq"], "[--version][-x][rmq]"),
        (&["bench", "help", "rmq"], "[help][rmq]"),
    ] {
        let output = run(sandbox, arguments);
        assert_eq!(output.status.code(), Some(7), "{arguments:?}");
        assert_eq!(String::from_utf8(output.stdout).expect("text"), format!("{folder}{shown}"), "{arguments:?}");
        assert_eq!(output.stderr, b"said\n");
    }
}

#[test]
#[cfg(unix)]
fn the_program_on_the_path_is_started() {
    let sandbox = sandbox();
    put_program(&sandbox, "path");
    is_started(&sandbox, "path");
}

#[test]
#[cfg(unix)]
fn the_program_beside_the_command_comes_first() {
    let sandbox = sandbox();
    put_program(&sandbox, "path");
    put_program(&sandbox, "here");
    is_started(&sandbox, "here");
}
