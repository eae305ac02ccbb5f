//! Round trips of `thalweg hull`, and what it refuses.

use serde_json::Value;
use thalweg::geometry::hull::Engine;
use thalweg_data::PointKind;
use thalweg_data::hulls::check_hull;

use crate::sandbox::{Sandbox, npy_bytes, spellings};

const N: usize = 3001;

fn indices(sandbox: &Sandbox, name: &str) -> Vec<usize> {
    let (shape, found) = sandbox.npy::<i64>(name);
    assert_eq!(shape, [found.len() as u64]);
    found.into_iter().map(|position| position as usize).collect()
}

#[test]
fn every_engine_and_both_boundaries() {
    let sandbox = Sandbox::new();
    let points = PointKind::Grid.make::<i16>(N, 9);
    sandbox.put_npy("P.npy", &[N as u64, 2], points.as_flattened());
    for engine in Engine::ALL.iter().flat_map(|engine| spellings(engine.name())) {
        for (option, boundary) in [("", false), ("--boundary", true)] {
            sandbox.run(&format!("hull --points P.npy --out H.npy --engine {engine} {option}"));
            check_hull(&points, &indices(&sandbox, "H.npy"), boundary).unwrap();
            sandbox.run(&format!("hull --points P.npy --out C.npy --what points --engine {engine} {option}"));
            let (shape, corners) = sandbox.npy::<i16>("C.npy");
            let want: Vec<[i16; 2]> = indices(&sandbox, "H.npy").into_iter().map(|position| points[position]).collect();
            assert_eq!((shape, corners), (vec![want.len() as u64, 2], want.into_flattened()), "{engine} {option}");
        }
    }
}

#[test]
fn every_type_and_order() {
    let sandbox = Sandbox::new();
    macro_rules! one {
        ($t:ident) => {
            let points = PointKind::Disk.make::<$t>(N, 4);
            sandbox.put_npy("P.npy", &[N as u64, 2], points.as_flattened());
            sandbox.run("hull --points P.npy --out H.npy");
            check_hull(&points, &indices(&sandbox, "H.npy"), false).unwrap();
            let bytes: Vec<u8> = points.as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect();
            sandbox.put("P.bin", bytes);
            sandbox.run(concat!("hull --points P.bin --out R.npy --dtype ", stringify!($t)));
            assert_eq!(sandbox.bytes("R.npy"), sandbox.bytes("H.npy"));
        };
    }
    thalweg::for_each_key!(one);
    // Columns one after the other, and big-endian.
    let points = PointKind::Disk.make::<f64>(N, 4);
    sandbox.put_npy("P.npy", &[N as u64, 2], points.as_flattened());
    sandbox.run("hull --points P.npy --out H.npy");
    let text = format!("{{'descr': '>f8', 'fortran_order': True, 'shape': ({N}, 2), }}");
    let mut file = [b"\x93NUMPY\x01\x00".as_slice(), &(text.len() as u16).to_le_bytes(), text.as_bytes()].concat();
    for axis in 0..2 {
        file.extend(points.iter().flat_map(|point| point[axis].to_be_bytes()));
    }
    sandbox.put("F.npy", file);
    sandbox.run("hull --points F.npy --out G.npy --what points");
    let want: Vec<f64> = indices(&sandbox, "H.npy").into_iter().flat_map(|position| points[position]).collect();
    assert_eq!(sandbox.npy::<f64>("G.npy").1, want);
}

#[test]
fn few_points() {
    let sandbox = Sandbox::new();
    for (points, want) in
        [(&[][..], &[][..]), (&[[7, 7]], &[0]), (&[[5, 5], [5, 5]], &[0]), (&[[5, 5], [1, 9]], &[1, 0])]
    {
        sandbox.put_npy::<i32>("P.npy", &[points.len() as u64, 2], points.as_flattened());
        sandbox.run("hull --points P.npy --out H.npy --plot P.svg");
        assert_eq!(indices(&sandbox, "H.npy"), want);
        assert!(sandbox.bytes("P.svg").starts_with(b"<svg"));
    }
}

