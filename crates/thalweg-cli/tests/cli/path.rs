//! Round trips of `thalweg path`, scenarios, pictures, and what it refuses.

use serde_json::Value;
use thalweg::graph::path::{Engine, Grid, Length, Moves, Query, verify};
use thalweg_data::{GridKind, grid_queries};

use crate::sandbox::{Sandbox, from_npy, npy_bytes, spellings};

const ROWS: usize = 40;
const COLS: usize = 70;

/// A map with walls, and queries on it, as files `G.npy` and `Q.npy`.
fn put_map(sandbox: &Sandbox, kind: GridKind, count: usize) -> (Grid, Vec<Query>) {
    let walls = kind.make(ROWS, COLS, 30, 3);
    sandbox.put_npy("G.npy", &[ROWS as u64, COLS as u64], &walls);
    let rows = grid_queries(ROWS, COLS, |_| true, count, 4);
    sandbox.put_npy("Q.npy", &[count as u64, 4], rows.as_flattened());
    let queries = rows.iter().map(|&[a, b, c, d]| Query::new([a, b], [c, d])).collect();
    (Grid::from_walls(ROWS, COLS, &walls).unwrap(), queries)
}

/// The exact lengths that were written.
fn parts(sandbox: &Sandbox) -> Vec<Option<Length>> {
    let (shape, parts) = sandbox.npy::<i64>("S.npy");
    assert_eq!(shape[1], 2);
    let length = |&[a, b]: &[i64; 2]| (a >= 0).then(|| Length::new(a as u64, b as u64));
    parts.as_chunks::<2>().0.iter().map(length).collect()
}

#[test]
fn every_engine_and_move_tells_the_same_shortest_paths() {
    let sandbox = Sandbox::new();
    for kind in [GridKind::Random, GridKind::Rooms, GridKind::Cups] {
        let (grid, queries) = put_map(&sandbox, kind, 50);
        for moves in [Moves::Four, Moves::Eight] {
            let mut first = None;
            for engine in Engine::ALL.iter().flat_map(|engine| spellings(engine.name())) {
                sandbox.run(&format!(
                    "path --grid G.npy --queries Q.npy --out L.npy --parts S.npy --paths P.npy --offsets O.npy \
                     --moves {moves} --engine {engine}"
                ));
                let lengths = parts(&sandbox);
                assert_eq!(lengths.len(), queries.len());
                let ((shape, cells), (_, offsets)) = (sandbox.npy::<i64>("P.npy"), sandbox.npy::<i64>("O.npy"));
                assert_eq!((shape[1], offsets.len(), offsets[queries.len()]), (2, queries.len() + 1, shape[0] as i64));
                for (i, (&query, &length)) in queries.iter().zip(&lengths).enumerate() {
                    let path: Vec<u32> = cells.as_chunks::<2>().0[offsets[i] as usize..offsets[i + 1] as usize]
                        .iter()
                        .map(|&[row, column]| (row * COLS as i64 + column) as u32)
                        .collect();
                    let path = length.map(|_| &path[..]);
                    assert_eq!(verify(&grid, moves, query, length, path), Ok(()), "{engine} {moves} query {i}");
                }
                if moves == Moves::Four {
                    let want: Vec<i64> = lengths.iter().map(|l| l.map_or(-1, |l| l.straight as i64)).collect();
                    assert_eq!(sandbox.npy::<i64>("L.npy").1, want);
                } else {
                    let want: Vec<f64> = lengths.iter().map(|l| l.map_or(-1.0, Length::to_f64)).collect();
                    assert_eq!(sandbox.npy::<f64>("L.npy").1, want);
                }
                assert_eq!(*first.get_or_insert((lengths.clone(), cells.clone())), (lengths, cells), "{engine}");
            }
        }
    }
}

