//! The command under hostile hands: whatever is done to it and to its files, it ends with an answer or with one line, leaves no
//! temporary file, and loses nobody's data.
//!
//! Against every command there is: which there are says the parser ([`tree`]), and how they are started is found out
//! ([`discovery`]). A new command is in here by being registered.
//!
//! Short by itself; `THALWEG_HOSTILE=N` makes N rounds with other damage each, for as long as you like.
#![cfg(target_os = "linux")]

mod damage;
mod discovery;
#[path = "../shared/limit.rs"]
mod limit;
mod pool;
mod runs;
mod tree;

use std::fs::{self, OpenOptions};
use std::io::Read;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use damage::Random;
use discovery::CASES;
use limit::{is_root, least_memory, limit, without_privileges};
use runs::{Case, Folder, answered, close, ended_by, judge};

/// Rounds of damage.
fn rounds() -> u64 {
    let wish = std::env::var("THALWEG_HOSTILE").unwrap_or_default();
    if wish.is_empty() { 1 } else { wish.parse().expect("THALWEG_HOSTILE is a number of rounds") }
}

/// Calls `each` for every case, on a few threads, with a number that is another for every case and in every round.
fn for_each_case(each: impl Fn(&Case, u64) + Sync) {
    let numbers = 0..rounds() * CASES.len() as u64;
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(number) = numbers.clone().nth(next.fetch_add(1, Ordering::Relaxed)) {
                    let (round, index) = (number / CASES.len() as u64, number as usize % CASES.len());
                    // So that who takes turns by the number does another thing in the next round.
                    each(&CASES[index], number + round);
                }
            });
        }
    });
}

fn output_of(mut command: Command) -> Output {
    command.output().expect("the command runs")
}

#[test]
fn every_command_is_tried() {
    let names: Vec<String> = tree::registered().iter().map(|command| command.command.join(" ")).collect();
    assert!(names.len() > 30, "{names:?}");
    for name in names {
        assert!(CASES.iter().any(|case| case.words.join(" ").starts_with(&name)), "{name}");
    }
    for case in CASES.iter() {
        let folder = Folder::of(case);
        let output = folder.run();
        judge("nothing was done", &case.line(), &output);
        assert!(output.status.success(), "{}: {output:?}", case.line());
        folder.check("nothing was done", true);
    }
}