#[test]
fn the_demo_reports_and_draws() {
    let sandbox = Sandbox::new();
    let text = String::from_utf8(sandbox.run("hull --n 50000 --plot P.svg").stdout).unwrap();
    for part in ["50,000 x f64 (disk, seed 7)", "slabs", "/point", "corners", "is convex", "P.svg", "index"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let svg = String::from_utf8(sandbox.bytes("P.svg")).unwrap();
    assert!(svg.ends_with("</svg>\n") && svg.contains("50,000 points") && !svg.contains("NaN"), "{svg}");
    let output = sandbox.run("hull --n 100 --kind circle --dtype f32 --boundary --json");
    let report: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!((&report["verified"], &report["problem"]), (&100.into(), &"hull".into()));
    assert_eq!(report["answers"]["columns"], serde_json::json!(["index", "x", "y"]));
    assert!(report["count"].as_u64().unwrap() > 90);
}

#[test]
fn from_standard_input_to_standard_output() {
    let sandbox = Sandbox::new();
    let square = [[0.0f32, 0.0], [1.0, 0.0], [0.5, 0.5], [1.0, 1.0], [0.0, 1.0]];
    let mut command = sandbox.command("hull --points - --out - --what points");
    let output = command.write_stdin(npy_bytes(&[5, 2], square.as_flattened())).output().unwrap();
    let (shape, corners) = crate::sandbox::from_npy::<f32>(&output.stdout);
    assert_eq!((shape, corners), (vec![4, 2], vec![0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0]));
    assert!(String::from_utf8(output.stderr).unwrap().contains("4 corners"));
}

#[test]
fn generated_points_are_what_the_demo_uses() {
    let sandbox = Sandbox::new();
    for kind in PointKind::ALL {
        let name = kind.name();
        sandbox.run(&format!("gen points --n 2000 --kind {name} --dtype i32 --seed 5 --out P.npy"));
        let (shape, points) = sandbox.npy::<i32>("P.npy");
        assert_eq!((shape, points), (vec![2000, 2], kind.make::<i32>(2000, 5).into_flattened()), "{name}");
    }
    sandbox.run("gen points --n 2000 --out P.npy");
    sandbox.run("hull --points P.npy --out 1.npy");
    sandbox.run("hull --n 2000 --out 2.npy");
    assert_eq!(sandbox.bytes("1.npy"), sandbox.bytes("2.npy"));
}

#[test]
fn bad_input_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.put_npy("flat.npy", &[6], &[1.0f64; 6]);
    sandbox.fail_saying("hull --points flat.npy", &["flat.npy", "shape (6,)", "(n, 2)"]);
    sandbox.put_npy("wide.npy", &[2, 3], &[1i32; 6]);
    sandbox.fail_saying("hull --points wide.npy --out H.npy", &["wide.npy", "shape (2, 3)"]);
    sandbox.put_npy("deep.npy", &[1, 2, 3], &[1u8; 6]);
    sandbox.fail_saying("hull --points deep.npy", &["shape (1, 2, 3)"]);
    sandbox.put("odd.bin", [0; 24]);
    sandbox.fail_saying("hull --points odd.bin --dtype f64", &["odd.bin", "multiple of 16"]);
    sandbox.fail_saying("hull --points odd.bin", &["odd.bin"]);
    for (x, said) in [(f64::NAN, "NaN"), (f64::INFINITY, "infinity"), (f64::NEG_INFINITY, "-infinity")] {
        sandbox.put_npy("bad.npy", &[4, 2], &[0.0, 0.0, 1.0, 1.0, 2.0, x, x, x]);
        for engine in Engine::ALL {
            let command = format!("hull --points bad.npy --out H.npy --plot P.svg --engine {engine}");
            sandbox.fail_saying(&command, &["bad.npy", "row 2", said]);
        }
    }
    sandbox.put_npy("P.npy", &[2, 2], &[1u8; 4]);
    sandbox.fail_saying("hull --points P.npy --dtype f64", &["the file holds u8"]);
    sandbox.fail_saying("hull --points P.npy --out X.svg --plot ./X.svg", &["same file"]);
    sandbox.fail_saying("hull --points P.npy --out nowhere/H.npy", &["nowhere/H.npy"]);
    sandbox.fail_saying("hull --points P.npy --out H.npy --plot nowhere/P.svg", &["nowhere/P.svg"]);
    sandbox.fail_saying("hull --points P.npy --out H.npy --plot /dev/full", &["/dev/full"]);
    sandbox.fail("hull --points P.npy --out - --plot -");
    sandbox.fail_saying("hull --n 2^60", &["out of memory"]);
    sandbox.fail_saying("gen points --n 2^60 --out H.npy", &["out of memory"]);
}
