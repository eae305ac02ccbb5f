//! The commands for texts: sa, lce, lz77, unlz77, search, lrs.

use serde_json::Value;
use thalweg::text::{lz77, search};
use thalweg_data::TextKind;
use thalweg_data::oracles::{extension_by_scan, places_by_scan, suffixes_by_sorting};

use crate::sandbox::{Sandbox, from_npy, spellings};

/// A sandbox with a text in it.
fn example(kind: TextKind, n: usize) -> (Sandbox, Vec<u8>) {
    let sandbox = Sandbox::new();
    let text = kind.make(n, 3);
    sandbox.put("text", &text);
    (sandbox, text)
}

fn json(output: &std::process::Output) -> Value {
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

fn lines(output: &std::process::Output) -> Vec<String> {
    String::from_utf8(output.stdout.clone()).expect("text").lines().map(str::to_owned).collect()
}

const FASTA: &str = ">one first record\nACGTACGT\nTT\n\n>two\nGGACGTAC\n>empty\n>three x\nTTGGACG\n";

#[test]
fn suffix_arrays_lcp_and_bwt() {
    let (sandbox, text) = example(TextKind::Mixed, 3001);
    let output = sandbox.run("sa text --out SA.npy --lcp LCP.npy --bwt BWT --json --threads 2");
    let sorted = suffixes_by_sorting(&text);
    let want: Vec<i64> = sorted.iter().map(|&p| p as i64).collect();
    assert_eq!(sandbox.npy::<i64>("SA.npy"), (vec![3001], want));
    let lcp: Vec<i64> = (0..sorted.len())
        .map(|r| if r == 0 { 0 } else { extension_by_scan(&text, sorted[r - 1], sorted[r]) as i64 })
        .collect();
    assert_eq!(sandbox.npy::<i64>("LCP.npy"), (vec![3001], lcp));
    let report = json(&output);
    let mut bwt = sandbox.bytes("BWT");
    assert_eq!(bwt.len(), 3001);
    bwt.insert(report["bwt_primary"].as_u64().unwrap() as usize, 0);
    let rows = [&[3001][..], &sorted].concat();
    assert!(rows.iter().zip(&bwt).all(|(&row, &symbol)| row == 0 || text[row - 1] == symbol));
    assert_eq!(report["text"]["bytes"], 3001);
    assert_eq!(report["verified"], 1000);
    assert_eq!(report["stages"][0]["stage"], "suffix array");
    // Results on stdout, the report on stderr.
    let output = sandbox.run("sa text --out -");
    assert_eq!(from_npy::<i64>(&output.stdout).1[0], sorted[0] as i64);
    assert!(String::from_utf8_lossy(&output.stderr).contains("3,001 bytes (text)"));
}

#[test]
fn extensions_of_pairs() {
    let (sandbox, text) = example(TextKind::Periodic, 2000);
    let pairs: Vec<i32> = (0..600).map(|i| (i * 7919) % 2000).collect();
    sandbox.put_npy("Q.npy", &[300, 2], &pairs);
    let want: Vec<i64> =
        pairs.chunks(2).map(|pair| extension_by_scan(&text, pair[0] as usize, pair[1] as usize) as i64).collect();
    let of_the_cpu = thalweg::rmq::Engine::ALL.iter().filter(|engine| !engine.needs_gpu());
    for engine in of_the_cpu.flat_map(|e| spellings(e.name())) {
        sandbox.run(&format!("lce text --queries Q.npy --out R.npy --engine {engine}"));
        assert_eq!(sandbox.npy::<i64>("R.npy"), (vec![300], want.clone()), "{engine}");
    }
    let report = json(&sandbox.run("lce text --count 50 --json"));
    assert_eq!((&report["pairs"]["count"], &report["verified"]), (&50.into(), &50.into()));
    sandbox.put_npy("bad.npy", &[2, 2], &[1i64, 2, 5, 2000]);
    sandbox.fail_saying("lce text --queries bad.npy", &["bad.npy: row 1: positions 5 and 2000", "2000 bytes"]);
    sandbox.fail_saying("lce --queries Q.npy", &["needs a file"]);
    sandbox.fail_saying("lce - --queries -", &["cannot both come from standard input"]);
}

#[test]
fn files_go_through_lz77_and_back() {
    for &kind in TextKind::ALL {
        let (sandbox, text) = example(kind, 5003);
        for options in ["", "--source nearest", "--source leftmost --engine lpf", "--threads 3", "--no-verify"] {
            let report = json(&sandbox.run(&format!("lz77 text -o text.tlz --json --stats {options}")));
            assert_eq!(report["file_bytes"], sandbox.bytes("text.tlz").len(), "{kind:?} {options}");
            assert_eq!(report["phrases"], lz77(&text).unwrap().len(), "{kind:?} {options}");
            sandbox.run("unlz77 text.tlz -o back");
            assert!(sandbox.bytes("back") == text, "{kind:?} {options}");
        }
    }
    let (sandbox, _) = example(TextKind::Equal, 0);
    sandbox.run("lz77 text -o text.tlz");
    sandbox.run("unlz77 text.tlz -o back");
    assert!(sandbox.bytes("back").is_empty());
}

#[test]
fn lz77_in_a_pipe() {
    let (sandbox, text) = example(TextKind::Words, 4000);
    let coded = sandbox.command("lz77 - -o -").write_stdin(text.clone()).output().unwrap();
    assert!(coded.status.success());
    let decoded = sandbox.command("unlz77 - -o -").write_stdin(coded.stdout).output().unwrap();
    assert!(decoded.stdout == text);
    assert!(String::from_utf8_lossy(&decoded.stderr).contains("4,000 bytes, checksum"));
}

#[test]
fn bad_containers_are_one_line() {
    let (sandbox, _) = example(TextKind::Mixed, 3000);
    sandbox.run("lz77 text -o good.tlz");
    let good = sandbox.bytes("good.tlz");
    sandbox.fail_saying("unlz77 text -o back", &["text: byte 0: not a .tlz file"]);
    sandbox.fail_saying("unlz77 nothing.tlz -o back", &["nothing.tlz: ", "No such file"]);
    sandbox.fail_saying("unlz77 good.tlz -o back --max-size 2k", &["good.tlz: byte 8: a text of 3000 bytes", "2000"]);
    sandbox
        .put("cut.tlz", &good[..good.len() - 3])
        .fail_saying("unlz77 cut.tlz -o back", &["cut.tlz: byte", "cut off"]);
    let mut bomb = good.clone();
    bomb[8..16].copy_from_slice(&(1u64 << 50).to_le_bytes());
    sandbox.put("bomb.tlz", &bomb).fail_saying("unlz77 bomb.tlz -o back", &["out of memory: 1.0 PiB for bomb.tlz"]);
    for place in 0..good.len() {
        let mut bad = good.clone();
        bad[place] ^= 0x10;
        // Where a flipped bit names another source of the same text, the text is right.
        let done = sandbox.put("bad.tlz", &bad).command("unlz77 bad.tlz -o -").output().unwrap();
        match done.status.code() {
            Some(0) => assert!(done.stdout == sandbox.bytes("text"), "{place}"),
            code => {
                assert_eq!((code, done.stdout.len()), (Some(2), 0), "{place}");
                let line = String::from_utf8_lossy(&done.stderr).into_owned();
                assert!(line.starts_with("thalweg: bad.tlz: byte") || line.contains("out of memory"), "{line}");
            }
        }
        if place > 60 {
            break;
        }
    }
}

#[test]
fn searches_print_places() {
    let (sandbox, text) = example(TextKind::Words, 5000);
    let want: Vec<String> = places_by_scan(&text, b"an").iter().map(usize::to_string).collect();
    assert!(want.len() > 3);
    for engine in search::Engine::ALL.iter().flat_map(|e| spellings(e.name())) {
        assert_eq!(lines(&sandbox.run(&format!("search an text --engine {engine}"))), want, "{engine}");
        assert_eq!(lines(&sandbox.run(&format!("search an text --count --engine {engine}"))), [want.len().to_string()]);
    }
    assert_eq!(lines(&sandbox.run("search --hex 61:6e text".replace(':', "").as_str())), want);
    let report = json(&sandbox.run("search an text --json"));
    assert_eq!((report["count"].as_u64(), report["places"][0].to_string()), (Some(want.len() as u64), want[0].clone()));
    assert_eq!(sandbox.command("search zzz text").output().unwrap().status.code(), Some(1));
    let empty = sandbox.command("search").args(["", "text", "--count"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&empty.stdout), "5001\n");
    let from_pipe = sandbox.command("search an -").write_stdin(text).output().unwrap();
    assert_eq!(lines(&from_pipe), want);
    // To a file, nothing is printed but the report; nothing found is an empty file, and still exit code 1.
    sandbox.run("search an text -o P.npy");
    let places: Vec<i64> = want.iter().map(|place| place.parse().unwrap()).collect();
    assert_eq!(sandbox.npy::<i64>("P.npy"), (vec![places.len() as u64], places));
    sandbox.run("search an text --out P.txt");
    assert_eq!(String::from_utf8(sandbox.bytes("P.txt")).unwrap().lines().collect::<Vec<_>>(), want);
    assert_eq!(sandbox.command("search zzz text -o P.npy").output().unwrap().status.code(), Some(1));
    assert_eq!(sandbox.npy::<i64>("P.npy").0, [0]);
    sandbox.fail_saying("search an text -o text", &["text: is read"]);
    sandbox.fail_saying("search --hex 6g text", &["--hex: digit 1", "\"g\""]);
    sandbox.fail_saying("search --hex 616 text", &["3 digits"]);
    sandbox.fail_saying("search an missing", &["missing: No such file"]);
}

#[test]
fn the_longest_repeat() {
    let sandbox = Sandbox::new();
    sandbox.put("text", "one banana, two bananas").put("once", "abc");
    let report = json(&sandbox.run("lrs text --json"));
    assert_eq!((&report["length"], &report["places"]), (&7.into(), &vec![3, 15].into()));
    let text = String::from_utf8(sandbox.run("lrs text").stdout).unwrap();
    assert!(text.contains("2: 3 15") && text.contains("\" banana\""), "{text}");
    assert!(String::from_utf8(sandbox.run("lrs once").stdout).unwrap().contains("nothing occurs twice"));
}

#[test]
fn fasta_records_are_not_one_text() {
    let sandbox = Sandbox::new();
    sandbox.put("x.fa", FASTA);
    assert_eq!(lines(&sandbox.run("search ACG x.fa --fasta")), ["one:0", "one:4", "two:2", "three:4"]);
    // TT at the end of one and GG at the beginning of two are not TTGG.
    assert_eq!(lines(&sandbox.run("search TTGG x.fa --fasta")), ["three:0"]);
    sandbox.run("search ACG x.fa --fasta -o P.csv");
    assert_eq!(sandbox.bytes("P.csv"), b"place\none:0\none:4\ntwo:2\nthree:4\n");
    let report = json(&sandbox.run("lrs x.fa --fasta --json"));
    assert_eq!(report["length"], 6);
    assert_eq!(report["places"], Value::from(vec!["one:0", "two:2"]), "ACGTAC");
    // GGACG of record three (position 23 of the joined text) and of record two (11): they agree up to the records' ends.
    sandbox.put_npy("Q.npy", &[1, 2], &[11i64, 23]);
    sandbox.run("lce x.fa --fasta --queries Q.npy --out R.npy");
    assert_eq!(sandbox.npy::<i64>("R.npy").1, [5]);
    sandbox.run("lz77 x.fa --fasta -o x.tlz");
    sandbox.run("unlz77 x.tlz -o joined");
    assert_eq!(sandbox.bytes("joined"), b"ACGTACGTTT\nGGACGTAC\n\nTTGGACG");
    let text = String::from_utf8(sandbox.run("sa x.fa --fasta").stdout).unwrap();
    assert!(text.contains("4 records"), "{text}");
    sandbox.put("empty.fa", "");
    let output = sandbox.command("search A empty.fa --fasta").output().unwrap();
    assert_eq!((output.status.code(), &output.stdout[..], &output.stderr[..]), (Some(1), &b""[..], &b""[..]));
    sandbox.put("bad.fa", "no header\nACGT\n").fail_saying("lrs bad.fa --fasta", &["bad.fa: record 0: "]);
    sandbox.fail_saying("lrs --fasta", &["--fasta: needs a file"]);
}

#[test]
fn demos_report() {
    let sandbox = Sandbox::new();
    for (command, parts) in [
        ("sa --n 2^12", &["4,096 bytes (mixed, seed 7)", "suffix array", "in order"][..]),
        ("lce --n 2^12 --count 100", &["100 (random", "/pair", "equal to those of a plain scan"]),
        (
            "lz77 --n 2^12 --kind words --stats",
            &["phrases", "% of the text", "factors", "decoded, the file is the text", "distances"],
        ),
        ("lrs --n 2^12 --kind dna", &["length", "places"]),
    ] {
        let output = sandbox.run(command);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(parts.iter().all(|part| text.contains(part)), "{command}: {text}");
        assert!(output.stderr.is_empty(), "{command}: nothing is drawn where nobody watches");
    }
    assert!(sandbox.files().is_empty());
    let output = sandbox.run("lz77 --n 2^12 --verbose --engine lpf --threads 2");
    let log = String::from_utf8(output.stderr).unwrap();
    assert!(log.contains("threads: 2, --threads") && log.contains("engine: lpf, --engine"), "{log}");
}

#[test]
fn failures_leave_no_file() {
    let (sandbox, _) = example(TextKind::Words, 100);
    sandbox.fail_saying("sa text --out no/such/SA.npy", &["no/such/SA.npy: "]);
    sandbox.fail_saying("sa text --out - --lcp -", &["only one result can go to standard output"]);
    sandbox.fail_saying("lz77 missing -o x.tlz", &["missing: No such file"]);
    sandbox.fail_saying("lz77 . -o x.tlz", &[".: is a directory"]);
}
