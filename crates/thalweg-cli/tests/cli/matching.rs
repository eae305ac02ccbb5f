//! Round trips of `thalweg matching`, its exit codes, and what it refuses.

use serde_json::Value;
use thalweg::graph::Graph;
use thalweg::graph::matching::{Engine, Label, NOBODY, maximum_matching, verify};
use thalweg_data::GraphKind;

use crate::sandbox::{Sandbox, from_npy, npy_bytes, spellings};

/// What was written, as the library has it.
fn answer(sandbox: &Sandbox, nodes: usize) -> (Vec<u32>, Vec<Label>) {
    let (shape, partners) = sandbox.npy::<i64>("M.npy");
    assert_eq!(shape, [nodes as u64]);
    let (shape, labels) = sandbox.npy::<u8>("U.npy");
    assert_eq!(shape, [nodes as u64]);
    let partner = |partner: i64| if partner == -1 { NOBODY } else { u32::try_from(partner).unwrap() };
    let label = |label| Label::from_number(label).unwrap();
    (partners.into_iter().map(partner).collect(), labels.into_iter().map(label).collect())
}

fn put_edges(sandbox: &Sandbox, edges: &[[u32; 2]]) {
    sandbox.put_npy("E.npy", &[edges.len() as u64, 2], edges.as_flattened());
}

#[test]
fn every_engine_proves_its_matching() {
    let sandbox = Sandbox::new();
    for (kind, nodes) in [(GraphKind::Random, 20), (GraphKind::Hubs, 17), (GraphKind::Islands, 15)] {
        let edges = kind.make::<u32>(nodes, 24, 3);
        put_edges(&sandbox, &edges);
        let graph = Graph::from_edges(&edges, Some(nodes)).unwrap();
        let want = maximum_matching(&graph).unwrap();
        for engine in Engine::ALL.iter().flat_map(|engine| spellings(engine.name())) {
            let command = "matching --edges E.npy --out M.npy --certificate U.npy";
            sandbox.run(&format!("{command} --nodes {nodes} --engine {engine}"));
            let (partners, labels) = answer(&sandbox, nodes);
            assert_eq!(verify(&edges, &partners, &labels), Ok(want.pairs()), "{engine}");
            assert_eq!(labels, want.labels(), "{engine}");
        }
    }
}

#[test]
fn every_type_and_order() {
    let sandbox = Sandbox::new();
    let edges = GraphKind::Random.make::<u32>(100, 200, 4);
    put_edges(&sandbox, &edges);
    sandbox.run("matching --edges E.npy --nodes 100 --out M.npy --certificate U.npy");
    let want = (sandbox.bytes("M.npy"), sandbox.bytes("U.npy"));
    let check = |command: &str| {
        sandbox.run(&format!("matching --nodes 100 --out M.npy --certificate U.npy {command}"));
        assert!((sandbox.bytes("M.npy"), sandbox.bytes("U.npy")) == want, "{command}");
    };
    macro_rules! one {
        ($($t:ident)*) => {$(
            let numbers: Vec<$t> = edges.as_flattened().iter().map(|&v| v as $t).collect();
            sandbox.put_npy("T.npy", &[edges.len() as u64, 2], &numbers);
            check("--edges T.npy");
            sandbox.put("T.bin", numbers.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>());
            check(concat!("--edges T.bin --dtype ", stringify!($t)));
        )*};
    }
    one!(u8 i8 u16 i16 u32 i32 u64 i64);
    // Columns one after the other, and big-endian.
    let text = format!("{{'descr': '>i4', 'fortran_order': True, 'shape': ({}, 2), }}", edges.len());
    let mut file = [b"\x93NUMPY\x01\x00".as_slice(), &(text.len() as u16).to_le_bytes(), text.as_bytes()].concat();
    for end in 0..2 {
        file.extend(edges.iter().flat_map(|edge| edge[end].to_be_bytes()));
    }
    sandbox.put("F.npy", file);
    check("--edges F.npy");
}

