//! Round trips of `thalweg rank`, `forest`, `lca`, `subtree` and `cartesian`.

use serde_json::Value;
use thalweg::{Position, list, tree};
use thalweg_data::forests::{self, walk};
use thalweg_data::lists::{links_from_head, links_to_end, sums_from_head, sums_to_end, weights};
use thalweg_data::{ArrayKind, ForestKind, ListKind, Random};

use crate::sandbox::{Sandbox, spellings};

const N: usize = 3001;

/// As a file holds it: -1 for none.
fn signed(positions: &[u32]) -> Vec<i64> {
    positions.iter().map(|p| p.checked().map_or(-1, |p| p as i64)).collect()
}

fn json(sandbox: &Sandbox, arguments: &str) -> Value {
    serde_json::from_slice(&sandbox.run(arguments).stdout).expect("one JSON object")
}

#[test]
fn rank_by_every_engine() {
    let sandbox = Sandbox::new();
    for kind in [ListKind::Random, ListKind::Several] {
        let next = kind.make::<u32>(N, 3);
        let weights = weights(N, 3);
        sandbox.put_npy("S.npy", &[N as u64], &signed(&next)).put_npy("W.npy", &[N as u64], &weights);
        let weight = |i: usize| i64::from(weights[i]);
        for engine in list::Engine::ALL.iter().flat_map(|e| spellings(e.name())) {
            let files = format!("rank --next S.npy --out D.npy --engine {engine}");
            sandbox.run(&files);
            assert_eq!(sandbox.npy::<i64>("D.npy"), (vec![N as u64], signed(&links_to_end(&next))), "{engine}");
            sandbox.run(&format!("{files} --direction from-head"));
            assert_eq!(sandbox.npy::<i64>("D.npy").1, signed(&links_from_head(&next)), "{engine}");
            sandbox.run(&format!("{files} --weights W.npy"));
            assert_eq!(sandbox.npy::<i64>("D.npy").1, sums_to_end(&next, weight), "{engine}");
            sandbox.run(&format!("{files} --weights W.npy --direction from-head --verify 2^40"));
            assert_eq!(sandbox.npy::<i64>("D.npy").1, sums_from_head(&next, weight), "{engine}");
        }
    }
}

/// Any integer type will do, raw files and pipes too.
#[test]
fn links_of_every_type() {
    let sandbox = Sandbox::new();
    macro_rules! one {
        ($($t:ident)*) => {$(
            sandbox.put_npy("S.npy", &[4], &[3 as $t, 1, 0, 3]).run("rank --next S.npy --out D.npy");
            assert_eq!(sandbox.npy::<i64>("D.npy").1, [1, 0, 2, 0]);
            let raw: Vec<u8> = [3 as $t, 1, 0, 3].iter().flat_map(|x| x.to_le_bytes()).collect();
            sandbox.put("S.bin", raw).run(concat!("rank --next S.bin --out D.npy --dtype ", stringify!($t)));
            assert_eq!(sandbox.npy::<i64>("D.npy").1, [1, 0, 2, 0]);
        )*};
    }
    one!(u8 u16 u32 u64 i8 i16 i32 i64);
    sandbox.put_npy("S.npy", &[4], &[3i8, -1, 0, -1]).run("rank --next S.npy --out D.npy");
    assert_eq!(sandbox.npy::<i64>("D.npy").1, [1, 0, 2, 0]);
    sandbox.put_npy("P.npy", &[4], &[-1i16, 0, 1, -1]).run("forest --parents P.npy --depths D.npy");
    assert_eq!(sandbox.npy::<i64>("D.npy").1, [0, 1, 2, 0]);
}

#[test]
fn forest_by_every_engine() {
    let sandbox = Sandbox::new();
    for kind in [ForestKind::Random, ForestKind::Many, ForestKind::Path] {
        let parents = kind.shuffled::<u32>(N, 3);
        let walked = walk(&parents);
        sandbox.put_npy("P.npy", &[N as u64], &signed(&parents));
        let engines = tree::Engine::ALL.iter().flat_map(|e| spellings(e.name())).map(|e| format!("--engine {e}"));
        for engine in engines.chain([String::new()]) {
            sandbox.run(&format!(
                "forest --parents P.npy --roots R.npy --depths D.npy --sizes S.npy --preorder O.npy --postorder B.npy {engine}"
            ));
            for (file, want) in [
                ("R.npy", &walked.roots),
                ("D.npy", &walked.depths),
                ("S.npy", &walked.sizes),
                ("O.npy", &walked.preorder),
                ("B.npy", &walked.postorder),
            ] {
                assert_eq!(sandbox.npy::<i64>(file), (vec![N as u64], signed(want)), "{engine} {file}");
            }
            sandbox.run(&format!("forest --parents P.npy --postorder C.npy {engine}"));
            assert_eq!(sandbox.bytes("B.npy"), sandbox.bytes("C.npy"), "{engine}");
            sandbox.run(&format!("forest --parents P.npy --depths D.npy {engine}"));
            assert_eq!(sandbox.npy::<i64>("D.npy").1, signed(&walked.depths), "{engine}");
        }
    }
}

