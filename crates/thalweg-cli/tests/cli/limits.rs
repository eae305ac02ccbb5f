//! Under limits of the system: one line and exit code 2, or a right answer on fewer threads; never an abort, never litter.

use std::process::{Command, Output};

use crate::limit::{is_root, least_memory, limit, without_privileges};
use crate::sandbox::Sandbox;

/// The command under limits, as somebody without privileges: root has none of these limits.
pub fn limited(sandbox: &Sandbox, arguments: &str, limits: &[(libc::__rlimit_resource_t, u64)]) -> Output {
    use std::os::unix::fs::PermissionsExt;
    let folder = sandbox.path("");
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o777)).expect("it is ours");
    let mut command = Command::new(env!("CARGO_BIN_EXE_thalweg"));
    command.current_dir(&folder).args(arguments.split_whitespace()).env("GOMP_SPINCOUNT", "1000");
    for &(resource, value) in limits {
        limit(&mut command, resource, value);
    }
    without_privileges(&mut command);
    command.output().expect("the command runs")
}

/// Checks that it ended as failures do; returns the line.
fn refused(arguments: &str, output: &Output) -> String {
    let line = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{arguments}: {output:?}");
    assert!(line.starts_with("thalweg: ") && line.lines().count() == 1, "{arguments}: {line}");
    line
}

/// Not one thread more than the first.
const ALONE: (libc::__rlimit_resource_t, u64) = (libc::RLIMIT_NPROC, 1);

const SORTING: [&str; 4] = ["sa x --out r.npy", "lz77 x -o r.tlz", "lce x --count 100 --out r.npy", "lrs x"];