#[test]
fn perfect_or_not_is_an_exit_code() {
    let sandbox = Sandbox::new();
    let command = "matching --edges E.npy --out M.npy --certificate U.npy --perfect";
    // A triangle with a tail.
    put_edges(&sandbox, &[[0, 1], [1, 2], [2, 0], [2, 3]]);
    sandbox.run(command);
    assert_eq!(answer(&sandbox, 4), (vec![1, 0, 3, 2], vec![Label::C; 4]));
    // A star: without its centre three components are odd.
    put_edges(&sandbox, &[[0, 1], [0, 2], [0, 3]]);
    let output = sandbox.command(command).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    let want = "thalweg: there is no perfect matching: without 1 of the vertices 3 components are odd\n";
    assert_eq!(said, want);
    assert!(String::from_utf8(output.stdout).unwrap().contains("1 pair, 2 vertices alone"));
    let (partners, labels) = answer(&sandbox, 4);
    assert_eq!(labels, [Label::A, Label::D, Label::D, Label::D]);
    assert_eq!(partners.iter().filter(|&&partner| partner == NOBODY).count(), 2);
    // Without the question it is an answer like any other.
    sandbox.run("matching --edges E.npy");
    // Vertices without edges count.
    put_edges(&sandbox, &[[0, 1]]);
    sandbox.run("matching --edges E.npy --perfect");
    assert_eq!(sandbox.command("matching --edges E.npy --nodes 3 --perfect").output().unwrap().status.code(), Some(1));
}