#[test]
fn lca_by_every_engine() {
    let sandbox = Sandbox::new();
    for kind in [ForestKind::Random, ForestKind::Many, ForestKind::Comb] {
        let parents = kind.shuffled::<u32>(N, 4);
        let depths = walk(&parents).depths;
        let random = Random::new(1, 1);
        let queries: Vec<i64> = (0..800).map(|i| random.below(i, N as u64) as i64).collect();
        let want: Vec<u32> =
            queries.chunks(2).map(|q| forests::lca(&parents, &depths, q[0] as usize, q[1] as usize)).collect();
        sandbox.put_npy("P.npy", &[N as u64], &signed(&parents)).put_npy("Q.npy", &[400, 2], &queries);
        for engine in tree::lca::Engine::ALL.iter().flat_map(|e| spellings(e.name())) {
            sandbox.run(&format!("lca --parents P.npy --queries Q.npy --out R.npy --engine {engine}"));
            assert_eq!(sandbox.npy::<i64>("R.npy"), (vec![400], signed(&want)), "{engine}");
        }
    }
}

#[test]
fn subtrees_of_all_and_of_some_nodes() {
    let sandbox = Sandbox::new();
    let parents = ForestKind::Many.shuffled::<u32>(N, 5);
    let walked = walk(&parents);
    let values = ArrayKind::Few.make::<i16>(N, 1);
    let nodes: Vec<i64> = (0..N as i64).rev().step_by(7).collect();
    sandbox.put_npy("P.npy", &[N as u64], &signed(&parents)).put_npy("V.npy", &[N as u64], &values).put_npy(
        "N.npy",
        &[nodes.len() as u64],
        &nodes,
    );
    let subtree = |v: usize| {
        let first = walked.preorder[v] as usize;
        walked.order[first..first + walked.sizes[v] as usize].iter().map(|&v| v as usize)
    };
    // `min_by_key` returns the first of equals, and `max_by_key` the last.
    let least = |v: usize| subtree(v).min_by_key(|&v| values[v]).unwrap();
    let greatest = |v: usize| subtree(v).min_by_key(|&v| std::cmp::Reverse(values[v])).unwrap();
    let sum = |v: usize| subtree(v).map(|v| i64::from(values[v])).sum::<i64>();
    for (asked, all) in [("", (0..N as i64).collect()), ("--nodes N.npy", nodes)] {
        let files = format!("subtree --parents P.npy --values V.npy --out R.npy {asked}");
        let expected = |answer: &dyn Fn(usize) -> i64| all.iter().map(|&v| answer(v as usize)).collect::<Vec<i64>>();
        sandbox.run(&files);
        let want: Vec<i16> = all.iter().map(|&v| values[least(v as usize)]).collect();
        assert_eq!(sandbox.npy::<i16>("R.npy"), (vec![all.len() as u64], want));
        sandbox.run(&format!("{files} --what argmin"));
        assert_eq!(sandbox.npy::<i64>("R.npy").1, expected(&|v| least(v) as i64));
        sandbox.run(&format!("{files} --what argmin --max"));
        assert_eq!(sandbox.npy::<i64>("R.npy").1, expected(&|v| greatest(v) as i64));
        sandbox.run(&format!("{files} --what sum"));
        assert_eq!(sandbox.npy::<i64>("R.npy").1, expected(&sum));
        sandbox.run(&format!("subtree --parents P.npy --out R.npy {asked} --what size"));
        assert_eq!(sandbox.npy::<i64>("R.npy").1, expected(&|v| walked.sizes[v].into()));
    }
}

#[test]
fn cartesian_trees() {
    let sandbox = Sandbox::new();
    sandbox.put_npy("A.npy", &[6], &[5f32, 3.0, 8.0, 1.0, 9.0, 1.0]);
    sandbox.run("cartesian --array A.npy --out P.npy");
    assert_eq!(sandbox.npy::<i64>("P.npy"), (vec![6], vec![1, 3, 1, -1, 5, 3]));
    sandbox.run("cartesian --array A.npy --out P.npy --max");
    assert_eq!(sandbox.npy::<i64>("P.npy").1, [2, 0, 4, 2, -1, 4]);
    // What comes out is a forest.
    sandbox.run("forest --parents P.npy --depths D.npy");
    assert_eq!(sandbox.npy::<i64>("D.npy").1, [2, 3, 1, 2, 0, 1]);
}