#[test]
fn every_type_of_walls_costs_and_queries() {
    let sandbox = Sandbox::new();
    let (_, queries) = put_map(&sandbox, GridKind::Random, 30);
    let walls = GridKind::Random.make(ROWS, COLS, 30, 3);
    let costs = GridKind::Random.make_costs(ROWS, COLS, 30, 9, 3);
    let rows: Vec<u32> = queries.iter().flat_map(|q| [q.start[0], q.start[1], q.goal[0], q.goal[1]]).collect();
    let shape = [ROWS as u64, COLS as u64];
    sandbox.run("path --grid G.npy --queries Q.npy --parts S.npy");
    let want = sandbox.bytes("S.npy");
    sandbox.put_npy("C.npy", &shape, &costs);
    sandbox.run("path --grid C.npy --costs --queries Q.npy --parts S.npy");
    let want_costs = sandbox.bytes("S.npy");
    assert_ne!(want, want_costs);
    let check = |command: &str, want: &[u8]| {
        sandbox.run(&format!("path --parts S.npy {command}"));
        assert!(sandbox.bytes("S.npy") == want, "{command}");
    };
    macro_rules! one {
        ($($t:ident)*) => {$(
            // Any number but zero is a wall.
            let numbers: Vec<$t> = walls.iter().map(|&wall| if wall == 0 { 0 as $t } else { 7 as $t }).collect();
            sandbox.put_npy("T.npy", &shape, &numbers);
            check("--grid T.npy --queries Q.npy", &want);
            let numbers: Vec<$t> = rows.iter().map(|&x| x as $t).collect();
            sandbox.put_npy("R.npy", &[30, 4], &numbers);
            sandbox.put("R.bin", numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>());
            if stringify!($t).starts_with('f') {
                sandbox.fail_saying("path --grid G.npy --queries R.npy", &["R.npy", "expected integers"]);
                sandbox.fail_saying("path --grid T.npy --costs --queries Q.npy", &["T.npy", "expected integers"]);
            } else {
                check("--grid G.npy --queries R.npy", &want);
                check(concat!("--grid G.npy --queries R.bin --query-dtype ", stringify!($t)), &want);
                let numbers: Vec<$t> = costs.iter().map(|&cost| cost as $t).collect();
                sandbox.put_npy("T.npy", &shape, &numbers);
                check("--grid T.npy --costs --queries Q.npy", &want_costs);
            }
        )*};
    }
    one!(u8 i8 u16 i16 u32 i32 u64 i64 f32 f64);
    // Truth values, columns one after the other.
    let text = format!("{{'descr': '|b1', 'fortran_order': True, 'shape': ({ROWS}, {COLS}), }}");
    let mut file = [b"\x93NUMPY\x01\x00".as_slice(), &(text.len() as u16).to_le_bytes(), text.as_bytes()].concat();
    file.extend((0..ROWS * COLS).map(|i| walls[i % ROWS * COLS + i / ROWS]));
    sandbox.put("F.npy", file);
    check("--grid F.npy --queries Q.npy", &want);
    // Costs, columns one after the other, big-endian; and queries.
    let text = format!("{{'descr': '>i4', 'fortran_order': True, 'shape': ({ROWS}, {COLS}), }}");
    let mut file = [b"\x93NUMPY\x01\x00".as_slice(), &(text.len() as u16).to_le_bytes(), text.as_bytes()].concat();
    file.extend((0..ROWS * COLS).flat_map(|i| costs[i % ROWS * COLS + i / ROWS].to_be_bytes()));
    sandbox.put("F.npy", file);
    check("--grid F.npy --costs --queries Q.npy", &want_costs);
    let text = "{'descr': '<i8', 'fortran_order': True, 'shape': (30, 4), }";
    let mut file = [b"\x93NUMPY\x01\x00".as_slice(), &(text.len() as u16).to_le_bytes(), text.as_bytes()].concat();
    file.extend((0..120).flat_map(|i| i64::from(rows[i % 30 * 4 + i / 30]).to_le_bytes()));
    sandbox.put("F.npy", file);
    check("--grid G.npy --queries F.npy", &want);
}

const MAP: &str = "type octile\nheight 3\nwidth 4\nmap\n.@..\n.@.T\nG..S\n";

