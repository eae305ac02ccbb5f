//! `thalweg convolve`: floats against sums of products, integers exactly, and what it refuses.

use serde_json::Value;
use thalweg::fourier::convolution::Engine;
use thalweg::fourier::exact;
use thalweg_data::Random;

use crate::sandbox::{Sandbox, fixture, from_npy, npy_bytes, spellings};

/// What lies at a place of a line that goes on beyond its ends; `None` for zero.
fn beyond(boundary: &str, position: i64, len: usize) -> Option<usize> {
    let n = len as i64;
    Some(match boundary {
        _ if (0..n).contains(&position) => position,
        "zero" => return None,
        "wrap" => position.rem_euclid(n),
        "nearest" => position.clamp(0, n - 1),
        _ => position.rem_euclid(2 * n).min(2 * n - 1 - position.rem_euclid(2 * n)),
    } as usize)
}

/// Which elements there are, for what lies beyond the ends.
#[derive(Clone, Copy)]
struct Asked<'a> {
    boundary: &'a str,
    extent: &'a str,
    correlate: bool,
}

/// The result by the definition, for two dimensions: its sizes and elements.
fn oracle(array: &[i128], n: [usize; 2], kernel: &[i128], m: [usize; 2], asked: Asked<'_>) -> ([usize; 2], Vec<i128>) {
    // The first element that is told, as a place of the kernel's first weight in the full convolution.
    let along = |n: usize, m: usize| match asked.extent {
        "same" => (if asked.correlate { m - 1 - m / 2 } else { m / 2 }, n),
        "full" => (0, n + m - 1),
        _ => (n.min(m) - 1, n.abs_diff(m) + 1),
    };
    let [(top, rows), (left, columns)] = [along(n[0], m[0]), along(n[1], m[1])];
    let weight = |i: usize, j: usize| match asked.correlate {
        true => kernel[(m[0] - 1 - i) * m[1] + m[1] - 1 - j],
        false => kernel[i * m[1] + j],
    };
    let at = |y: i64, x: i64| {
        beyond(asked.boundary, y, n[0]).zip(beyond(asked.boundary, x, n[1])).map_or(0, |(y, x)| array[y * n[1] + x])
    };
    let mut result = Vec::new();
    for row in top..top + rows {
        for column in left..left + columns {
            let terms = (0..m[0]).flat_map(|i| (0..m[1]).map(move |j| (i, j)));
            let products = terms.map(|(i, j)| weight(i, j) * at(row as i64 - i as i64, column as i64 - j as i64));
            result.push(products.sum());
        }
    }
    ([rows, columns], result)
}

/// Whole numbers from -50 to 50, which floats add up exactly.
fn numbers(len: usize, seed: u64) -> Vec<i128> {
    (0..len as u64).map(|i| i128::from(Random::new(seed, 9).below(i, 101)) - 50).collect()
}

fn shape(sizes: [usize; 2]) -> Vec<u64> {
    if sizes[0] == 1 { vec![sizes[1] as u64] } else { sizes.map(|size| size as u64).to_vec() }
}

