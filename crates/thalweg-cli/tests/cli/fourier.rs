//! `thalweg fft` and `ifft`: against sums by the definition and against NumPy's own files.

use npyz::num_complex::Complex;
use serde_json::Value;
use thalweg_data::SignalKind;

use crate::sandbox::{Sandbox, fixture, from_npy, npy_bytes};

type C64 = Complex<f32>;
type C128 = Complex<f64>;

/// The transform along some axes by its definition, unscaled.
fn dft(values: &[C128], sizes: &[usize], axes: &[usize], inverse: bool) -> Vec<C128> {
    let mut values = values.to_vec();
    for &axis in axes {
        let (n, stride) = (sizes[axis], sizes[axis + 1..].iter().product::<usize>());
        let sign = if inverse { 1.0 } else { -1.0 };
        values = (0..values.len())
            .map(|at| {
                let k = at / stride % n;
                let start = at - k * stride;
                let root =
                    |j: usize| Complex::from_polar(1.0, sign * std::f64::consts::TAU * (j * k % n) as f64 / n as f64);
                (0..n).map(|j| values[start + j * stride] * root(j)).sum()
            })
            .collect();
    }
    values
}

fn wide(values: &[C64]) -> Vec<C128> {
    values.iter().map(|x| Complex::new(x.re.into(), x.im.into())).collect()
}

/// Holds values to others, up to a share of the others' norm.
#[track_caller]
fn close(found: &[C128], expected: &[C128], rounding: f64) {
    assert_eq!(found.len(), expected.len());
    let norm = |values: &mut dyn Iterator<Item = C128>| values.map(|x| x.norm_sqr()).sum::<f64>().sqrt();
    let error = norm(&mut found.iter().zip(expected).map(|(x, y)| x - y));
    let share = error / norm(&mut expected.iter().copied());
    assert!(share <= rounding, "off by {share:e} of the norm");
}

const SINGLE: f64 = 4.0 / (1u64 << 24) as f64;
const DOUBLE: f64 = 1e-14;

fn signal(sizes: &[usize], seed: u64) -> Vec<C128> {
    SignalKind::Noise.make(sizes, seed).into_iter().map(|[re, im]| Complex::new(re, im)).collect()
}

fn shape(sizes: &[usize]) -> Vec<u64> {
    sizes.iter().map(|&size| size as u64).collect()
}

fn complex(numbers: &[f64]) -> Vec<C128> {
    numbers.iter().map(|&x| x.into()).collect()
}

#[test]
fn every_shape_and_choice_of_axes() {
    let sandbox = Sandbox::new();
    for (sizes, choices) in [
        (&[1][..], &[("", &[0][..]), ("--axes 0", &[0]), ("--axes -1", &[0])][..]),
        (&[97], &[("", &[0])]),
        (&[1000], &[("", &[0])]),
        (&[12, 35], &[("", &[0, 1]), ("--axes 1", &[1]), ("--axes 0", &[0]), ("--axes -1,-2", &[1, 0])]),
        (&[6, 1, 10], &[("", &[0, 1, 2]), ("--axes 0,2", &[0, 2]), ("--axes=-2", &[1]), ("--axes 2,0,1", &[2, 0, 1])]),
    ] {
        let values = signal(sizes, 5);
        let narrow: Vec<C64> = values.iter().map(|x| Complex::new(x.re as f32, x.im as f32)).collect();
        sandbox.put_npy("A.npy", &shape(sizes), &values).put_npy("a.npy", &shape(sizes), &narrow);
        for &(option, axes) in choices {
            let total: usize = axes.iter().map(|&axis| sizes[axis]).product();
            for (norm, forward, inverse) in [
                ("", 1.0, 1.0 / total as f64),
                ("--norm ortho", 1.0 / (total as f64).sqrt(), 1.0 / (total as f64).sqrt()),
                ("--norm forward", 1.0 / total as f64, 1.0),
            ] {
                for (command, factor) in [("fft", forward), ("ifft", inverse)] {
                    let expected: Vec<C128> =
                        dft(&values, sizes, axes, command == "ifft").into_iter().map(|x| x * factor).collect();
                    sandbox.run(&format!("{command} --array A.npy --out B.npy {option} {norm}"));
                    let (found_shape, found) = sandbox.npy::<C128>("B.npy");
                    assert_eq!(found_shape, shape(sizes));
                    close(&found, &expected, DOUBLE);
                    sandbox.run(&format!("{command} --array a.npy --out b.npy {option} {norm}"));
                    close(&wide(&sandbox.npy::<C64>("b.npy").1), &expected, SINGLE);
                }
            }
        }
    }
}