#[test]
fn scenarios_are_compared() {
    let sandbox = Sandbox::new();
    sandbox.put("m.map", MAP);
    // Columns come before rows there. Around the wall without cutting its corner: down, down, right, right, up.
    let good = "version 1\n0\tm.map\t4\t3\t0\t0\t2\t1\t5.00000000\n0\tm.map\t4\t3\t2\t0\t2\t2\t2.00000000\n";
    sandbox.put("s.scen", good);
    let text = String::from_utf8(sandbox.run("path --grid m.map --queries s.scen --out L.npy").stdout).unwrap();
    assert!(text.contains("2 lengths of the scenarios, 0 differ"), "{text}");
    assert_eq!(sandbox.npy::<f64>("L.npy"), (vec![2], vec![5.0, 2.0]));
    sandbox.put("s.scen", good.replace("5.00000000", "4.82842712"));
    let output = sandbox.command("path --grid m.map --queries s.scen --out L.npy").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    let want = "s.scen: line 2: length 4.82842712 is told, but the shortest path has 5 (1 of 2 differ)";
    assert!(said.contains(want) && said.lines().count() == 1, "{said}");
    // Lengths of four moves are others.
    let text = String::from_utf8(sandbox.run("path --grid m.map --queries s.scen --moves 4").stdout).unwrap();
    assert!(text.contains("for 8 moves"), "{text}");
    sandbox.put("s.scen", good.replace("4\t3", "4\t5"));
    sandbox.fail_saying("path --grid m.map --queries s.scen", &["s.scen", "line 2", "4 x 5", "4 x 3"]);
    sandbox.put("s.scen", good.replace("2\t2\t2.0", "2\t3\t2.0"));
    sandbox.fail_saying("path --grid m.map --queries s.scen", &["s.scen", "line 3", "no row 3, column 2"]);
    sandbox.put("s.scen", "version 1\n0\tm.map\t4\t3\t0\n");
    sandbox.fail_saying("path --grid m.map --queries s.scen", &["s.scen", "line 2: 5 columns, not 9"]);
    sandbox.put("bad.map", MAP.replace('S', "?"));
    sandbox.fail_saying("path --grid bad.map", &["bad.map", "line 7", "column 4", "'?'"]);
    sandbox.put("bad.map", "");
    sandbox.fail_saying("path --grid bad.map", &["bad.map", "line 1"]);
    sandbox.fail_saying("path --grid m.map --costs", &["m.map", "costs"]);
}

#[test]
fn a_picture_of_one_path() {
    let sandbox = Sandbox::new();
    sandbox.put("m.map", MAP);
    sandbox.put_npy("Q.npy", &[2, 4], &[0i64, 0, 0, 3, 0, 0, 0, 1]);
    sandbox.run("path --grid m.map --queries Q.npy --plot one.svg");
    let svg = String::from_utf8(sandbox.bytes("one.svg")).unwrap();
    assert!(svg.contains("Shortest path from (0, 0) to (0, 3): 7"), "{svg}");
    sandbox.run("path --grid m.map --queries Q.npy --plot one.svg --plotted 1");
    let svg = String::from_utf8(sandbox.bytes("one.svg")).unwrap();
    assert!(svg.contains("No path from (0, 0) to (0, 1)"), "{svg}");
    sandbox.fail_saying(
        "path --grid m.map --queries Q.npy --plot two.svg --plotted 2",
        &["no query 2: there are only 2 queries"],
    );
}