#[test]
fn every_boundary_extent_and_type() {
    let sandbox = Sandbox::new();
    for (n, m) in [
        ([1, 1], [1, 1]),
        ([1, 40], [1, 7]),
        ([1, 41], [1, 8]),
        ([1, 5], [1, 13]),
        ([9, 14], [3, 5]),
        ([12, 7], [4, 2]),
        ([3, 4], [5, 9]),
    ] {
        let (array, kernel) = (numbers(n[0] * n[1], 1), numbers(m[0] * m[1], 2));
        let floats = |values: &[i128]| values.iter().map(|&x| x as f64).collect::<Vec<_>>();
        let narrow = |values: &[i128]| values.iter().map(|&x| x as f32).collect::<Vec<_>>();
        let whole = |values: &[i128]| values.iter().map(|&x| x as i16).collect::<Vec<_>>();
        sandbox.put_npy("A64.npy", &shape(n), &floats(&array)).put_npy("K64.npy", &shape(m), &floats(&kernel));
        sandbox.put_npy("A32.npy", &shape(n), &narrow(&array)).put_npy("K32.npy", &shape(m), &narrow(&kernel));
        sandbox.put_npy("A16.npy", &shape(n), &whole(&array)).put_npy("K16.npy", &shape(m), &whole(&kernel));
        for boundary in ["zero", "wrap", "reflect", "nearest"] {
            for extent in ["same", "full", "valid"] {
                if extent == "full" && boundary != "zero" {
                    let text = format!(
                        "convolve --array A64.npy --kernel K64.npy --out C.npy --boundary {boundary} --extent full"
                    );
                    sandbox.fail_saying(&text, &["--extent", "zero", boundary]);
                    continue;
                }
                for (option, correlate) in [("", false), ("--correlate", true)] {
                    let asked = Asked { boundary, extent, correlate };
                    let (sizes, expected) = oracle(&array, n, &kernel, m, asked);
                    let run = |array: &str, kernel: &str| {
                        let options = format!("--boundary {boundary} --extent {extent} {option}");
                        sandbox
                            .run(&format!("convolve --array {array}.npy --kernel {kernel}.npy --out C.npy {options}"));
                    };
                    run("A16", "K16");
                    let (found_shape, found) = sandbox.npy::<i64>("C.npy");
                    let told = format!("{n:?} {m:?} {boundary} {extent} {option}");
                    assert_eq!(
                        found_shape,
                        if n[0] == 1 && m[0] == 1 { vec![sizes[1] as u64] } else { shape(sizes) },
                        "{told}"
                    );
                    assert!(found.iter().map(|&x| i128::from(x)).eq(expected.iter().copied()), "{told}");
                    for (array, kernel) in [("A64", "K64"), ("A16", "K64"), ("A64", "K32"), ("A32", "K16")] {
                        run(array, kernel);
                        let (_, found) = sandbox.npy::<f64>("C.npy");
                        let worst = found.iter().zip(&expected).map(|(x, &y)| (x - y as f64).abs()).fold(0.0, f64::max);
                        assert!(found.len() == expected.len() && worst < 1e-8, "{told} {array} {kernel}: {worst}");
                    }
                    run("A32", "K32");
                    let (_, found) = sandbox.npy::<f32>("C.npy");
                    let worst =
                        found.iter().zip(&expected).map(|(x, &y)| (f64::from(*x) - y as f64).abs()).fold(0.0, f64::max);
                    assert!(found.len() == expected.len() && worst < 0.05, "{told} f32: {worst}");
                }
            }
        }
    }
}

#[test]
fn every_engine_and_number_of_threads() {
    let sandbox = Sandbox::new();
    let (n, m) = ([60, 70], [9, 11]);
    let (array, kernel) = (numbers(60 * 70, 3), numbers(9 * 11, 4));
    let asked = Asked { boundary: "reflect", extent: "same", correlate: false };
    let (_, expected) = oracle(&array, n, &kernel, m, asked);
    let whole = |values: &[i128]| values.iter().map(|&x| x as i64).collect::<Vec<_>>();
    let floats = |values: &[i128]| values.iter().map(|&x| x as f64).collect::<Vec<_>>();
    sandbox.put_npy("A.npy", &shape(n), &whole(&array)).put_npy("K.npy", &shape(m), &whole(&kernel));
    sandbox.put_npy("a.npy", &shape(n), &floats(&array)).put_npy("k.npy", &shape(m), &floats(&kernel));
    for engine in exact::Engine::ALL.iter().flat_map(|engine| spellings(engine.name())) {
        for threads in [1, 3] {
            let run = format!(
                "convolve --array A.npy --kernel K.npy --boundary reflect --out C.npy --engine {engine} --threads {threads} --device cpu --json"
            );
            let report: Value = serde_json::from_slice(&sandbox.run(&run).stdout).expect("one JSON object");
            assert_eq!(report["engine"].as_str().unwrap(), engine.replace('-', "_"));
            assert!(
                sandbox.npy::<i64>("C.npy").1.iter().map(|&x| i128::from(x)).eq(expected.iter().copied()),
                "{engine}"
            );
        }
    }
    for engine in Engine::ALL.iter().flat_map(|engine| spellings(engine.name())) {
        let run = format!("convolve --array a.npy --kernel k.npy --boundary reflect --device cpu --engine {engine}");
        sandbox.run(&format!("{run} --out 1.npy --threads 1"));
        let found = sandbox.npy::<f64>("1.npy").1;
        assert!(found.iter().zip(&expected).all(|(x, &y)| (x - y as f64).abs() < 1e-7), "{engine}");
        sandbox.run(&format!("{run} --out 3.npy --threads 3"));
        assert!(sandbox.bytes("1.npy") == sandbox.bytes("3.npy"), "{engine}");
    }
    sandbox
        .fail_saying("convolve --array A.npy --kernel K.npy --engine Spectral", &["--engine spectral is for floats"]);
    sandbox.fail_saying("convolve --array a.npy --kernel k.npy --engine ntt", &["--engine ntt is for integers"]);
    sandbox.fail_saying("convolve --array a.npy --kernel k.npy --engine ntt", &["--engine", "ntt"]);
}