#[test]
fn there_and_back() {
    let sandbox = Sandbox::new();
    for (gen_options, real, back) in [
        ("--shape 1009 --dtype c128", "", ""),
        ("--shape 40,50 --dtype c128 --kind tones", "", ""),
        ("--shape 8,9,10 --dtype c128 --kind chirp", "", ""),
        ("--shape 1009 --dtype f64", "--real", "--length 1009"),
        ("--shape 40,50 --dtype f64", "--real", ""),
        ("--shape 40,51 --dtype f64", "--real --axes 1,0", ""),
        ("--shape 8,9,10 --dtype f64", "--real --axes 0,1", "--length 9"),
        ("--shape 1 --dtype f64", "--real", "--length 1"),
    ] {
        for norm in ["", "--norm ortho", "--norm forward"] {
            sandbox.run(&format!("gen signal {gen_options} --out A.npy"));
            sandbox.run(&format!("fft --array A.npy --out F.npy {real} {norm}"));
            sandbox.run(&format!("ifft --array F.npy --out B.npy {real} {back} {norm}"));
            if real.is_empty() {
                let (a, b) = (sandbox.npy::<C128>("A.npy"), sandbox.npy::<C128>("B.npy"));
                assert_eq!(a.0, b.0);
                close(&b.1, &a.1, DOUBLE);
            } else {
                let (a, b) = (sandbox.npy::<f64>("A.npy"), sandbox.npy::<f64>("B.npy"));
                assert_eq!(a.0, b.0);
                close(&complex(&b.1), &complex(&a.1), DOUBLE);
            }
        }
    }
}

#[test]
fn files_that_numpy_wrote() {
    let sandbox = Sandbox::new();
    let same = |arguments: &str, expected: &str, rounding: f64| {
        sandbox.run(&format!("{arguments} --out B.npy"));
        let want = std::fs::read(fixture(expected)).unwrap();
        if expected.starts_with("restored") {
            let (found, want) = (sandbox.npy::<f64>("B.npy"), from_npy::<f64>(&want));
            assert_eq!(found.0, want.0, "{arguments}");
            close(&complex(&found.1), &complex(&want.1), rounding);
        } else {
            let (found, want) = (sandbox.npy::<C128>("B.npy"), from_npy::<C128>(&want));
            assert_eq!(found.0, want.0, "{arguments}");
            close(&found.1, &want.1, rounding);
        }
    };
    let [c64, c128, swapped, turned, real, integers] = [
        "signal_complex64.npy",
        "signal_complex128.npy",
        "signal_complex64_big_endian.npy",
        "signal_complex128_fortran_big_endian.npy",
        "signal_float64_fortran.npy",
        "signal_int16.npy",
    ]
    .map(fixture);
    same(&format!("fft --array {c128}"), "spectrum_complex128.npy", DOUBLE);
    same(&format!("fft --array {turned}"), "spectrum_complex128.npy", DOUBLE);
    same(&format!("fft --array {integers}"), "spectrum_int16.npy", DOUBLE);
    same(&format!("fft --array {c128} --axes 1,0 --norm ortho"), "spectrum_axes_1_0_ortho.npy", DOUBLE);
    same(&format!("fft --array {real} --real --axes 0,1"), "spectrum_real.npy", DOUBLE);
    same(&format!("ifft --array {c128} --real --axes 2 --length 9"), "restored_odd.npy", DOUBLE);
    same(&format!("ifft --array {c128} --real --axes 0,2"), "restored_even.npy", DOUBLE);
    let expected = from_npy::<C128>(&std::fs::read(fixture("spectrum_complex128.npy")).unwrap()).1;
    for file in [c64, swapped] {
        sandbox.run(&format!("fft --array {file} --out B.npy"));
        close(&wide(&sandbox.npy::<C64>("B.npy").1), &expected, SINGLE);
    }
}