#[test]
fn demos_report() {
    let sandbox = Sandbox::new();
    for (command, parts) in [
        ("rank --n 5000", ["5,000 x u32", "links to end", "rank"]),
        ("forest --n 5000 --kind deep --shuffle", ["5,000 x u32", "deep, shuffled", "preorder"]),
        ("lca --n 5000 --count 1k", ["1,000 x u32", "inlabel", "/query"]),
        ("subtree --n 5000", ["f32 values", "min of subtrees", "answer"]),
        ("subtree --n 5000 --what sum", ["5,000 x u32", "sum of subtrees", "answer"]),
        ("subtree --n 5000 --what argmin --max", ["5,000 x u32", "argmax of subtrees", "answer"]),
        ("cartesian --n 5000", ["5,000 x f32", "minimum at the root", "parent"]),
    ] {
        let output = sandbox.run(command);
        let text = String::from_utf8(output.stdout).unwrap();
        for part in parts {
            assert!(text.contains(part), "{command}: {part}: {text}");
        }
        assert!(output.stderr.is_empty(), "{command}");
        let report = json(&sandbox, &format!("{command} --json --threads 2"));
        assert_eq!(report["threads"], 2, "{command}");
        assert!(report["verified"].as_u64() > Some(0), "{command}");
        assert_eq!(report["answers"]["rows"].as_array().map(Vec::len), Some(5), "{command}");
    }
    assert!(sandbox.files().is_empty());
}

#[test]
fn generated_links_are_what_the_demos_use() {
    let sandbox = Sandbox::new();
    for &kind in ListKind::ALL {
        sandbox.run(&format!("gen list --n 999 --kind {} --out S.npy", kind.name()));
        assert_eq!(sandbox.npy::<i64>("S.npy"), (vec![999], signed(&kind.make::<u32>(999, 7))), "{kind:?}");
        sandbox.run("rank --next S.npy --out 1.npy");
        sandbox.run(&format!("rank --n 999 --kind {} --out 2.npy", kind.name()));
        assert_eq!(sandbox.bytes("1.npy"), sandbox.bytes("2.npy"), "{kind:?}");
    }
    for &kind in ForestKind::ALL {
        for (shuffle, want) in [("", kind.make::<u32>(999, 7)), ("--shuffle", kind.shuffled(999, 7))] {
            for name in spellings(kind.name()) {
                sandbox.run(&format!("gen forest --n 999 --kind {name} {shuffle} --out P.npy"));
                assert_eq!(sandbox.npy::<i64>("P.npy"), (vec![999], signed(&want)), "{name}");
            }
            sandbox.run("forest --parents P.npy --preorder 1.npy");
            sandbox.run(&format!("forest --n 999 --kind {} {shuffle} --preorder 2.npy", kind.name()));
            assert_eq!(sandbox.bytes("1.npy"), sandbox.bytes("2.npy"), "{kind:?}");
        }
    }
}

#[test]
fn empty_and_single() {
    let sandbox = Sandbox::new();
    sandbox.put_npy::<i64>("E.npy", &[0], &[]).put_npy::<i64>("Q.npy", &[0, 2], &[]).put_npy("1.npy", &[1], &[-1i64]);
    sandbox.run("rank --next E.npy --weights E.npy --out D.npy");
    assert_eq!(sandbox.npy::<i64>("D.npy"), (vec![0], vec![]));
    sandbox.run("rank --next 1.npy --out D.npy");
    assert_eq!(sandbox.npy::<i64>("D.npy").1, [0]);
    for what in ["min", "argmin", "sum", "size"] {
        let values = if what == "size" { "" } else { "--values E.npy" };
        sandbox.run(&format!("subtree --parents E.npy {values} --what {what} --out R.npy"));
        assert_eq!(sandbox.npy::<i64>("R.npy"), (vec![0], vec![]));
    }
    sandbox.run("forest --parents E.npy --sizes S.npy");
    sandbox.run("lca --parents E.npy --queries Q.npy --out R.npy");
    sandbox.run("lca --parents E.npy --count 0");
    sandbox.run("cartesian --n 0");
    sandbox.run("forest --parents 1.npy --sizes S.npy --roots R.npy");
    assert_eq!((sandbox.npy::<i64>("S.npy").1, sandbox.npy::<i64>("R.npy").1), (vec![1], vec![0]));
}