#[test]
fn loops_and_repetitions_are_counted() {
    let sandbox = Sandbox::new();
    put_edges(&sandbox, &[[0, 1], [1, 0], [2, 2], [0, 1]]);
    let text = String::from_utf8(sandbox.run("matching --edges E.npy").stdout).unwrap();
    for part in ["3 vertices, 1 edge (E.npy)", "1 loop, 2 repeated edges", "1 pair, 1 vertex alone"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    sandbox.put_npy::<i64>("E.npy", &[0, 2], &[]);
    sandbox.run("matching --edges E.npy --out M.npy --certificate U.npy --perfect");
    assert_eq!(answer(&sandbox, 0), (Vec::new(), Vec::new()));
}

#[test]
fn the_demo_reports() {
    let sandbox = Sandbox::new();
    let text = String::from_utf8(sandbox.run("matching --nodes 20000").stdout).unwrap();
    for part in ["20,000 vertices", "random, seed 7", "forest", "/edge", "pairs", "prove", "vertex  partner  label"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let command = "matching --nodes 1000 --kind nested --shuffle --json";
    let report: Value = serde_json::from_slice(&sandbox.run(command).stdout).expect("one JSON object");
    assert_eq!((&report["problem"], &report["verified"]), (&"matching".into(), &1000.into()));
    assert_eq!((&report["graph"]["nodes"], &report["graph"]["edges"]), (&1000.into(), &1497.into()));
    // 999 of the vertices are a ladder with an end, of which any vertex can be left alone; the last is alone anyway.
    assert_eq!((&report["pairs"], &report["labels"]["D"]), (&499.into(), &1000.into()));
    let text = String::from_utf8(sandbox.run("matching --nodes 100 --no-verify").stdout).unwrap();
    assert!(text.contains("no label checked"), "{text}");
}

#[test]
fn from_standard_input_to_standard_output() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command("matching --edges - --out -");
    let output = command.write_stdin(npy_bytes(&[2, 2], &[0i32, 1, 1, 2])).output().unwrap();
    let (shape, partners) = from_npy::<i64>(&output.stdout);
    assert_eq!(shape, [3]);
    assert!(partners == [1, 0, -1] || partners == [-1, 2, 1]);
    assert!(String::from_utf8(output.stderr).unwrap().contains("1 pair,"));
}

#[test]
fn generated_graphs_are_what_the_demo_uses() {
    let sandbox = Sandbox::new();
    for kind in GraphKind::ALL {
        let name = kind.name();
        sandbox.run(&format!("gen graph --n 60 --kind {name} --seed 5 --out E.npy"));
        let want: Vec<i64> = kind.make::<u64>(60, 300, 5).into_flattened().into_iter().map(|v| v as i64).collect();
        assert_eq!(sandbox.npy::<i64>("E.npy"), (vec![want.len() as u64 / 2, 2], want), "{name}");
    }
    sandbox.run("gen graph --n 500 --edges 700 --shuffle --out E.npy");
    sandbox.run("matching --edges E.npy --nodes 500 --out 1.npy");
    sandbox.run("matching --nodes 500 --edge-count 700 --shuffle --out 2.npy");
    assert_eq!(sandbox.bytes("1.npy"), sandbox.bytes("2.npy"));
}

#[test]
fn bad_input_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.put_npy("flat.npy", &[6], &[1i64; 6]);
    sandbox.fail_saying("matching --edges flat.npy", &["flat.npy", "edges have shape (6,)", "(m, 2)"]);
    sandbox.put_npy("wide.npy", &[2, 3], &[1i32; 6]);
    sandbox.fail_saying("matching --edges wide.npy --out M.npy", &["wide.npy", "shape (2, 3)"]);
    sandbox.put_npy("float.npy", &[1, 2], &[1.0f64; 2]);
    sandbox.fail_saying("matching --edges float.npy", &["float.npy", "edges are of type f64, expected integers"]);
    sandbox.put("odd.bin", [0; 24]);
    sandbox.fail_saying("matching --edges odd.bin", &["odd.bin", "multiple of 16"]);
    let command = "matching --edges bad.npy --out M.npy --certificate U.npy";
    sandbox.put_npy("bad.npy", &[3, 2], &[0i64, 1, 1, 2, 3, -7]);
    sandbox.fail_saying(command, &["bad.npy", "row 2: vertex -7 is negative"]);
    sandbox.put_npy("bad.npy", &[3, 2], &[0i64, 1, 9, 2, 3, 4]);
    sandbox.fail_saying(&format!("{command} --nodes 9"), &["bad.npy", "row 1: there is no vertex 9, --nodes says 9"]);
    sandbox.put_npy("bad.npy", &[2, 2], &[0i64, 1, 1, 1 << 40]);
    sandbox.fail_saying(command, &["bad.npy", "row 1: there is no vertex 1099511627776"]);
    put_edges(&sandbox, &[[0, 1]]);
    sandbox.fail_saying("matching --edges E.npy --nodes 2^40", &["nodes"]);
    sandbox.fail_saying("matching --edges E.npy --nodes 23 --engine naive --out M.npy", &["naive", "at most 22"]);
    sandbox.fail_saying("matching --nodes 9000 --engine tutte", &["tutte", "at most 8192"]);
    sandbox.fail_saying("matching --edges E.npy --out X.npy --certificate ./X.npy", &["same file"]);
    sandbox.fail_saying("matching --edges E.npy --out nowhere/M.npy", &["nowhere/M.npy"]);
    sandbox.fail_saying("matching --edges E.npy --out M.npy --certificate /dev/full", &["/dev/full"]);
    sandbox.fail("matching --edges E.npy --out - --certificate -");
    sandbox.fail_saying("matching --kind path --edge-count 7", &["path", "as its shape says"]);
    sandbox.run("matching --nodes 0 --perfect");
    sandbox.fail_saying("matching --nodes 0 --edge-count 7", &["without vertices", "edges"]);
    sandbox.fail_saying("matching --nodes 2^31 --edge-count 2^50", &["out of memory"]);
    sandbox.fail_saying("gen graph --n 2^60 --out E2.npy", &["out of memory"]);
}