/// Headers, bodies and lengths of every file that is read.
#[test]
fn damaged_files() {
    let (done, refused) = (AtomicUsize::new(0), AtomicUsize::new(0));
    for_each_case(|case, number| {
        for (name, bytes) in &case.inputs {
            for variant in 0..damage::VARIANTS {
                let mut random = Random::new(number << 8 | variant);
                let folder = Folder::of(case);
                folder.put_old();
                let (what, damaged) = damage::damage(variant, bytes, &mut random);
                folder.put(name, &damaged);
                let output = folder.run();
                let what = format!("{name}: {what}, number {number}");
                judge(&what, &case.line(), &output);
                folder.check(&what, answered(&output));
                let ended = if output.status.success() { &done } else { &refused };
                ended.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    let (done, refused) = (done.into_inner(), refused.into_inner());
    assert!(refused > done / 2, "the damage is damage: {refused} refused, {done} done");
}

/// `/dev/full`, for every result and for standard output.
#[test]
fn full_devices() {
    for_each_case(|case, _| {
        let full = || OpenOptions::new().write(true).open("/dev/full").expect("there is one");
        for result in &case.outputs {
            let folder = Folder::of(case);
            let words = case.with_name(result, "/dev/full");
            let output = output_of(folder.command(&words));
            judge("/dev/full", &words.join(" "), &output);
            // Some tell by the name in what format they write.
            assert_eq!(output.status.code(), Some(2), "/dev/full: {}", words.join(" "));
            folder.check("/dev/full", false);
        }
        let folder = Folder::of(case);
        folder.put_old();
        let mut command = folder.command(&case.words);
        command.stdout(full());
        let output = output_of(command);
        judge("standard output is full", &case.line(), &output);
        folder.check("standard output is full", true);
    });
}

/// A disk without room for a byte more.
#[test]
fn full_disks() {
    if !is_root() {
        eprintln!("not root: no small disk is mounted; /dev/full stands for it");
        return;
    }
    for_each_case(|case, _| {
        if case.outputs.is_empty() {
            return;
        }
        let folder = Folder::of(case);
        let disk = folder.path().join("disk");
        fs::create_dir(&disk).expect("a folder");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=64k", "none"]).arg(&disk).output();
        if !mounted.is_ok_and(|output| output.status.success()) {
            eprintln!("mount is refused: no small disk; /dev/full stands for it");
            fs::remove_dir(&disk).expect("it is empty");
            return;
        }
        let _ = fs::write(disk.join("filler"), vec![0; 1 << 20]);
        let words: Vec<String> = case
            .words
            .iter()
            .map(|word| if case.outputs.contains(word) { format!("disk/{word}") } else { word.clone() })
            .collect();
        let output = output_of(folder.command(&words));
        let left: Vec<_> =
            fs::read_dir(&disk).expect("a folder").map(|entry| entry.expect("an entry").file_name()).collect();
        assert!(Command::new("umount").arg("-l").arg(&disk).status().is_ok_and(|status| status.success()));
        fs::remove_dir(&disk).expect("it is empty");
        judge("full disk", &words.join(" "), &output);
        assert_eq!(output.status.code(), Some(2), "full disk: {}", words.join(" "));
        assert_eq!(left, ["filler"], "full disk: {}", words.join(" "));
        folder.check("full disk", false);
    });
}

/// Memory, threads, open files and sizes of files.
#[test]
fn limits() {
    let first_mib = least_memory();
    for_each_case(|case, number| {
        let mut random = Random::new(number);
        let memory = (libc::RLIMIT_AS, (first_mib + random.below(400)) << 20);
        let others = [
            (libc::RLIMIT_NPROC, 1),
            (libc::RLIMIT_NOFILE, 3 + random.below(6)),
            (libc::RLIMIT_FSIZE, random.below(4096)),
            (libc::RLIMIT_STACK, (2 << 20) << random.below(4)),
        ];
        for (resource, value) in [memory, others[number as usize % others.len()]] {
            let folder = Folder::of(case);
            let mut command = folder.command(&case.words);
            limit(&mut command, resource, value);
            if resource == libc::RLIMIT_NPROC {
                without_privileges(&mut command);
            } else {
                folder.put_old();
            }
            let output = output_of(command);
            let what = format!("limit {resource} of {value}, number {number}");
            // The loader could not start it.
            if output.status.code() == Some(127) {
                continue;
            }
            judge(&what, &case.line(), &output);
            folder.check(&what, answered(&output));
        }
    });
}

/// Signals at any moment.
#[test]
fn signals() {
    for_each_case(|case, number| {
        let signals = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT];
        let mut random = Random::new(number);
        let signal = signals[random.below(4) as usize];
        let folder = Folder::of(case);
        folder.put_old();
        let mut command = folder.command(&case.words);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command runs");
        thread::sleep(Duration::from_micros(random.below(20_000)));
        send(child.id(), signal);
        let output = child.wait_with_output().expect("it ends");
        if !ended_by(&output, signal) {
            judge("signal", &case.line(), &output);
        }
        folder.check("signal", true);
        for name in &case.outputs {
            let found = fs::read(folder.path().join(name)).expect("it was there");
            assert!(found == runs::OLD || found == result(case, name), "signal: {}: {name} is half", case.line());
        }
    });
}

/// What a run that nobody disturbs writes.
fn result(case: &Case, name: &str) -> Vec<u8> {
    let folder = Folder::of(case);
    folder.run();
    fs::read(folder.path().join(name)).expect("a result")
}

#[allow(unsafe_code)]
fn send(process: u32, signal: i32) {
    // SAFETY: a child of ours that nobody has waited for.
    unsafe { libc::kill(process as i32, signal) };
}

/// Several that write the same results at the same time.
#[test]
fn many_writers() {
    for_each_case(|case, _| {
        if case.outputs.is_empty() {
            return;
        }
        let folder = Folder::of(case);
        folder.put_old();
        let start = || {
            let mut command = folder.command(&case.words);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command runs")
        };
        let children: Vec<_> = (0..3).map(|_| start()).collect();
        for child in children {
            let output = child.wait_with_output().expect("it ends");
            judge("many writers", &case.line(), &output);
            assert!(output.status.success(), "many writers: {}: {output:?}", case.line());
        }
        folder.check("many writers", true);
        for name in &case.outputs {
            let found = fs::read(folder.path().join(name)).expect("a result");
            assert!(found == result(case, name), "many writers: {}: {name}", case.line());
        }
    });
}

/// Standard streams that are closed, or whose reader has gone.
#[test]
fn closed_streams() {
    for_each_case(|case, number| {
        let stream = (number % 3) as i32;
        let folder = Folder::of(case);
        let mut command = folder.command(&case.words);
        close(&mut command, stream);
        let output = output_of(command);
        judge("closed stream", &case.line(), &output);
        folder.check("closed stream", true);
        let folder = Folder::of(case);
        let mut command = folder.command(&case.words);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command runs");
        drop(child.stdout.take());
        let mut stderr = String::new();
        child.stderr.take().expect("piped").read_to_string(&mut stderr).expect("text");
        let status = child.wait().expect("it ends");
        assert!(matches!(status.code(), Some(0 | 2)) && !stderr.contains("panicked"), "{}: {stderr}", case.line());
        folder.check("gone reader", true);
    });
}