#[test]
fn bad_lists_and_forests() {
    let sandbox = Sandbox::new();
    let put = |links: &[i64]| sandbox.put_npy("L.npy", &[links.len() as u64], links);
    let forests = [
        "forest --parents L.npy --depths D.npy",
        "lca --parents L.npy --out D.npy",
        "subtree --parents L.npy --what size --out D.npy",
    ];
    put(&[1, 2, 0, -1]);
    sandbox.fail_saying("rank --next L.npy --out D.npy", &["L.npy: element 0 is on a cycle"]);
    for command in forests {
        sandbox.fail_saying(command, &["L.npy: node 0 is on a cycle"]);
    }
    put(&[1, 9, 0]);
    sandbox.fail_saying(
        "rank --next L.npy --out D.npy",
        &["L.npy: row 1: points to element 9, but there are only 3 elements"],
    );
    for command in forests {
        sandbox.fail_saying(command, &["L.npy: row 1: points to node 9, but there are only 3 nodes"]);
    }
    put(&[1, -2, 0]);
    sandbox.fail_saying("rank --next L.npy --out D.npy", &["L.npy: row 1: -2 is negative, and only -1"]);
    put(&[2, 2, 2]);
    sandbox.fail_saying("rank --next L.npy --out D.npy", &["L.npy: element 2 follows two others", "0 and 1"]);
    put(&[i64::MAX, 0]);
    sandbox.fail_saying("rank --next L.npy --out D.npy", &["L.npy: row 0: points to element 9223372036854775807"]);
    sandbox.put_npy("L.npy", &[2], &[u64::MAX, 0]);
    sandbox.fail_saying("rank --next L.npy --out D.npy", &["L.npy: row 0: points to element 18446744073709551615"]);
    sandbox.put_npy("L.npy", &[2], &[0f32, 1.0]);
    sandbox.fail_saying("rank --next L.npy --out D.npy", &["L.npy: successors are of type f32, expected integers"]);
    sandbox.put_npy("L.npy", &[1, 2], &[0i64, 1]);
    sandbox.fail_saying("forest --parents L.npy --depths D.npy", &["L.npy: the parents have shape (1, 2)"]);
    put(&[-1, 0]);
    for (weights, part) in [(vec![1i64], "1 weight, expected 2"), (vec![i64::MAX, 1], "more than 64 bits")] {
        sandbox.put_npy("W.npy", &[weights.len() as u64], &weights);
        sandbox.fail_saying("rank --next L.npy --weights W.npy --out D.npy", &["W.npy: ", part]);
    }
    sandbox.put_npy("V.npy", &[2], &[0.5f64, 1.0]).put_npy("N.npy", &[3], &[0i32, 1, 2]);
    let subtree = "subtree --parents L.npy --values V.npy --out D.npy";
    sandbox.fail_saying(&format!("{subtree} --what sum"), &["V.npy: weights are of type f64, expected integers"]);
    sandbox.fail_saying(
        &format!("{subtree} --nodes N.npy"),
        &["N.npy: row 2: there is no node 2: there are only 2 nodes"],
    );
    sandbox.put_npy("V.npy", &[1], &[0.5f64]).fail_saying(subtree, &["V.npy: 1 value, expected 2"]);
    for (queries, part) in [
        ([0i64, 1, 1, 2], "row 1: there is no node 2: there are only 2 nodes"),
        ([0, 1, -1, 0], "row 1: node -1 is negative"),
    ] {
        sandbox.put_npy("Q.npy", &[2, 2], &queries);
        sandbox.fail_saying("lca --parents L.npy --queries Q.npy --out D.npy", &["Q.npy: ", part]);
    }
    sandbox.fail_saying("lca --parents L.npy --queries L.npy --out D.npy", &["L.npy: queries have shape (2,)"]);
    sandbox.fail_saying("forest --parents L.npy --depths D.npy --roots D.npy", &["the same file"]);
    sandbox.fail_saying("lca --n 0 --count 1", &["empty forest"]);
    sandbox.fail_saying("gen list --n 2^50 --out D.npy", &["out of memory"]);
    sandbox.fail_saying("gen forest --n 2^50 --out D.npy", &["out of memory"]);
    sandbox.fail_saying("forest --n 2^50", &["out of memory"]);
}

#[test]
fn verbose_tells_what_was_chosen_and_why() {
    let sandbox = Sandbox::new();
    sandbox.put_npy("P.npy", &[3], &[-1i64, 0, 0]);
    let log = String::from_utf8(sandbox.run("lca --parents P.npy --count 5 --verbose --engine naive").stderr).unwrap();
    for part in ["engine: naive, --engine", "parents: P.npy, i64 of shape (3,)", "so 5 are generated"] {
        assert!(log.contains(part), "{part}: {log}");
    }
}
