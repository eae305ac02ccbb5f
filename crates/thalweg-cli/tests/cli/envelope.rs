//! Round trips of `thalweg envelope`, and what it refuses.

use serde_json::Value;
use thalweg::geometry::envelope::{Engine, Envelope, Grid, Segments, Side, lower_envelope, raster, upper_envelope};
use thalweg_data::SegmentKind;

use crate::sandbox::{Sandbox, npy_bytes, spellings};

const N: usize = 301;

fn ids(envelope: &Envelope) -> Vec<i64> {
    envelope.pieces().map(|piece| piece.segment.map_or(-1, |id| id as i64)).collect()
}

/// Options that do not go together are refused with the usage.
fn refused(sandbox: &Sandbox, arguments: &str, said: &str) {
    let output = sandbox.command(arguments).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && stderr.contains(said), "{arguments}: {stderr}");
}

#[test]
fn every_engine_and_both_sides() {
    let sandbox = Sandbox::new();
    let rows = SegmentKind::Points.make::<i16>(N, 9);
    sandbox.put_npy("S.npy", &[N as u64, 4], rows.as_flattened());
    let engines = [Engine::Merge, Engine::Sweep, Engine::Naive];
    for engine in engines.iter().flat_map(|engine| spellings(engine.name())) {
        for (option, want) in [("", lower_envelope(&rows).unwrap()), ("--upper", upper_envelope(&rows).unwrap())] {
            sandbox.run(&format!("envelope --segments S.npy --out X.npy --ids I.npy --engine {engine} {option}"));
            let len = want.len() as u64;
            assert_eq!(sandbox.npy::<f64>("X.npy"), (vec![len], want.starts().to_vec()), "{engine} {option}");
            assert_eq!(sandbox.npy::<i64>("I.npy"), (vec![len], ids(&want)), "{engine} {option}");
        }
    }
}

#[test]
fn every_type() {
    let sandbox = Sandbox::new();
    macro_rules! one {
        ($t:ident) => {
            let rows = SegmentKind::Crossing.make::<$t>(N, 4);
            let want = lower_envelope(&rows).unwrap();
            sandbox.put_npy("S.npy", &[N as u64, 4], rows.as_flattened());
            sandbox.run("envelope --segments S.npy --out X.npy --ids I.npy");
            assert_eq!(sandbox.npy::<f64>("X.npy").1, want.starts());
            assert_eq!(sandbox.npy::<i64>("I.npy").1, ids(&want));
            let bytes: Vec<u8> = rows.as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect();
            sandbox.put("S.bin", bytes);
            sandbox.run(concat!("envelope --segments S.bin --out R.npy --dtype ", stringify!($t)));
            assert_eq!(sandbox.bytes("R.npy"), sandbox.bytes("X.npy"));
        };
    }
    thalweg::for_each_key!(one);
}

#[test]
fn exact_starts_values_and_gaps() {
    let sandbox = Sandbox::new();
    sandbox.put_npy("S.npy", &[3, 4], &[0i32, 0, 3, 3, 0, 2, 5, 0, 8, -4, 8, 7]);
    sandbox.put_npy("Q.npy", &[7], &[-0.5, 0.0, 1.0, 2.0, 5.0, 6.0, 8.0]);
    sandbox.run("envelope --segments S.npy --exact E.txt --ids I.npy --at Q.npy --values V.npy");
    assert_eq!(String::from_utf8(sandbox.bytes("E.txt")).unwrap(), "0\n10/7\n5\n8\n8\n");
    assert_eq!(sandbox.npy::<i64>("I.npy").1, [0, 1, -1, 2, -1]);
    let values = sandbox.npy::<f64>("V.npy").1;
    assert!(values[0].is_nan() && values[5].is_nan(), "{values:?}");
    assert_eq!([1, 2, 3, 4, 6].map(|i| values[i]), [0.0, 1.0, 1.2, 0.0, -4.0]);
    // Whole numbers, and the other side.
    sandbox.put_npy("Q.npy", &[3], &[2u8, 3, 8]);
    sandbox.run("envelope --segments S.npy --upper --at Q.npy --values V.npy");
    assert_eq!(sandbox.npy::<f64>("V.npy").1, [2.0, 3.0, 7.0]);
    // Rays and lines.
    let inf = f64::INFINITY;
    sandbox.put_npy("S.npy", &[2, 4], &[-inf, 1.0, inf, 0.0, 1.0, 0.0, inf, -1.0]);
    sandbox.run("envelope --segments S.npy --out X.npy --ids I.npy --exact E.txt --plot P.svg");
    assert_eq!(sandbox.npy::<f64>("X.npy").1, [-inf, 1.0]);
    assert_eq!(sandbox.npy::<i64>("I.npy").1, [0, 1]);
    assert_eq!(String::from_utf8(sandbox.bytes("E.txt")).unwrap(), "-inf\n1\n");
    assert!(sandbox.bytes("P.svg").starts_with(b"<svg"));
}