#[test]
fn integers_of_all_types_and_what_does_not_fit() {
    let sandbox = Sandbox::new();
    let kernel = [1i8, -2, 3];
    sandbox.put_npy("K.npy", &[3], &kernel);
    macro_rules! one {
        ($($t:ty)*) => {$(
            sandbox.put_npy("A.npy", &[4], &[<$t>::MAX / 8, 0, 5, 7]);
            sandbox.run("convolve --array A.npy --kernel K.npy --out C.npy --extent full");
            let array: Vec<i128> = vec![(<$t>::MAX / 8) as i128, 0, 5, 7];
            let asked = Asked { boundary: "zero", extent: "full", correlate: false };
            let expected = oracle(&array, [1, 4], &kernel.map(i128::from), [1, 3], asked).1;
            assert!(sandbox.npy::<i64>("C.npy").1.iter().map(|&x| i128::from(x)).eq(expected), stringify!($t));
        )*};
    }
    one!(u8 u16 u32 u64 i8 i16 i32 i64);
    // Products beyond 64 bits that cancel are fine; a sum that does not fit is named.
    sandbox.put_npy("A.npy", &[2], &[i64::MAX; 2]).put_npy("K.npy", &[2], &[-4i64, 4]);
    sandbox.put("C.npy", "old");
    sandbox.fail_saying("convolve --array A.npy --kernel K.npy --out C.npy", &["element [1]", "i64"]);
    sandbox.run("convolve --array A.npy --kernel K.npy --out C.npy --extent valid");
    assert_eq!(sandbox.npy::<i64>("C.npy").1, [0]);
    sandbox.put_npy("A.npy", &[2], &[u64::MAX, 1]).put_npy("K.npy", &[1], &[1u8]);
    sandbox.fail_saying("convolve --array A.npy --kernel K.npy --out C.npy", &["element [0]", "i64"]);
    sandbox.run("convolve --array A.npy --kernel K.npy --out C.npy --unsigned");
    assert_eq!(sandbox.npy::<u64>("C.npy").1, [u64::MAX, 1]);
    sandbox.put_npy("K.npy", &[1], &[-1i8]);
    sandbox.fail_saying("convolve --array A.npy --kernel K.npy --out C.npy --unsigned", &["element [0]", "u64"]);
    sandbox.put_npy("K.npy", &[1], &[1.5f32]);
    sandbox.fail_saying("convolve --array A.npy --kernel K.npy --out D.npy --unsigned", &["--unsigned", "integers"]);
}

#[test]
fn orders_of_files_and_pipes() {
    let sandbox = Sandbox::new();
    let (array, kernel) = (numbers(20, 5), numbers(6, 6));
    let asked = Asked { boundary: "zero", extent: "same", correlate: false };
    let expected = oracle(&array, [4, 5], &kernel, [2, 3], asked).1;
    // Columns one after the other, big-endian.
    let file = |descr: &str, sizes: [usize; 2], values: &[i128], bytes: &dyn Fn(i128) -> Vec<u8>| {
        let text = format!("{{'descr': '{descr}', 'fortran_order': True, 'shape': ({}, {}), }}", sizes[0], sizes[1]);
        let mut file = [b"\x93NUMPY\x01\x00".as_slice(), &(text.len() as u16).to_le_bytes(), text.as_bytes()].concat();
        for column in 0..sizes[1] {
            file.extend((0..sizes[0]).flat_map(|row| bytes(values[row * sizes[1] + column])));
        }
        file
    };
    sandbox.put("A.npy", file(">i4", [4, 5], &array, &|x| (x as i32).to_be_bytes().to_vec()));
    sandbox.put("K.npy", file("<i2", [2, 3], &kernel, &|x| (x as i16).to_le_bytes().to_vec()));
    sandbox.run("convolve --array A.npy --kernel K.npy --out C.npy");
    assert!(sandbox.npy::<i64>("C.npy").1.iter().map(|&x| i128::from(x)).eq(expected.iter().copied()));
    sandbox.put("A.npy", file(">f8", [4, 5], &array, &|x| (x as f64).to_be_bytes().to_vec()));
    sandbox.run("convolve --array A.npy --kernel K.npy --out C.npy");
    assert!(sandbox.npy::<f64>("C.npy").1.iter().zip(&expected).all(|(x, &y)| (x - y as f64).abs() < 1e-9));
    // Raw files have one dimension; standard input serves either.
    sandbox.put("A.bin", [1u8, 2, 3, 4]).put_npy("A.npy", &[4], &[1u8, 2, 3, 4]).put("K.bin", [1u8, 0, 2]);
    sandbox.run("convolve --array A.bin --dtype u8 --kernel K.bin --kernel-dtype u8 --out C.npy");
    // The centre is the weight 0: the element after it, and twice the one before.
    assert_eq!(sandbox.npy::<i64>("C.npy").1, [2, 5, 8, 6]);
    let expected = sandbox.bytes("C.npy");
    let output = sandbox
        .command("convolve --array A.npy --kernel - --out -")
        .write_stdin(npy_bytes(&[3], &[1u8, 0, 2]))
        .output()
        .unwrap();
    assert!(output.stdout == expected, "{}", String::from_utf8_lossy(&output.stderr));
    sandbox.fail_saying("convolve --array - --kernel - --out C.npy", &["standard input"]);
    assert_eq!(from_npy::<i64>(&expected).0, [4]);
}

