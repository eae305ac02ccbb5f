//! A benchmark that is stopped leaves nothing behind.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::Duration;

#[test]
fn an_interrupted_benchmark_removes_its_temporary_file() {
    let folder = tempfile::tempdir().unwrap();
    let files = || std::fs::read_dir(folder.path()).unwrap().count();
    // The file is opened before the benchmark runs, which takes much longer than this test.
    let mut child = Command::new(env!("CARGO_BIN_EXE_thalweg-bench"))
        .args(["ansv", "--n", "2^24", "--repeat", "100", "--json"])
        .arg(folder.path().join("result.json"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while files() == 0 {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it was interrupted");
        std::thread::sleep(Duration::from_millis(5));
    }
    // The file's name is noted right after the file has been made.
    std::thread::sleep(Duration::from_millis(50));
    // SIGTERM takes the same way as Ctrl-C's SIGINT, which shells tell their background jobs, and so this one, to ignore.
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    let status = child.wait().unwrap();
    // 15 is SIGTERM everywhere: the shell must see that the command was stopped.
    assert_eq!(status.signal(), Some(15));
    assert_eq!(files(), 0);
}