#[test]
fn threads_that_the_system_refuses() {
    let sandbox = Sandbox::new();
    sandbox.put("x", "abracadabra".repeat(20_000));
    for command in SORTING.iter().chain(&["rmq --n 1e5 --count 1000 --out r.npy", "gen list --n 1e5 --out r.npy"]) {
        // As many as are allowed.
        let output = limited(&sandbox, command, &[ALONE]);
        assert_eq!(output.status.code(), Some(0), "{command}: {output:?}");
        let _ = std::fs::remove_file(sandbox.path("r.npy"));
        let _ = std::fs::remove_file(sandbox.path("r.tlz"));
        let command = format!("{command} --threads 4");
        let line = refused(&command, &limited(&sandbox, &command, &[ALONE]));
        assert!(line.contains("cannot start 4 threads: the system allows 1 here"), "{line}");
        assert_eq!(sandbox.files(), ["x"], "{command}");
    }
    if is_root() {
        // Enough for our threads, but not for OpenMP's as well.
        let line = refused("sa", &limited(&sandbox, "sa x --out r.npy --threads 4", &[(libc::RLIMIT_NPROC, 6)]));
        assert!(line.contains("cannot start 4 threads: the system allows 3 here"), "{line}");
        let output = limited(&sandbox, "sa x --out r.npy --threads 3", &[(libc::RLIMIT_NPROC, 6)]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
}

/// From hardly enough to start, to enough.
#[test]
fn memory_that_the_system_refuses() {
    let sandbox = Sandbox::new();
    sandbox.put("x", "abracadabra".repeat(200_000));
    let commands = [
        "forest --n 1e6 --sizes r.npy",
        "forest --n 1e6 --engine euler-tour --depths r.npy",
        "subtree --n 1e6 --what sum --out r.npy",
        "cartesian --n 1e6 --parents r.npy",
        "gen list --n 1e6 --out r.npy",
        "gen forest --n 1e6 --shuffle --out r.npy",
        "rank --n 1e6 --out r.npy",
        "rmq --n 1e6 --count 1e4 --engine sparse-table --out r.npy",
        "lca --n 1e6 --count 1e4 --out r.npy",
        "hull --n 1e6 --out r.npy",
    ];
    let mut refusals = 0;
    let least = least_memory();
    for command in commands.iter().chain(&SORTING) {
        for mib in [least, least + 3, least + 6, 48, 64, 96, 128, 192, 1 << 14] {
            let output = limited(&sandbox, command, &[(libc::RLIMIT_AS, mib << 20)]);
            match output.status.code() {
                Some(0) => assert!(std::fs::remove_file(sandbox.path("r.npy")).is_ok() || !command.contains("r.npy")),
                // The loader's own words, before the program begins.
                Some(127) if mib < 64 => {}
                _ => {
                    let line = refused(command, &output);
                    assert!(line.contains("memory") || line.contains("threads"), "{command}, {mib} MiB: {line}");
                    refusals += 1;
                }
            }
            let _ = std::fs::remove_file(sandbox.path("r.tlz"));
            assert_eq!(sandbox.files(), ["x"], "{command}, {mib} MiB");
            assert!(mib < 1 << 14 || output.status.success(), "{command}: {output:?}");
        }
    }
    assert!(refusals > commands.len(), "the limits are limits");
}

/// What is predicted, and would be refused, is what is used: not less, and not much more.
#[test]
fn memory_is_predicted() {
    let sandbox = Sandbox::new();
    const N: u64 = 1 << 20;
    let run = |arguments: &str, n: u64| {
        let output = sandbox.run(&format!("{arguments} --n {n} --threads 2 --no-verify --verbose"));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let bytes = |told: &str, before: &str| {
        let line = told.lines().find(|line| line.starts_with("memory: ") && line.contains(before)).expect("it is told");
        let mut words = line.trim_start_matches("memory: at most ").trim_start_matches("memory: ").split([' ', ',']);
        let value: f64 = words.next().and_then(|word| word.parse().ok()).expect("a number");
        value
            * match words.next() {
                Some("KiB") => 1024.0,
                Some("MiB") => 1024.0 * 1024.0,
                unit => panic!("{unit:?}: {line}"),
            }
    };
    for command in [
        "rmq --count 10 --engine sparse-table",
        "rmq --count 10 --engine prefix-suffix-tree",
        "rmq --count 10 --engine inlabel",
        "forest",
        "forest --forest-kind star",
        "forest --forest-kind path --shuffle",
        "forest --engine pointer-jumping",
        "forest --depths /dev/null",
        "lca --count 10",
        "lca --count 10 --engine euler-rmq",
        "subtree --what sum",
        "cartesian",
        "rank",
        "rank --engine pointer-jumping",
        "rank --engine independent-set",
    ] {
        let (large, small) = (run(command, N), run(command, N / 16));
        // In sixteen times as many elements, without what the program takes anyway; they themselves have 4 bytes.
        let peak = |told: &str| bytes(told, "at the peak");
        let used = (peak(&large) - peak(&small)) * 16.0 / 15.0 - 4.0 * N as f64;
        let predicted = bytes(&large, "at most");
        assert!(used < 1.15 * predicted, "{command}: {used} used, {predicted} predicted");
        assert!(predicted < 2.0 * used, "{command}: {used} used, {predicted} predicted");
    }
}

/// An index that would not fit is refused before it is begun.
#[test]
fn memory_is_refused_up_front() {
    let sandbox = Sandbox::new();
    sandbox.run("gen array --n 2^22 --dtype u8 --out A.npy");
    let start = std::time::Instant::now();
    for command in [
        "rmq --count 10 --out r.npy --engine sparse-table",
        "rmq --count 10 --out r.npy --engine prefix-suffix-tree",
        "build -o r.thw --engine sparse-table",
    ] {
        let command = format!("{command} --array A.npy --threads 1");
        let line = refused(&command, &limited(&sandbox, &command, &[(libc::RLIMIT_AS, 256 << 20)]));
        assert!(line.contains("out of memory: 356.0 MiB for the index"), "{line}");
        assert_eq!(sandbox.files(), ["A.npy"]);
    }
    for (command, needed) in
        [("forest --n 1e7 --sizes r.npy", "457.8"), ("lca --n 1e7 --count 10 --out r.npy", "686.6")]
    {
        let line = refused(command, &limited(&sandbox, command, &[(libc::RLIMIT_AS, 450 << 20)]));
        assert!(line.contains(&format!("out of memory: {needed} MiB for random, parents first, seed 7")), "{line}");
    }
    assert!(start.elapsed().as_secs() < 20, "up front");
}

/// What fits is done, though a GPU would win by its costs: no driver takes the address space that the work needs.
#[test]
fn limited_address_space_is_not_for_drivers() {
    let sandbox = Sandbox::new();
    let command = "forest --n 1e7 --sizes r.npy --threads 2 --verbose";
    let output = limited(&sandbox, command, &[(libc::RLIMIT_AS, 640 << 20)]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(told.contains("device: cpu, which auto takes under ulimit -v\n"), "{told}");
}

/// A file that may not grow is an error of the file, not a signal's end.
#[test]
fn files_that_may_not_grow() {
    let sandbox = Sandbox::new();
    let line = refused("gen", &limited(&sandbox, "gen array --n 1e5 --out r.npy", &[(libc::RLIMIT_FSIZE, 4096)]));
    assert!(line.contains("r.npy: File too large"), "{line}");
    assert!(sandbox.files().is_empty(), "{:?}", sandbox.files());
}

/// Results that all threads write, on a disk in memory: the same bytes as elsewhere; and where the disk is full before they
/// are, or files may not grow so far, one line, and nothing is left.
#[test]
fn large_results_on_small_disks() {
    let sandbox = Sandbox::new();
    if !is_root() {
        return;
    }
    let disk = sandbox.path("disk");
    std::fs::create_dir(&disk).expect("a folder");
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=12m,mode=777", "none"]).arg(&disk).status();
    if !mounted.is_ok_and(|status| status.success()) {
        eprintln!("mount is refused: no small disk");
        return;
    }
    struct Mounted(std::path::PathBuf);
    impl Drop for Mounted {
        fn drop(&mut self) {
            let _ = Command::new("umount").arg("-l").arg(&self.0).status();
        }
    }
    let _mounted = Mounted(disk.clone());
    let left = || std::fs::read_dir(&disk).expect("a folder").count();
    for (command, ending) in
        [("rank --n 1e6 --out", "npy"), ("ansv --n 4e5 --out", "bin"), ("rank --n 1e6 --out", "npz")]
    {
        let _ = std::fs::remove_file(disk.join("filler"));
        sandbox.run(&format!("{command} r.{ending}"));
        sandbox.run(&format!("{command} disk/r.{ending}"));
        assert!(sandbox.bytes(&format!("r.{ending}")) == sandbox.bytes(&format!("disk/r.{ending}")), "{command}");
        std::fs::remove_file(disk.join(format!("r.{ending}"))).expect("it is there");
        let limit = [(libc::RLIMIT_FSIZE, 3 << 20)];
        let line = refused(command, &limited(&sandbox, &format!("{command} disk/r.{ending}"), &limit));
        assert!(line.contains("File too large") && left() == 0, "{line}");
        std::fs::write(disk.join("filler"), vec![1; 8 << 20]).expect("room");
        let line = refused(command, &limited(&sandbox, &format!("{command} disk/r.{ending}"), &[]));
        assert!(line.contains("No space left on device") && left() == 1, "{line}");
    }
}

/// Places are told as they are found: a list of them all would not fit.
#[test]
fn places_are_not_collected() {
    let sandbox = Sandbox::new();
    let mut text = vec![b'a'; 40 << 20];
    // Across the borders of the pieces that are searched at a time.
    for end in [16 << 20, 32 << 20] {
        text[end - 3..end + 2].copy_from_slice(b"xyzzy");
    }
    sandbox.put("x", text);
    let lines = |output: &Output| String::from_utf8_lossy(&output.stdout).into_owned();
    let limit = [(libc::RLIMIT_AS, 300 << 20)];
    let output = limited(&sandbox, "search xyzzy x --threads 1", &limit);
    assert_eq!(lines(&output), format!("{}\n{}\n", (16 << 20) - 3, (32 << 20) - 3), "{output:?}");
    let output = limited(&sandbox, "search --json xyzzy x --threads 1", &limit);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["places"], serde_json::json!([(16 << 20) - 3, (32 << 20) - 3]));
    assert_eq!(report["count"], 2);
    // As many as the text has bytes; the list of them takes 160 MB, and twice that while it is put together.
    let output = limited(&sandbox, "search a x --threads 1 --engine kmp", &limit);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.stdout.iter().filter(|&&byte| byte == b'\n').count(), (40 << 20) - 10);
}