#[test]
fn grids() {
    let sandbox = Sandbox::new();
    let rows = SegmentKind::Short.make::<i8>(40, 2);
    sandbox.put_npy("S.npy", &[40, 4], rows.as_flattened());
    let want =
        raster(&Segments::new(&rows).unwrap(), Side::Lower, Grid::new(-130, 261).unwrap(), Engine::Naive).unwrap();
    for engine in ["", "--engine raster", "--engine naive"] {
        sandbox.run(&format!("envelope --segments S.npy --grid -130..=130 --values V.npy --ids I.npy {engine}"));
        let (shape, values) = sandbox.npy::<f64>("V.npy");
        assert_eq!(shape, [261]);
        assert!(values.iter().zip(&want.values).all(|(a, b)| a.to_bits() == b.to_bits()), "{engine}");
        let found = sandbox.npy::<i64>("I.npy").1;
        assert!(
            found.iter().zip(&want.ids).all(|(&a, &b)| a == if b == Envelope::GAP { -1 } else { b.into() }),
            "{engine}"
        );
    }
    sandbox.run("envelope --segments S.npy --grid 5..5 --values V.npy");
    assert_eq!(sandbox.npy::<f64>("V.npy"), (vec![0], vec![]));
    sandbox.fail_saying("envelope --segments S.npy --grid 0..9 --engine merge", &["engine", "raster"]);
    sandbox.fail_saying("envelope --segments S.npy --engine raster", &["engine", "grid"]);
    refused(&sandbox, "envelope --segments S.npy --grid 9..0", "before it begins");
    sandbox.run("envelope --segments S.npy --grid 0..9 --values V.npy");
    sandbox.run("envelope --segments S.npy --grid 0..9 -o X.npy");
    assert!(sandbox.bytes("V.npy") == sandbox.bytes("X.npy"));
    sandbox.fail_saying("envelope --segments S.npy --grid 0..9 --out X.npy --values V.npy", &["give one of them"]);
}

#[test]
fn few_segments() {
    let sandbox = Sandbox::new();
    for (rows, want) in [(&[][..], &[][..]), (&[[3, 4, 3, 4]], &[0, -1]), (&[[3, 4, 5, 4], [3, 4, 5, 4]], &[0, -1])] {
        sandbox.put_npy::<i32>("S.npy", &[rows.len() as u64, 4], rows.as_flattened());
        sandbox.run("envelope --segments S.npy --ids I.npy --plot P.svg");
        assert_eq!(sandbox.npy::<i64>("I.npy").1, want);
        assert!(sandbox.bytes("P.svg").starts_with(b"<svg"));
    }
}

