//! Round trips of `thalweg sudoku`, and what it refuses.

use serde_json::Value;
use thalweg::puzzle::sudoku::{Engine, Grid, Options, examples::EXAMPLES, solve, solve_with, text};
use thalweg_data::SudokuKind;

use crate::sandbox::{Sandbox, npy_bytes, spellings};

const EASY: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

/// The puzzles of an `.npy` file.
fn grids(sandbox: &Sandbox, name: &str) -> Vec<Grid> {
    let (shape, cells) = sandbox.npy::<u8>(name);
    assert_eq!(shape, [cells.len() as u64 / 81, 81]);
    cells.as_chunks().0.to_vec()
}

fn counts(sandbox: &Sandbox, name: &str) -> Vec<u32> {
    let (shape, counts) = sandbox.npy::<u32>(name);
    assert_eq!(shape, [counts.len() as u64]);
    counts
}

#[test]
fn every_engine_limit_and_format() {
    let sandbox = Sandbox::new();
    let puzzles = SudokuKind::Mixed.make(99, 3);
    sandbox.put_npy("P.npy", &[99, 81], puzzles.as_flattened()).put("P.txt", text::lines(&puzzles));
    for limit in [1, 2, 50] {
        let want = solve_with(&puzzles, Options { limit, engine: None }).unwrap();
        for engine in Engine::ALL.iter().flat_map(|engine| spellings(engine.name())) {
            for file in ["P.npy", "P.txt"] {
                let options = format!("--limit {limit} --engine {engine}");
                sandbox.run(&format!("sudoku {file} --out S.npy --counts C.npy {options}"));
                assert_eq!(grids(&sandbox, "S.npy"), want.solutions, "{file} {options}");
                assert_eq!(counts(&sandbox, "C.npy"), want.counts, "{file} {options}");
                sandbox.run(&format!("sudoku {file} --counts D.npy {options}"));
                assert_eq!(sandbox.bytes("D.npy"), sandbox.bytes("C.npy"), "{file} {options}: counts alone");
            }
        }
        sandbox.run(&format!("sudoku P.npy --out S.txt --limit {limit} --threads 1"));
        assert_eq!(sandbox.bytes("S.txt"), text::lines(&want.solutions).into_bytes());
    }
    sandbox.run("sudoku P.txt --out S.bin");
    assert_eq!(sandbox.bytes("S.bin"), solve(&puzzles).unwrap().solutions.as_flattened());
}

#[test]
fn blanks_comments_and_line_ends() {
    let sandbox = Sandbox::new();
    let want = text::lines(&solve(&[EXAMPLES[0].puzzle]).unwrap().solutions);
    for content in [
        EASY.to_owned(),
        format!("{EASY}\n"),
        EASY.replace('.', "0"),
        EASY.replace('.', "_"),
        format!("\u{feff}# a comment\r\n\r\n{EASY}\r\n"),
        format!("  {EASY},{EASY}\n\n#"),
        format!("{EASY}; rated 1.2\n"),
    ] {
        sandbox.put("P.txt", &content);
        sandbox.run("sudoku P.txt --out S.txt --counts C.npy");
        assert_eq!(String::from_utf8(sandbox.bytes("S.txt")).unwrap(), want, "{content:?}");
        assert_eq!(counts(&sandbox, "C.npy"), [1]);
    }
    for content in ["", "\n# nothing\r\n"] {
        sandbox.put("P.txt", content);
        sandbox.run("sudoku P.txt --out S.npy --counts C.npy");
        assert_eq!((grids(&sandbox, "S.npy"), counts(&sandbox, "C.npy")), (vec![], vec![]));
    }
}

/// Contradictory clues are no error; a puzzle without a solution gets blanks.
#[test]
fn contradictions_have_no_solution() {
    let sandbox = Sandbox::new();
    sandbox.put("P.txt", format!("11{}\n{EASY}\n{}\n", ".".repeat(79), ".".repeat(81)));
    let text = String::from_utf8(sandbox.run("sudoku P.txt --out S.npy --counts C.npy").stdout).unwrap();
    assert!(text.contains("1 with one solution, 1 with several, 1 with none"), "{text}");
    assert_eq!(counts(&sandbox, "C.npy"), [0, 1, 2]);
    let solved = grids(&sandbox, "S.npy");
    assert_eq!((solved[0], &solved[2][..10]), ([0; 81], &[1, 2, 3, 4, 5, 6, 7, 8, 9, 4][..]));
}