#[test]
fn the_input_decides_the_precision() {
    let sandbox = Sandbox::new();
    let expected = dft(&complex(&[3.0, 1.0, 2.0]), &[3], &[0], false);
    sandbox.put_npy("A.npy", &[3], &[3f32, 1.0, 2.0]).run("fft --array A.npy --out B.npy");
    close(&wide(&sandbox.npy::<C64>("B.npy").1), &expected, SINGLE);
    sandbox.run("fft --array A.npy --out B.npy --real");
    close(&wide(&sandbox.npy::<C64>("B.npy").1), &expected[..2], SINGLE);
    sandbox.run("ifft --array B.npy --out R.npy --real --length 3");
    let restored = sandbox.npy::<f32>("R.npy").1;
    assert!(restored.iter().zip([3.0, 1.0, 2.0]).all(|(x, y)| (x - y).abs() < 1e-6), "{restored:?}");
    macro_rules! double {
        ($($t:ty)*) => {$(
            sandbox.put_npy("A.npy", &[3], &[3 as $t, 1 as $t, 2 as $t]).run("fft --array A.npy --out B.npy");
            close(&sandbox.npy::<C128>("B.npy").1, &expected, DOUBLE);
            sandbox.run("fft --array A.npy --out B.npy --real");
            close(&sandbox.npy::<C128>("B.npy").1, &expected[..2], DOUBLE);
        )*};
    }
    double!(u8 u16 u32 u64 i8 i16 i32 i64 f64);
}

#[test]
fn raw_files_and_pipes() {
    let sandbox = Sandbox::new();
    let values = signal(&[60], 1);
    let bytes: Vec<u8> = values.iter().flat_map(|x| [x.re.to_le_bytes(), x.im.to_le_bytes()].concat()).collect();
    sandbox.put_npy("A.npy", &[60], &values).put("A.bin", &bytes);
    sandbox.run("fft --array A.npy --out B.npy");
    let expected = sandbox.bytes("B.npy");
    for dtype in ["c128", "complex128", "<c16"] {
        sandbox.run(&format!("fft --array A.bin --dtype {dtype} --out C.npy"));
        assert!(sandbox.bytes("C.npy") == expected, "{dtype}");
    }
    sandbox.run("fft --array A.npy --out C.bin");
    assert_eq!(sandbox.bytes("C.bin"), expected[expected.len() - bytes.len()..]);
    let output = sandbox.command("fft --array - --out -").write_stdin(npy_bytes(&[60], &values)).output().unwrap();
    assert!(output.stdout == expected && String::from_utf8_lossy(&output.stderr).contains("/element"));
    let output = sandbox.command("fft --array - --dtype c128 --out - --raw").write_stdin(bytes).output().unwrap();
    assert_eq!(output.stdout, expected[expected.len() - output.stdout.len()..]);
    sandbox.fail_saying("fft --array A.bin --out B.npy", &["A.bin", "--dtype"]);
    sandbox.fail_saying("fft --array A.npy --dtype c64 --out B.npy", &["A.npy", "c128", "c64"]);
    sandbox.put("A.bin", [0; 24]);
    sandbox.fail_saying("fft --array A.bin --dtype c128 --out B.npy", &["A.bin", "24 bytes", "multiple of 16"]);
    // A result may replace its input.
    sandbox.run("fft --array A.npy --out A.npy");
    assert!(sandbox.bytes("A.npy") == expected);
}

