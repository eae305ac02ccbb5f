//! What people type who have not read the manual, and what must not hurt them.

use crate::sandbox::Sandbox;

#[test]
fn names_in_capitals() {
    let sandbox = Sandbox::new();
    sandbox.put("x.txt", "abracadabra");
    for command in [
        "rmq --n 100 --count 10 --engine LINES",
        "rmq --n 100 --count 10 --engine Padded_Tree --kind RANDOM",
        "build --n 100 --engine Lines -o I.thw",
        "ansv --n 100 --engine TILES",
        "rank --n 100 --engine SEQUENTIAL --direction From_Head",
        "forest --n 100 --engine Euler-Tour",
        "lca --n 100 --count 10 --engine INLABEL",
        "lce x.txt --count 10 --engine LINES",
        "lz77 x.txt --engine LPF --source ANY",
        "search abra x.txt --engine Boyer_Moore",
    ] {
        sandbox.run(command);
    }
    sandbox.run("rmq --n 100 --count 10 --engine LINES --device CPU");
    sandbox.run("rmq --n 100 --count 10 --engine padded-TREE --device Auto");
}

#[test]
fn a_device_without_a_name() {
    let sandbox = Sandbox::new();
    for device in ["", " "] {
        let output = sandbox.command("rmq --n 100 --count 10 --device").arg(device).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{device:?}");
        assert!(String::from_utf8_lossy(&output.stderr).starts_with("thalweg: --device: "), "{output:?}");
    }
    // Part of a word is no name.
    sandbox.fail_saying("rmq --n 100 --count 10 --device e", &["--device: ", "'e'"]);
}

#[test]
fn results_do_not_replace_each_other_or_what_is_read() {
    let sandbox = Sandbox::new();
    sandbox.put("x.txt", "abracadabra");
    sandbox.fail_saying("sa x.txt --out s.npy --lcp s.npy", &["s.npy: two results"]);
    sandbox.fail_saying("sa x.txt --lcp ./s.npy --bwt s.npy", &["s.npy: two results"]);
    sandbox.fail_saying("ansv --n 10 --left s.npy --right s.npy", &["s.npy: two results"]);
    for command in ["sa x.txt --out x.txt", "lce x.txt --out x.txt", "lz77 x.txt -o x.txt"] {
        sandbox.fail_saying(command, &["x.txt: is read"]);
    }
    sandbox.run("lz77 x.txt -o x.tlz");
    sandbox.fail_saying("unlz77 x.tlz -o x.tlz", &["x.tlz: is read"]);
    sandbox.run("build --n 100 -o I.thw");
    sandbox.fail_saying("query I.thw --count 10 --out I.thw", &["I.thw: is read"]);
    assert_eq!(sandbox.bytes("x.txt"), b"abracadabra");
}

#[cfg(unix)]
#[test]
fn links_are_followed() {
    use std::os::unix::fs::symlink;
    let sandbox = Sandbox::new();
    sandbox.put("x.txt", "abracadabra");
    symlink("there.npy", sandbox.path("link.npy")).unwrap();
    symlink("nowhere/there.npy", sandbox.path("lost.npy")).unwrap();
    // To what is not there yet.
    sandbox.fail_saying("sa x.txt --out link.npy --lcp there.npy", &["there.npy: two results"]);
    sandbox.run("sa x.txt --out link.npy");
    assert!(std::fs::symlink_metadata(sandbox.path("link.npy")).unwrap().is_symlink());
    assert_eq!(sandbox.npy::<i64>("there.npy").0, [11]);
    sandbox.fail_saying("sa x.txt --out link.npy --lcp there.npy", &["there.npy: two results"]);
    sandbox.fail("sa x.txt --out lost.npy");
    assert!(std::fs::symlink_metadata(sandbox.path("lost.npy")).unwrap().is_symlink());
}