#[test]
fn what_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.put_npy("A.npy", &[3, 4], &[1.0f64; 12]).put_npy("L.npy", &[3], &[1.0, 2.0, 3.0]);
    sandbox.put_npy("D.npy", &[2, 2, 2], &[1.0; 8]).put_npy("E.npy", &[0], &[0.0f64; 0]);
    sandbox.put_npy("T.npy", &[2, 9], &[1.0; 18]);
    sandbox.fail_saying("convolve --array A.npy --kernel L.npy --out C.npy", &["L.npy", "dimensions"]);
    sandbox.fail_saying("convolve --array D.npy --kernel D.npy --out C.npy", &["D.npy", "3 dimensions"]);
    sandbox.fail_saying("convolve --array E.npy --kernel L.npy --out C.npy", &["E.npy", "empty"]);
    sandbox.fail_saying("convolve --array L.npy --kernel E.npy --out C.npy", &["E.npy", "empty"]);
    sandbox.fail_saying("convolve --array A.npy --kernel T.npy --extent valid --out C.npy", &["T.npy", "neither"]);
    let complex = fixture("signal_complex128.npy");
    sandbox.fail_saying(&format!("convolve --array {complex} --kernel L.npy --out C.npy"), &["complex"]);
    sandbox.fail_saying(&format!("convolve --array L.npy --kernel {complex} --out C.npy"), &["complex"]);
    sandbox.fail_saying("convolve --array L.npy --kernel missing.npy --out C.npy", &["missing.npy"]);
    sandbox.fail_saying("convolve --array L.npy --kernel L.npy --out no/such/C.npy", &["no/such/C.npy"]);
    sandbox.fail_saying("convolve --shape 5,5 --kernel-shape 3", &["kernel", "dimensions"]);
    sandbox.fail_saying("convolve --shape 5 --kernel-shape 0", &["--kernel-shape"]);
    assert!(!sandbox.files().contains(&"C.npy".to_owned()));
}

#[test]
fn nan_stays_where_it_belongs_or_spreads() {
    let sandbox = Sandbox::new();
    sandbox.put_npy("A.npy", &[5], &[1.0, 2.0, f64::NAN, 4.0, 5.0]).put_npy("K.npy", &[1], &[2.0]);
    sandbox.run("convolve --array A.npy --kernel K.npy --out C.npy");
    let found = sandbox.npy::<f64>("C.npy").1;
    assert!(found[2].is_nan());
    sandbox.put_npy("K.npy", &[3], &[1.0, f64::INFINITY, 1.0]);
    sandbox.run("convolve --array A.npy --kernel K.npy --out C.npy");
    assert!(sandbox.npy::<f64>("C.npy").1.iter().all(|x| !x.is_finite()));
}

#[test]
fn the_demo_reports() {
    let sandbox = Sandbox::new();
    let text = String::from_utf8(sandbox.run("convolve --shape 5000").stdout).unwrap();
    for part in [
        "5,000 x f32 (noise, seed 7)",
        "63 x f32 (noise, seed 8)",
        "boundary zero, extent same",
        "/element",
        "plain sums",
        "[4]",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let output = sandbox.run("convolve --shape 50,60 --dtype f64 --boundary wrap --correlate --json --verify 3000");
    let report: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!((&report["problem"], &report["verified"]), (&"convolve".into(), &3000.into()));
    assert_eq!((&report["kernel"]["shape"], &report["kernel"]["dtype"]), (&serde_json::json!([15, 15]), &"f64".into()));
}

/// Zeros beyond the ends times NaN are NaN, and that is no wrong answer.
#[test]
fn a_kernel_with_nan_hangs_over_the_ends() {
    let sandbox = Sandbox::new();
    sandbox.put_npy("A.npy", &[5], &[1.0f64, 2.0, 3.0, 4.0, 5.0]);
    for (kernel, nan) in [([f64::NAN, 1.0, 1.0], 4), ([1.0, 1.0, f64::NAN], 0)] {
        sandbox.put_npy("K.npy", &[3], &kernel);
        sandbox.run("convolve --array A.npy --kernel K.npy --out C.npy --verify 5");
        assert!(sandbox.npy::<f64>("C.npy").1[nan].is_nan());
    }
}
