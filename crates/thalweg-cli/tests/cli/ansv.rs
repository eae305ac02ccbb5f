//! Round trips of `thalweg ansv`.

use serde_json::Value;
use thalweg::Key;
use thalweg::ansv::{Engine, Relation};
use thalweg_data::ArrayKind;
use thalweg_data::oracles::neighbours_by_stack;

use crate::sandbox::{Sandbox, spellings};

const N: usize = 2003;

fn expected<K: Key>(array: &[K], relation: Relation) -> [Vec<i64>; 2] {
    neighbours_by_stack(array, relation.order(), relation.is_strict())
        .map(|side| side.into_iter().map(|p| p.map_or(-1, |p| p as i64)).collect())
}

#[test]
fn every_engine_and_relation() {
    let sandbox = Sandbox::new();
    let array = ArrayKind::Runs.make::<i16>(N, 9);
    sandbox.put_npy("A.npy", &[N as u64], &array);
    // The thesis's kernels are a GPU's.
    let engines = Engine::ALL.iter().filter(|engine| !matches!(engine, Engine::Thesis(_)));
    for engine in engines.flat_map(|e| spellings(e.name())) {
        for relation in Relation::ALL {
            for name in spellings(relation.name()) {
                let options = format!("--engine {engine} --relation {name}");
                sandbox.run(&format!("ansv --array A.npy --left L.npy --right R.npy {options}"));
                let [left, right] = expected(&array, relation);
                assert_eq!(sandbox.npy::<i64>("L.npy"), (vec![N as u64], left), "{options}");
                assert_eq!(sandbox.npy::<i64>("R.npy"), (vec![N as u64], right), "{options}");
            }
        }
    }
}

#[test]
fn one_side_alone_and_the_maximum() {
    let sandbox = Sandbox::new();
    let array = ArrayKind::Random.make::<f64>(N, 9);
    sandbox.put_npy("A.npy", &[N as u64], &array);
    let [left, right] = expected(&array, Relation::Greater);
    sandbox.run("ansv --array A.npy --max --left L.npy");
    assert_eq!(sandbox.files(), ["A.npy", "L.npy"]);
    sandbox.run("ansv --array A.npy --max --right R.npy");
    assert_eq!((sandbox.npy::<i64>("L.npy").1, sandbox.npy::<i64>("R.npy").1), (left, right));
}

#[test]
fn the_demo_reports() {
    let sandbox = Sandbox::new();
    let text = String::from_utf8(sandbox.run("ansv --n 5000").stdout).unwrap();
    for part in ["5,000 x f32", "/element", "bits/element", "plain scan", "left", "right"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let output = sandbox.run("ansv --n 100 --kind sorted --dtype i32 --json");
    let report: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!(report["verified"], 100);
    assert_eq!(report["answers"]["columns"], serde_json::json!(["position", "value", "left", "right"]));
    assert_eq!(report["answers"]["rows"][0], serde_json::json!([0, 0, null, null]));
    assert_eq!(report["answers"]["rows"][3], serde_json::json!([3, 3, 2, null]));
    assert!(sandbox.files().is_empty());
}

#[test]
fn empty_array() {
    let sandbox = Sandbox::new();
    sandbox.put_npy::<u8>("A.npy", &[0], &[]);
    sandbox.run("ansv --array A.npy --left L.npy --right R.npy");
    assert_eq!(sandbox.npy::<i64>("L.npy"), (vec![0], vec![]));
    assert_eq!(sandbox.npy::<i64>("R.npy"), (vec![0], vec![]));
}

#[test]
fn two_outputs_appear_together_or_not_at_all() {
    let sandbox = Sandbox::new();
    sandbox.put_npy("A.npy", &[3], &[3u8, 1, 2]).put("L.npy", "old");
    sandbox.fail_saying("ansv --array A.npy --left L.npy --right nowhere/R.npy", &["nowhere/R.npy"]);
    sandbox.fail_saying("ansv --array A.npy --left nowhere/L.npy --right R.npy", &["nowhere/L.npy"]);
    sandbox.fail_saying("ansv --array A.npy --left L.npy --right /dev/full", &["/dev/full"]);
    for same in ["--left R.npy --right R.npy", "--left R.npy --right ./R.npy", "--left L.npy --right ./L.npy"] {
        sandbox.fail_saying(&format!("ansv --array A.npy {same}"), &["same file"]);
    }
    sandbox.fail("ansv --array A.npy --left - --right -");
}