#[test]
fn the_demo_reports() {
    let sandbox = Sandbox::new();
    let text = String::from_utf8(sandbox.run("path").stdout).unwrap();
    for part in [
        "512 x 512 cells",
        "rooms, seed 7",
        "jump (8 moves)",
        "/length",
        "a path for 1,000 of 1,000 queries",
        "proved shortest",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let command = "path --rows 60 --cols 50 --kind maze --costs --count 20 --moves 4 --json";
    let report: Value = serde_json::from_slice(&sandbox.run(command).stdout).expect("one JSON object");
    assert_eq!((&report["problem"], &report["verified"]), (&"path".into(), &20.into()));
    assert_eq!((&report["engine"], &report["reached"]), (&"buckets".into(), &20.into()));
    let text = String::from_utf8(sandbox.run("path --rows 10 --cols 10 --no-verify").stdout).unwrap();
    assert!(text.contains("no answer checked"), "{text}");
}

#[test]
fn generated_maps_are_what_the_demo_uses() {
    let sandbox = Sandbox::new();
    for kind in GridKind::ALL {
        let walls = if *kind == GridKind::Random { "--walls 25" } else { "" };
        let name = kind.name();
        sandbox.run(&format!("gen grid --rows 50 --cols 65 --kind {name} {walls} --seed 5 --out G.npy"));
        assert_eq!(sandbox.npy::<u8>("G.npy"), (vec![50, 65], kind.make(50, 65, 25, 5)), "{name}");
        sandbox.run("gen routes --grid G.npy --count 9 --seed 5 --out Q.npy");
        sandbox.run("path --grid G.npy --queries Q.npy --parts 1.npy");
        let made = format!("--rows 50 --cols 65 --kind {name} {walls} --seed 5 --count 9");
        sandbox.run(&format!("path {made} --parts 2.npy"));
        assert_eq!(sandbox.bytes("1.npy"), sandbox.bytes("2.npy"), "{name}");
    }
    sandbox.run("gen grid --rows 50 --cols 65 --costs --out C.npy");
    assert_eq!(sandbox.npy::<u32>("C.npy").1, GridKind::Random.make_costs(50, 65, 20, 9, 7));
    sandbox.run("gen routes --grid C.npy --costs --count 9 --out Q.npy");
    sandbox.run("path --grid C.npy --costs --queries Q.npy");
}

#[test]
fn from_standard_input_to_standard_output() {
    let sandbox = Sandbox::new();
    sandbox.put_npy("Q.npy", &[1, 4], &[0u8, 0, 1, 1]);
    let mut command = sandbox.command("path --grid - --queries Q.npy --out - --moves 4");
    let output = command.write_stdin(npy_bytes(&[2, 2], &[0i32, 5, 0, 0])).output().unwrap();
    assert_eq!(from_npy::<i64>(&output.stdout), (vec![1], vec![2]));
    assert!(String::from_utf8(output.stderr).unwrap().contains("a path for 1 of 1 query"));
}

#[test]
fn bad_input_is_refused() {
    let sandbox = Sandbox::new();
    let command = "path --grid G.npy --queries Q.npy --out L.npy";
    let good = |sandbox: &Sandbox| {
        sandbox.put_npy("G.npy", &[2, 3], &[0u8; 6]);
        sandbox.put_npy("Q.npy", &[1, 4], &[0i64, 0, 1, 2]);
    };
    good(&sandbox);
    sandbox.put_npy("G.npy", &[6], &[0u8; 6]);
    sandbox.fail_saying(command, &["G.npy", "shape (6,)", "(rows, columns)"]);
    sandbox.put("G.npy", "nonsense");
    sandbox.fail_saying(command, &["G.npy"]);
    good(&sandbox);
    sandbox.put_npy("Q.npy", &[2, 2], &[0i64; 4]);
    sandbox.fail_saying(command, &["Q.npy", "shape (2, 2)", "(q, 4)"]);
    sandbox.put_npy("Q.npy", &[2, 4], &[0i64, 0, 1, 2, 0, 0, -1, 2]);
    sandbox.fail_saying(command, &["Q.npy", "row 1: -1 is negative"]);
    sandbox.put_npy("Q.npy", &[2, 4], &[0i64, 0, 1, 2, 0, 0, 2, 2]);
    sandbox.fail_saying(command, &["Q.npy", "row 1: there is no row 2, column 2 on a map of 2 x 3 cells"]);
    sandbox.put_npy("Q.npy", &[1, 4], &[0i64, 1 << 40, 1, 2]);
    sandbox.fail_saying(command, &["Q.npy", "row 0: there is no row or column 1099511627776"]);
    good(&sandbox);
    sandbox.put_npy("C.npy", &[2, 3], &[1i64, 1, 1, 1, -3, 1]);
    sandbox.fail_saying("path --grid C.npy --costs --queries Q.npy", &["C.npy", "row 1: cost -3 is negative"]);
    sandbox.put_npy("C.npy", &[2, 3], &[1i64, 1, 1 << 32, 1, 1, 1]);
    sandbox.fail_saying("path --grid C.npy --costs --queries Q.npy", &["C.npy", "row 0", "more than 32 bits"]);
    sandbox.put_npy("C.npy", &[2, 3], &[1u32; 6]);
    let jump = "path --grid C.npy --costs --queries Q.npy --engine jump --out L.npy";
    sandbox.fail_saying(jump, &["jump takes grids without costs"]);
    sandbox.fail_saying("path --grid G.npy --paths P.npy", &["--paths: needs --offsets"]);
    sandbox.fail_saying("path --grid G.npy --offsets O.npy", &["--offsets: needs --paths"]);
    sandbox.fail_saying("path --grid G.npy --out X.npy --parts ./X.npy", &["same file"]);
    sandbox.fail_saying("path --grid G.npy --out nowhere/L.npy", &["nowhere/L.npy"]);
    sandbox.fail_saying("path --grid G.npy --out /dev/full", &["/dev/full"]);
    sandbox.fail_saying("path --rows 0", &["empty map"]);
    sandbox.fail_saying("path --rows 2^20 --cols 2^20", &[]);
    sandbox.fail_saying("gen grid --rows 2^30 --cols 2^30 --out G2.npy", &["out of memory"]);
    sandbox.fail_saying("gen routes --grid missing.npy --out Q2.npy", &["missing.npy"]);
    // Nothing to do is no mistake.
    sandbox.put_npy::<i64>("Q.npy", &[0, 4], &[]);
    sandbox.run("path --grid G.npy --queries Q.npy --out L.npy --paths P.npy --offsets O.npy");
    assert_eq!(sandbox.npy::<i64>("O.npy"), (vec![1], vec![0]));
    assert_eq!(sandbox.npy::<i64>("P.npy").0, [0, 2]);
}