#[test]
fn known_puzzles_are_solved_and_one_is_drawn() {
    let sandbox = Sandbox::new();
    let text = String::from_utf8(sandbox.run("sudoku").stdout).unwrap();
    for part in
        ["8 (known ones)", "bands", "8 with one solution", "keep the rules", "┌───────┬", "│ 8 . . │", "│ 8 1 2 │"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    let report: Value = serde_json::from_slice(&sandbox.run("sudoku --json").stdout).expect("one JSON object");
    assert_eq!(
        (&report["problem"], &report["found"]["one"], &report["verified"]),
        (&"sudoku".into(), &8.into(), &8.into())
    );
    assert_eq!(report["answers"]["rows"][0][2].as_str().unwrap()[..9], *"534678912");
}

#[test]
fn made_puzzles_have_one_solution() {
    let sandbox = Sandbox::new();
    sandbox.run("sudoku --gen 50 --seed 5 --out P.txt");
    sandbox.run("sudoku --gen 50 --seed 5 --out P.npy --threads 1");
    let puzzles = grids(&sandbox, "P.npy");
    assert_eq!(sandbox.bytes("P.txt"), text::lines(&puzzles).into_bytes());
    sandbox.run("sudoku P.txt --counts C.npy");
    assert_eq!(counts(&sandbox, "C.npy"), [1; 50]);
    assert_eq!(sandbox.run("sudoku --gen 50 --seed 5").stdout, sandbox.bytes("P.txt"));
    sandbox.run("sudoku --gen 50 --seed 6 --out Q.npy");
    assert_ne!(grids(&sandbox, "Q.npy"), puzzles);
}

#[test]
fn generated_kinds_are_those_of_the_tests() {
    let sandbox = Sandbox::new();
    for kind in SudokuKind::ALL {
        let name = kind.name();
        sandbox.run(&format!("gen sudoku --n 40 --kind {name} --seed 5 --out P.npy"));
        assert_eq!(grids(&sandbox, "P.npy"), kind.make(40, 5), "{name}");
        sandbox.run(&format!("gen sudoku --n 40 --kind {name} --seed 5 --out P.txt"));
        assert_eq!(sandbox.bytes("P.txt"), text::lines(&kind.make(40, 5)).into_bytes(), "{name}");
    }
}

#[test]
fn from_standard_input_to_standard_output() {
    let sandbox = Sandbox::new();
    let puzzle = EXAMPLES[4].puzzle;
    let want = solve(&[puzzle]).unwrap().solutions;
    for input in [text::lines(&[puzzle]).into_bytes(), npy_bytes(&[1, 81], &puzzle)] {
        let output = sandbox.command("sudoku - --out -").write_stdin(input).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), text::lines(&want));
        assert!(String::from_utf8(output.stderr).unwrap().contains("1 with one solution"));
    }
}

#[test]
fn bad_input_is_refused() {
    let sandbox = Sandbox::new();
    let say = |content: &str, parts: &[&str]| {
        sandbox.put("P.txt", content);
        sandbox.fail_saying("sudoku P.txt --out S.npy --counts C.npy", parts);
    };
    say(&format!("{EASY}\r\n\r\n{}\r\n", &EASY[1..]), &["P.txt", "line 3", "80 cells"]);
    say(&format!("# one\n{EASY}5\n"), &["P.txt", "line 2", "82 cells"]);
    say(&EASY.replace('7', "x"), &["P.txt", "line 1", "character 5 is 'x'"]);
    let mut puzzles = SudokuKind::Seventeen.make(3, 1);
    puzzles[2][7] = 10;
    sandbox.put_npy("bad.npy", &[3, 81], puzzles.as_flattened());
    for engine in Engine::ALL {
        let command = format!("sudoku bad.npy --out S.npy --engine {engine}");
        sandbox.fail_saying(&command, &["bad.npy", "row 2", "cell 7 is 10"]);
    }
    sandbox.put_npy("wide.npy", &[2, 82], &[1u8; 164]);
    sandbox.fail_saying("sudoku wide.npy", &["wide.npy", "shape (2, 82)", "(n, 81)"]);
    sandbox.put_npy("deep.npy", &[1, 9, 9], &[1u8; 81]);
    sandbox.fail_saying("sudoku deep.npy", &["deep.npy", "shape (1, 9, 9)"]);
    sandbox.put_npy("long.npy", &[1, 81], &[1i64; 81]);
    sandbox.fail_saying("sudoku long.npy", &["long.npy", "uint8", "i64"]);
    sandbox.fail_saying("sudoku nowhere.txt", &["nowhere.txt"]);
    sandbox.put("P.txt", EASY);
    sandbox.fail_saying("sudoku P.txt --out X --counts ./X", &["same file"]);
    sandbox.fail_saying("sudoku P.txt --out nowhere/S.npy", &["nowhere/S.npy"]);
    sandbox.fail_saying("sudoku P.txt --out S.txt --counts /dev/full", &["/dev/full"]);
    sandbox.fail_saying("sudoku --gen 2^60 --out P.npy", &["out of memory"]);
    sandbox.fail_saying("gen sudoku --n 2^60 --out P.npy", &["out of memory"]);
    for arguments in ["sudoku P.txt --limit 0", "sudoku P.txt --gen 5 --out Q.txt", "sudoku --engine x"] {
        let output = sandbox.command(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments}");
    }
}