#[test]
fn the_demo_reports_and_draws() {
    let sandbox = Sandbox::new();
    let text = String::from_utf8(sandbox.run("envelope --n 20000 --plot P.svg").stdout).unwrap();
    for part in
        ["20,000 x i32 (crossing, seed 7)", "merge (lower)", "/segment", "pieces", "equal to those", "P.svg", "from"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    let svg = String::from_utf8(sandbox.bytes("P.svg")).unwrap();
    assert!(svg.ends_with("</svg>\n") && svg.contains("20,000 segments") && !svg.contains("NaN"), "{svg}");
    let output = sandbox.run("envelope --n 100 --kind nested --dtype f32 --upper --json");
    let report: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!((&report["side"], &report["problem"]), (&"upper".into(), &"envelope".into()));
    assert_eq!(report["answers"]["columns"], serde_json::json!(["from", "segment"]));
    assert_eq!((&report["pieces"], &report["gaps"], &report["verified"]), (&2.into(), &1.into(), &2.into()));
    let output = sandbox.run("envelope --n 100 --grid 0..50 --json");
    let report: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!(report["verified"], 50);
}

#[test]
fn from_standard_input_to_standard_output() {
    let sandbox = Sandbox::new();
    let rows = [[0.0f32, 0.0, 1.0, 0.0], [0.5, -1.0, 2.0, 1.0]];
    let mut command = sandbox.command("envelope --segments - --out -");
    let output = command.write_stdin(npy_bytes(&[2, 4], rows.as_flattened())).output().unwrap();
    let (shape, starts) = crate::sandbox::from_npy::<f64>(&output.stdout);
    assert_eq!((shape, starts), (vec![3], vec![0.0, 0.5, 2.0]), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8(output.stderr).unwrap().contains("3, of them 1 gap"));
}

#[test]
fn generated_segments_are_what_the_demo_uses() {
    let sandbox = Sandbox::new();
    for kind in SegmentKind::ALL {
        let name = kind.name();
        sandbox.run(&format!("gen segments --n 500 --kind {name} --dtype i32 --seed 5 --out S.npy"));
        let (shape, rows) = sandbox.npy::<i32>("S.npy");
        assert_eq!((shape, rows), (vec![500, 4], kind.make::<i32>(500, 5).into_flattened()), "{name}");
    }
    sandbox.run("gen segments --n 500 --out S.npy");
    sandbox.run("envelope --segments S.npy --out 1.npy");
    sandbox.run("envelope --n 500 --out 2.npy");
    assert_eq!(sandbox.bytes("1.npy"), sandbox.bytes("2.npy"));
}

#[test]
fn bad_input_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.put_npy("flat.npy", &[8], &[1.0f64; 8]);
    sandbox.fail_saying("envelope --segments flat.npy", &["flat.npy", "shape (8,)", "(n, 4)"]);
    sandbox.put_npy("points.npy", &[4, 2], &[1i32; 8]);
    sandbox.fail_saying("envelope --segments points.npy --out X.npy", &["points.npy", "shape (4, 2)"]);
    sandbox.put("odd.bin", [0; 24]);
    sandbox.fail_saying("envelope --segments odd.bin --dtype f64", &["odd.bin", "multiple of 32"]);
    let inf = f64::INFINITY;
    for (row, said) in [
        ([0.0, f64::NAN, 1.0, 1.0], "NaN"),
        ([0.0, 0.0, 1.0, -inf], "-infinity"),
        ([inf, 0.0, inf, 1.0], "both ends are at the same infinity"),
    ] {
        sandbox.put_npy("bad.npy", &[3, 4], &[[0.0; 4], row, [f64::NAN; 4]].concat());
        for options in ["", "--engine sweep", "--engine naive", "--grid 0..3"] {
            let command = format!("envelope --segments bad.npy --ids I.npy {options}");
            sandbox.fail_saying(&command, &["bad.npy", "row 1", said]);
        }
    }
    sandbox.put_npy("S.npy", &[1, 4], &[1u8, 2, 3, 4]);
    sandbox.put_npy("Q.npy", &[2], &[1.0, f64::NAN]);
    sandbox.fail_saying("envelope --segments S.npy --at Q.npy --values V.npy", &["Q.npy", "row 1", "NaN"]);
    sandbox.put_npy("Q.npy", &[1, 2], &[1.0, 2.0]);
    sandbox.fail_saying("envelope --segments S.npy --at Q.npy --values V.npy", &["Q.npy", "shape (1, 2)"]);
    sandbox.fail_saying("envelope --segments S.npy --values V.npy", &["--values", "--at"]);
    refused(&sandbox, "envelope --segments S.npy --at Q.npy", "--values");
    sandbox.fail_saying("envelope --segments S.npy --dtype f64", &["the file holds u8"]);
    sandbox.fail_saying("envelope --segments S.npy --out X.npy --ids ./X.npy", &["same file"]);
    sandbox.fail_saying("envelope --segments S.npy --out nowhere/X.npy", &["nowhere/X.npy"]);
    sandbox.fail_saying("envelope --segments S.npy --ids I.npy --exact nowhere/E.txt", &["nowhere/E.txt"]);
    sandbox.fail_saying("envelope --segments S.npy --ids I.npy --plot /dev/full", &["/dev/full"]);
    sandbox.fail("envelope --segments S.npy --out - --ids -");
    sandbox.fail_saying("envelope --n 2^60", &["out of memory"]);
    sandbox.fail_saying("gen segments --n 2^60 --out S2.npy", &["out of memory"]);
}
