//! Round trips of `thalweg smallest` and `thalweg below`.

use serde_json::Value;
use thalweg::Order;
use thalweg::rmq::Engine;
use thalweg_data::oracles::{positions_by_sorting, positions_not_above};
use thalweg_data::{ArrayKind, QueryKind};

use crate::sandbox::Sandbox;

const N: usize = 3001;
const Q: usize = 200;

/// A sandbox with an array and queries, and both.
fn example() -> (Sandbox, Vec<f32>, Vec<[u64; 2]>) {
    let sandbox = Sandbox::new();
    let array = ArrayKind::Few.make::<f32>(N, 3);
    let queries = QueryKind::Mixed.make::<u64>(N, Q, 3);
    let flat: Vec<i64> = queries.as_flattened().iter().map(|&x| x as i64).collect();
    sandbox.put_npy("A.npy", &[N as u64], &array).put_npy("Q.npy", &[Q as u64, 2], &flat);
    (sandbox, array, queries)
}

fn smallest(array: &[f32], queries: &[[u64; 2]], order: Order, k: usize) -> Vec<i64> {
    let row = |&[l, r]: &[u64; 2]| {
        let told = positions_by_sorting(array, order, l as usize, r as usize).into_iter().map(|p| p as i64);
        told.chain(std::iter::repeat(-1)).take(k).collect::<Vec<_>>()
    };
    queries.iter().flat_map(row).collect()
}

fn below(array: &[f32], queries: &[[u64; 2]], order: Order, threshold: f32) -> (Vec<i64>, Vec<i64>) {
    let rows: Vec<Vec<usize>> =
        queries.iter().map(|&[l, r]| positions_not_above(array, order, threshold, l as usize, r as usize)).collect();
    let lengths = rows.iter().map(|row| row.len() as i64).collect();
    (lengths, rows.into_iter().flatten().map(|position| position as i64).collect())
}

#[test]
fn every_engine_tells_the_smallest_and_what_is_below() {
    let (sandbox, array, queries) = example();
    for engine in Engine::ALL.iter().filter(|engine| !engine.needs_gpu()) {
        for (order, max) in [(Order::Min, ""), (Order::Max, "--max")] {
            let files = format!("--array A.npy --queries Q.npy --engine {engine} {max}");
            sandbox.run(&format!("smallest {files} --k 7 --out S.npy"));
            assert_eq!(
                sandbox.npy::<i64>("S.npy"),
                (vec![Q as u64, 7], smallest(&array, &queries, order, 7)),
                "{engine}"
            );
            let threshold = array[17];
            sandbox.run(&format!("below {files} --threshold {threshold} --out B.npy --lengths L.npy"));
            let (lengths, positions) = below(&array, &queries, order, threshold);
            assert_eq!(sandbox.npy::<i64>("L.npy"), (vec![Q as u64], lengths), "{engine} {max}");
            assert_eq!(sandbox.npy::<i64>("B.npy").1, positions, "{engine} {max}");
        }
    }
}

#[test]
fn a_saved_index_tells_them_too() {
    let (sandbox, array, queries) = example();
    sandbox.run("build --array A.npy --max --out I.thw");
    let output = sandbox.run("smallest --index I.thw --queries Q.npy --k 3 --out S.npy --json");
    let report: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!((&report["problem"], &report["verified"]), (&"smallest".into(), &Q.into()));
    assert_eq!(sandbox.npy::<i64>("S.npy").1, smallest(&array, &queries, Order::Max, 3));
    sandbox.run("below --index I.thw --queries Q.npy --threshold -inf --out B.npy");
    assert_eq!(sandbox.npy::<i64>("B.npy").1, below(&array, &queries, Order::Max, f32::NEG_INFINITY).1);
    sandbox.run("build --array A.npy --engine balanced_parens --out P.thw");
    sandbox.fail_saying("smallest --index P.thw --queries Q.npy", &["P.thw", "without the array"]);
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let (sandbox, ..) = example();
    sandbox.put_npy::<i64>("bad.npy", &[2, 2], &[0, 5, 7, 3001]);
    for command in ["smallest", "below"] {
        sandbox.fail_saying(
            &format!("{command} --array A.npy --queries bad.npy --out R.npy"),
            &["bad.npy", "row 1", "7..=3001"],
        );
        sandbox.fail_saying(&format!("{command} --queries Q.npy"), &["--array"]);
    }
    sandbox.fail_saying("below --array A.npy --queries Q.npy --threshold x", &["--threshold", "'x'", "f32"]);
    sandbox.fail_saying("smallest --array A.npy --queries Q.npy --k 2^63", &["--k"]);
    assert!(!sandbox.files().iter().any(|name| name.contains("R.npy")));
}

#[test]
fn nothing_is_told_of_nothing() {
    let sandbox = Sandbox::new();
    sandbox.put_npy::<f64>("A.npy", &[0], &[]).put_npy::<i64>("Q.npy", &[0, 2], &[]);
    sandbox.run("smallest --array A.npy --queries Q.npy --k 4 --out S.npy");
    assert_eq!(sandbox.npy::<i64>("S.npy"), (vec![0, 4], vec![]));
    sandbox.run("below --array A.npy --queries Q.npy --out B.npy --lengths L.npy");
    assert_eq!((sandbox.npy::<i64>("B.npy"), sandbox.npy::<i64>("L.npy")), ((vec![0], vec![]), (vec![0], vec![])));
    sandbox.run("smallest --n 50 --count 3 --k 0");
}
