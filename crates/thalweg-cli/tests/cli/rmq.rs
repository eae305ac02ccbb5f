//! Round trips of `thalweg rmq`.

use serde_json::Value;
use thalweg::Order;
use thalweg::rmq::Engine;
use thalweg_data::oracles::argmin_by_scan;
use thalweg_data::{ArrayKind, QueryKind};

use crate::sandbox::{Sandbox, spellings};

const N: usize = 3001;

/// A sandbox with an array and queries, and both.
fn example() -> (Sandbox, Vec<f32>, Vec<[u64; 2]>) {
    let sandbox = Sandbox::new();
    let array = ArrayKind::Few.make::<f32>(N, 3);
    let queries = QueryKind::Mixed.make::<u64>(N, 400, 3);
    let flat: Vec<i64> = queries.as_flattened().iter().map(|&x| x as i64).collect();
    sandbox.put_npy("A.npy", &[N as u64], &array).put_npy("Q.npy", &[400, 2], &flat);
    (sandbox, array, queries)
}

fn expected(array: &[f32], queries: &[[u64; 2]], order: Order) -> Vec<i64> {
    queries.iter().map(|&[l, r]| argmin_by_scan(array, order, l as usize, r as usize) as i64).collect()
}

/// All but those that need a GPU.
fn of_the_cpu() -> impl Iterator<Item = &'static Engine> {
    Engine::ALL.iter().filter(|engine| !engine.needs_gpu())
}

#[test]
fn an_engine_that_needs_a_gpu_says_so() {
    let (sandbox, ..) = example();
    sandbox.fail_saying("rmq --array A.npy --queries Q.npy --engine ray --device cpu", &["'ray'", "needs one"]);
}

#[test]
fn every_engine_finds_values_and_indices_of_minima_and_maxima() {
    let (sandbox, array, queries) = example();
    for engine in of_the_cpu().flat_map(|e| spellings(e.name())) {
        for (order, max) in [(Order::Min, ""), (Order::Max, "--max")] {
            let want = expected(&array, &queries, order);
            let files = format!("rmq --array A.npy --queries Q.npy --engine {engine} {max}");
            sandbox.run(&format!("{files} --what index --out I.npy"));
            assert_eq!(sandbox.npy::<i64>("I.npy"), (vec![400], want.clone()), "{engine} {max}");
            sandbox.run(&format!("{files} --what value --out V.npy"));
            let want: Vec<f32> = want.iter().map(|&i| array[i as usize]).collect();
            assert_eq!(sandbox.npy::<f32>("V.npy"), (vec![400], want), "{engine} {max}");
        }
    }
}

#[test]
fn sizes_of_padded_tree_are_taken_or_refused() {
    let (sandbox, array, queries) = example();
    let files = "rmq --array A.npy --queries Q.npy --what index --out I.npy --engine padded_tree";
    sandbox.run(&format!("{files} --block 8 --superblock 16 --dictionary 4"));
    assert_eq!(sandbox.npy::<i64>("I.npy").1, expected(&array, &queries, Order::Min));
    sandbox.fail_saying(&format!("{files} --block 5"), &["block: 5 is not one of 4, 8 and 16"]);
}

#[test]
fn threads_do_not_change_results() {
    let (sandbox, ..) = example();
    sandbox.run("rmq --array A.npy --queries Q.npy --out 1.npy --threads 1");
    sandbox.run("rmq --array A.npy --queries Q.npy --out 3.npy --threads 3");
    assert_eq!(sandbox.bytes("1.npy"), sandbox.bytes("3.npy"));
}

#[test]
fn the_demo_reports() {
    let sandbox = Sandbox::new();
    let output = sandbox.run("rmq --n 2^12 --count 1k");
    let text = String::from_utf8(output.stdout).unwrap();
    for part in ["4,096 x f32", "1,000 x u32", "/element", "/query", "bits/element", "plain scan", "argmin"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(output.stderr.is_empty(), "nothing is drawn where nobody watches");
    assert!(sandbox.files().is_empty());
}

#[test]
fn the_report_as_json_shows_true_answers() {
    let (sandbox, array, queries) = example();
    for what in ["value", "index"] {
        let output = sandbox.run(&format!("rmq --array A.npy --queries Q.npy --json --what {what} --max"));
        let report: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
        assert_eq!(report["array"]["count"], N);
        assert_eq!(report["array"]["dtype"], "f32");
        assert_eq!(report["queries"]["count"], 400);
        assert_eq!(report["verified"], 400);
        assert_eq!(report["answers"]["columns"][2], "argmax");
        let rows = report["answers"]["rows"].as_array().expect("rows");
        assert_eq!(rows.len(), 5);
        for (row, (query, want)) in rows.iter().zip(queries.iter().zip(expected(&array, &queries, Order::Max))) {
            assert_eq!((&row[0], &row[1], &row[2]), (&query[0].into(), &query[1].into(), &want.into()));
            assert_eq!(row[3].as_f64(), Some(f64::from(array[want as usize])));
        }
    }
}

#[test]
fn queries_are_generated_for_a_given_array() {
    let (sandbox, ..) = example();
    let output = sandbox.run("rmq --array A.npy --count 77 --query-kind small --json");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["queries"]["count"], &report["verified"]), (&77.into(), &77.into()));
}

#[test]
fn the_sample_that_is_checked_can_be_chosen() {
    let (sandbox, ..) = example();
    for (option, want) in [("--verify 13", 13), ("--no-verify", 0), ("--verify 2^40", 400)] {
        let output = sandbox.run(&format!("rmq --array A.npy --queries Q.npy --json {option}"));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["verified"], want, "{option}");
    }
}

#[test]
fn verbose_tells_what_was_chosen_and_why() {
    let (sandbox, ..) = example();
    let output = sandbox.run("rmq --array A.npy --queries Q.npy --verbose --engine naive --threads 2");
    let log = String::from_utf8(output.stderr).unwrap();
    for part in
        ["threads: 2, --threads", "engine: naive, --engine", "A.npy, f32 of shape (3001,), mapped, used in place"]
    {
        assert!(log.contains(part), "{part}: {log}");
    }
    assert!(log.contains("Q.npy, i64 of shape (400, 2), mapped, used in place"), "{log}");
    let log = String::from_utf8(sandbox.run("rmq --n 10 --count 1 -v").stderr).unwrap();
    assert!(log.contains("the default") && log.contains("generated"), "{log}");
}

#[test]
fn results_may_replace_their_input() {
    let (sandbox, array, queries) = example();
    sandbox.run("rmq --array A.npy --queries Q.npy --what index --out Q.npy");
    assert_eq!(sandbox.npy::<i64>("Q.npy").1, expected(&array, &queries, Order::Min));
}

#[test]
fn empty_arrays_and_batches() {
    let sandbox = Sandbox::new();
    sandbox.put_npy::<f64>("A.npy", &[0], &[]).put_npy::<i64>("Q.npy", &[0, 2], &[]);
    for engine in of_the_cpu() {
        sandbox.run(&format!("rmq --array A.npy --queries Q.npy --out R.npy --engine {engine}"));
        assert_eq!(sandbox.npy::<f64>("R.npy"), (vec![0], vec![]));
    }
    sandbox.run("rmq --array A.npy --count 0");
    sandbox.run("rmq --n 0 --count 0 --what index --out I.npy");
    assert_eq!(sandbox.npy::<i64>("I.npy"), (vec![0], vec![]));
}