#[test]
fn too_many_threads_and_too_large_numbers() {
    let sandbox = Sandbox::new();
    let output = sandbox.command("rmq --n 100 --threads 1000000").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("1000000 threads: expected 1 to "), "{output:?}");
    for wish in ["1000000", "many", "-1"] {
        let output = sandbox.command("rmq --n 100 --count 10").env("RAYON_NUM_THREADS", wish).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{wish}");
        assert!(String::from_utf8_lossy(&output.stderr).starts_with("thalweg: RAYON_NUM_THREADS: "), "{output:?}");
    }
    for wish in ["", "0", "3"] {
        let output = sandbox.command("rmq --n 100 --count 10").env("RAYON_NUM_THREADS", wish).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{wish}: {output:?}");
    }
    sandbox.fail_saying("gen queries --n 18446744073709551615 --count 3 --out Q.npy", &["--n: ", "int64"]);
}

/// A text of literals only reads the same either way, but there is one file for it.
#[test]
fn a_flag_that_says_nothing_must_be_right() {
    let sandbox = Sandbox::new();
    sandbox.put("x", "abcdefg").run("lz77 x -o x.tlz");
    let good = sandbox.bytes("x.tlz");
    for place in 0..good.len() {
        let mut bad = good.clone();
        bad[place] ^= 1;
        let line = sandbox.put("bad.tlz", bad).fail("unlz77 bad.tlz -o back");
        assert!(place != 5 || line.starts_with("bad.tlz: byte 5: "), "{line}");
    }
}

#[test]
fn an_instruction_set_that_does_not_exist() {
    let sandbox = Sandbox::new();
    let run = |value: &str| sandbox.command("rmq --n 100 --count 10").env("THALWEG_SIMD", value).output().unwrap();
    for value in ["sse", "avx", "avx-512", " "] {
        let output = run(value);
        assert_eq!(output.status.code(), Some(2), "{value}");
        let line = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(line.starts_with("thalweg: THALWEG_SIMD: ") && line.contains("baseline, avx2, avx512"), "{line}");
    }
    for value in ["", "baseline", "AVX2", "avx512"] {
        assert_eq!(run(value).status.code(), Some(0), "{value}");
    }
}

#[test]
fn empty_fasta_records_are_records() {
    let sandbox = Sandbox::new();
    let found = |text: &str| {
        sandbox.put("x.fa", text);
        let output = sandbox.command("search GT x.fa --fasta").output().unwrap();
        // Nothing is found where nothing is printed.
        assert_eq!(output.status.code(), Some(output.stdout.is_empty().into()), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(found(">a\nACGT\n>b\n"), "a:2\n");
    assert_eq!(found(">a\n>b\nACGT\n>c"), "b:2\n");
    assert_eq!(found(">a\n>b\n>c x\n\n"), "");
    assert_eq!(found(">a\n"), "");
    sandbox.put("bad.fa", "no header\nACGT\n").fail_saying("lrs bad.fa --fasta", &["bad.fa: record 0: ", "(line 1)"]);
    // Qualities may look like a header.
    assert_eq!(found("@a\nACGT\n+\n>>>>\n"), "a:2\n");
}

/// A run that was killed cannot clear up; the next one does, and leaves a run alone that still writes.
#[cfg(target_os = "linux")]
#[test]
fn litter_of_killed_runs_is_cleared() {
    let sandbox = Sandbox::new();
    for name in [".R.npy.tmpAbCdEf", ".S.npy.tmpAbCdEf", ".R.npy.tmpAbC"] {
        sandbox.put(name, "half of it");
    }
    sandbox.put(".R.npy.tmpGhIjKl", "being written");
    let held = std::fs::File::open(sandbox.path(".R.npy.tmpGhIjKl")).unwrap();
    held.lock().unwrap();
    let output = sandbox.command("gen array --n 10 --out R.npy").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(sandbox.files(), [".R.npy.tmpAbC", ".R.npy.tmpGhIjKl", ".S.npy.tmpAbCdEf", "R.npy"]);
}

#[cfg(target_os = "linux")]
#[test]
fn the_systems_name_for_standard_output_is_standard_output() {
    let sandbox = Sandbox::new();
    let output = sandbox.command("rank --n 10 --out /dev/stdout").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(output.stdout, sandbox.command("rank --n 10 --out -").output().unwrap().stdout);
    assert_eq!(crate::sandbox::from_npy::<i64>(&output.stdout).0, [10]);
}