#[test]
fn nan_passes_through_to_what_depends_on_it() {
    let sandbox = Sandbox::new();
    let mut values = signal(&[4, 6], 2);
    values[8].im = f64::NAN;
    values[20].re = f64::INFINITY;
    sandbox.put_npy("A.npy", &[4, 6], &values);
    for command in ["fft", "ifft"] {
        sandbox.run(&format!("{command} --array A.npy --out B.npy --axes 1"));
        for (i, x) in sandbox.npy::<C128>("B.npy").1.into_iter().enumerate() {
            assert_eq!(x.is_finite(), !matches!(i / 6, 1 | 3), "element {i} is {x}");
        }
    }
    sandbox.put_npy("A.npy", &[3], &[1.0, f64::NAN, 2.0]);
    sandbox.run("fft --array A.npy --out B.npy --real");
    assert!(sandbox.npy::<C128>("B.npy").1.iter().all(|x| x.is_nan()));
}

#[test]
fn what_is_refused() {
    let sandbox = Sandbox::new();
    let values = signal(&[3, 4], 1);
    sandbox.put_npy("A.npy", &[3, 4], &values).put_npy("L.npy", &[5], &[1.0, 2.0, 3.0, 4.0, 5.0]);
    for (axes, part) in [
        ("2", "no axis 2: the array's are 0 to 1, or -2 to -1"),
        ("-3", "no axis -3"),
        ("0,0", "axis 0 is named twice"),
        ("1,-1", "axis 1 is named twice"),
        ("0,1,2", "no axis 2"),
    ] {
        sandbox.fail_saying(&format!("fft --array A.npy --out B.npy --axes {axes}"), &["--axes", part]);
        sandbox.fail_saying(&format!("ifft --array A.npy --out B.npy --axes {axes}"), &["--axes", part]);
    }
    sandbox.fail_saying("fft --array A.npy --out B.npy --real", &["A.npy", "c128", "--real"]);
    sandbox.fail_saying("ifft --array A.npy --out B.npy --real --length 8", &["A.npy", "--length 8", "axis 1"]);
    sandbox.fail_saying("ifft --array A.npy --out B.npy --real --length 0", &["A.npy", "--length"]);
    sandbox
        .put_npy("O.npy", &[1], &[1.0])
        .fail_saying("ifft --array O.npy --out B.npy --real", &["O.npy", "--length 1"]);
    for (name, sizes) in [("E.npy", &[0u64][..]), ("E.npy", &[3, 0]), ("E.npy", &[0, 3, 2])] {
        sandbox.put_npy::<f64>(name, sizes, &[]);
        sandbox.fail_saying("fft --array E.npy --out B.npy", &["E.npy", "empty"]);
    }
    sandbox.put_npy("D.npy", &[1, 2, 1, 2], &[1.0, 2.0, 3.0, 4.0]);
    sandbox.fail_saying("fft --array D.npy --out B.npy", &["D.npy", "(1, 2, 1, 2)", "one to three dimensions"]);
    let scalar = fixture("bad_scalar.npy");
    sandbox.fail_saying(&format!("fft --array {scalar} --out B.npy"), &["()", "one to three dimensions"]);
    for file in ["missing.npy", "."] {
        sandbox.fail_saying(&format!("fft --array {file} --out B.npy"), &[file]);
    }
    sandbox.fail_saying("fft --array A.npy --out no/such/folder/B.npy", &["no/such/folder/B.npy", "No such file"]);
    // A file that is cut: what was there stays.
    let bytes = sandbox.bytes("A.npy");
    sandbox.put("B.npy", "old");
    for cut in [0, 5, 20, 100, bytes.len() - 1] {
        sandbox.put("C.npy", &bytes[..cut]).fail_saying("fft --array C.npy --out B.npy", &["C.npy: "]);
    }
    assert_eq!(sandbox.bytes("B.npy"), b"old");
    for bad in ["--axes x", "--axes 0,", "--norm none", "--length 5", "--dtype c32", "--shape 0x5"] {
        let output = sandbox.command(&format!("ifft {bad}")).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{bad}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{bad}");
    }
    sandbox.fail_saying("fft --shape 5,0", &["--shape"]);
    sandbox.fail_saying("fft --shape 2,2,2,2", &["--shape"]);
    sandbox.fail_saying("fft --shape 2^62", &["out of memory"]);
    sandbox.fail_saying("fft --shape 2^63", &["--shape"]);
    sandbox.fail_saying("fft --shape 5 --dtype i32", &["--dtype", "i32"]);
}

