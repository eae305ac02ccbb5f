//! Round trips of `thalweg window`.

use serde_json::Value;
use thalweg::Order;
use thalweg::window::{Align, Border, Engine, Windows};
use thalweg_data::ArrayKind;
use thalweg_data::oracles::windows_by_queue;

use crate::sandbox::{Sandbox, spellings};

const N: usize = 2003;

#[test]
fn every_engine_alignment_and_border() {
    let sandbox = Sandbox::new();
    let array = ArrayKind::Runs.make::<i16>(N, 9);
    sandbox.put_npy("A.npy", &[N as u64], &array);
    for engine in Engine::ALL.iter().flat_map(|e| spellings(e.name())) {
        for (align, border, stride) in [
            (Align::Centred, Border::Shrink, 1),
            (Align::Trailing, Border::Fill, 1),
            (Align::Leading, Border::Drop, 3),
            (Align::Centred, Border::Fill, 2),
        ] {
            let windows = Windows { width: 10, stride, align, border };
            let ranges = (0..windows.count(N)).map(|j| windows.range(j, N));
            let found = windows_by_queue(&array, Order::Max, ranges);
            let found: Vec<_> = (0..)
                .zip(found)
                .map(|(j, at)| at.filter(|_| border != Border::Fill || windows.is_whole(j, N)))
                .collect();
            let options = format!(
                "--engine {engine} --max --width 10 --stride {stride} --align {} --border {}",
                align.name(),
                border.name()
            );
            let fill = if border == Border::Fill { "--fill -7" } else { "" };
            sandbox.run(&format!("window --array A.npy --out V.npy --positions P.npy {options} {fill}"));
            let shape = vec![found.len() as u64];
            let values = found.iter().map(|at| at.map_or(-7, |at| array[at])).collect();
            assert_eq!(sandbox.npy::<i16>("V.npy"), (shape.clone(), values), "{options}");
            let positions: Vec<i64> = found.iter().map(|at| at.map_or(-1, |at| at as i64)).collect();
            assert_eq!(sandbox.npy::<i64>("P.npy"), (shape.clone(), positions.clone()), "{options}");
            sandbox.run(&format!("window --array A.npy --what index --out P.npy {options}"));
            assert_eq!(sandbox.npy::<i64>("P.npy"), (shape, positions), "{options}");
        }
    }
}

#[test]
fn rows_and_columns() {
    let sandbox = Sandbox::new();
    sandbox.put_npy("A.npy", &[2, 3], &[5.0f32, 3.0, 8.0, 1.0, 9.0, 2.0]);
    sandbox.run("window --array A.npy --width 1,2 --align leading --out V.npy --positions P.npy");
    assert_eq!(sandbox.npy::<f32>("V.npy"), (vec![2, 3], vec![3.0, 3.0, 8.0, 1.0, 2.0, 2.0]));
    assert_eq!(sandbox.npy::<i64>("P.npy"), (vec![2, 3], vec![1, 1, 2, 3, 5, 5]));
    sandbox.run("window --array A.npy --width 2,3 --border drop --out V.npy");
    assert_eq!(sandbox.npy::<f32>("V.npy"), (vec![1, 1], vec![1.0]));
}

#[test]
fn windows_by_bounds() {
    let sandbox = Sandbox::new();
    sandbox.put_npy("A.npy", &[5], &[3u8, 1, 4, 1, 5]);
    sandbox.put_npy("S.npy", &[3], &[0i32, 2, 4]).put_npy("E.npy", &[3], &[2u64, 4, 4]);
    sandbox.run("window --array A.npy --starts S.npy --ends E.npy --fill 9 --out V.npy --positions P.npy");
    assert_eq!(sandbox.npy::<u8>("V.npy").1, [1, 1, 9]);
    assert_eq!(sandbox.npy::<i64>("P.npy").1, [1, 3, -1]);
    sandbox.put_npy("B.npy", &[3], &[2i64, 6, 6]).put_npy("D.npy", &[3], &[2i64, 4, 3]);
    let ask = |ends: &str| format!("window --array A.npy --starts S.npy --ends {ends} --fill 9 --out V.npy");
    sandbox.fail_saying(&ask("B.npy"), &["B.npy", "6 is behind the array"]);
    sandbox.fail_saying(&ask("D.npy"), &["D.npy: row 2: 3 comes after 4"]);
    sandbox.put_npy("F.npy", &[3], &[2i64, 2, 3]).put_npy("G.npy", &[2], &[2i64, 2]);
    sandbox.fail_saying(&ask("F.npy"), &["F.npy: row 2: the window ends at 3, and starts at 4 (S.npy: row 2)"]);
    sandbox.fail_saying(&ask("G.npy"), &["G.npy: has 2 ends, but S.npy has 3 starts"]);
    sandbox.put("B.csv", "s,e\n0,3\n2,5\n1,5\n");
    let table = "window --array A.npy --starts B.csv:s --ends B.csv:e --out V.npy";
    sandbox.fail_saying(table, &["B.csv:s: line 4: 1 comes after 2"]);
    sandbox
        .fail_saying("window --array A.npy --starts S.npy --ends E.npy --out V.npy", &["window 2 is empty", "--fill"]);
}

#[test]
fn the_demo_reports() {
    let sandbox = Sandbox::new();
    let text = String::from_utf8(sandbox.run("window --n 5000").stdout).unwrap();
    for part in ["5,000 x f32", "/window", "plain scan", "value"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let report: Value = serde_json::from_slice(&sandbox.run("window --n 100 --what both --json").stdout).unwrap();
    assert_eq!(report["verified"], 100);
    assert_eq!(report["answers"]["columns"], serde_json::json!(["window", "position", "value"]));
}

#[test]
fn what_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.put_npy("A.npy", &[4], &[1i32, 2, 3, 4]).put_npy("C.npy", &[1, 2, 2], &[1i32, 2, 3, 4]);
    sandbox.put_npy("F.npy", &[1], &[1.0f32]).put_npy("M.npy", &[2, 2], &[1i32, 2, 3, 4]);
    for (arguments, part) in [
        ("--array A.npy --width 0", "width"),
        ("--array A.npy --stride 0", "stride"),
        ("--array A.npy --width 2,2", "2 numbers for an array of 1 dimension"),
        ("--array M.npy --width 2,2,2", "3 numbers for an array of 2 dimensions"),
        ("--array M.npy --stride 2,2,2", "--stride: 3 numbers"),
        ("--array A.npy --fill 1", "--border fill"),
        ("--array A.npy --border fill --fill 1 --what index", "no values"),
        ("--array F.npy --border fill --fill 1e39", "is no f32"),
        ("--array C.npy", "C.npy"),
        ("--array A.npy --border fill", "--fill"),
        ("--array A.npy --border fill --fill 1.5", "'1.5' is no i32"),
        ("--array A.npy --border fill --fill 99999999999", "is no i32"),
        ("--array A.npy --what both --out V.npy", "--positions"),
        ("--array A.npy --what index --positions P.npy", "--out"),
        ("--array A.npy --out V.npy --positions V.npy", "same file"),
    ] {
        sandbox.fail_saying(&format!("window {arguments}"), &[part]);
    }
    assert_eq!(sandbox.files(), ["A.npy", "C.npy", "F.npy", "M.npy"]);
}