#[test]
fn complex_numbers_are_for_these_commands_only() {
    let sandbox = Sandbox::new();
    sandbox.put_npy("A.npy", &[4, 2], &signal(&[4, 2], 1));
    for command in ["rmq --array", "ansv --left L.npy --array", "hull --points", "rank --next", "path --grid"] {
        sandbox.fail_saying(&format!("{command} A.npy"), &["A.npy", "complex", "<c16"]);
    }
}

#[test]
fn the_demo_reports() {
    let sandbox = Sandbox::new();
    let text = String::from_utf8(sandbox.run("fft --shape 30,50").stdout).unwrap();
    for part in [
        "30 x 50 x c64 (noise, seed 7)",
        "axes 0, 1",
        "/element",
        "equal to plain sums but for rounding",
        "imaginary",
        "[0, 4]",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let output = sandbox.run("ifft --shape 1000 --kind impulse --dtype c128 --json --verify 1000 --threads 2");
    let report: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!((&report["problem"], &report["verified"]), (&"ifft".into(), &1000.into()));
    assert_eq!(report["answers"]["rows"][0][1], 0.001);
    assert_eq!((&report["array"]["shape"], &report["threads"]), (&serde_json::json!([1000]), &2.into()));
    let output = sandbox.run("fft --real --shape 10,9 --no-verify --json");
    let report: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!((&report["verified"], &report["array"]["dtype"]), (&0.into(), &"f32".into()));
}

#[test]
fn any_number_of_threads_gives_the_same_file() {
    let sandbox = Sandbox::new();
    sandbox.run("gen signal --shape 37,2048 --dtype c64 --out A.npy");
    for options in ["", "--axes 0", "--axes 1"] {
        sandbox.run(&format!("fft --array A.npy --out 1.npy --threads 1 --device cpu {options}"));
        for threads in [2, 3, 8] {
            sandbox.run(&format!("fft --array A.npy --out N.npy --threads {threads} --device cpu {options}"));
            assert!(sandbox.bytes("1.npy") == sandbox.bytes("N.npy"), "{threads} threads, {options}");
        }
    }
}

#[test]
fn generated_signals_are_what_the_demo_uses() {
    let sandbox = Sandbox::new();
    for kind in SignalKind::ALL {
        let (name, values) = (kind.name(), kind.make(&[20, 30], 5));
        sandbox.run(&format!("gen signal --shape 20,30 --kind {name} --dtype c128 --seed 5 --out A.npy"));
        let (sizes, found) = sandbox.npy::<C128>("A.npy");
        assert_eq!(sizes, [20, 30]);
        assert!(found.iter().zip(&values).all(|(x, &[re, im])| (x.re, x.im) == (re, im)), "{name}");
        sandbox.run(&format!("gen signal --shape 20,30 --kind {name} --dtype f32 --seed 5 --out R.npy"));
        assert!(sandbox.npy::<f32>("R.npy").1.iter().zip(&values).all(|(x, y)| *x == y[0] as f32), "{name}");
        sandbox.run("fft --array A.npy --out 1.npy");
        sandbox.run(&format!("fft --shape 20,30 --kind {name} --dtype c128 --seed 5 --out 2.npy"));
        assert!(sandbox.bytes("1.npy") == sandbox.bytes("2.npy"), "{name}");
    }
    sandbox.run("gen signal --shape 20 --out A.bin");
    assert_eq!(sandbox.bytes("A.bin").len(), 160);
    sandbox.fail_saying("gen signal --shape 20 --dtype u8 --out B.npy", &["--dtype", "u8"]);
}
