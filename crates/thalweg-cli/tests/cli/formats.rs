//! Every way a file can be written: types, byte orders, memory orders, versions, raw; NumPy's own files.

use thalweg_data::{ArrayKind, QueryKind};

use crate::sandbox::{Sandbox, fixture, npy_bytes};

/// Where the minima of the fixtures' queries are: see `fixtures/make.py`.
const ANSWERS: [i64; 5] = [3, 1, 2, 5, 5];

#[test]
fn arrays_that_numpy_wrote() {
    let sandbox = Sandbox::new();
    let queries = fixture("queries_int64.npy");
    let check = |file: &str| {
        let array = fixture(file);
        sandbox.run(&format!("rmq --array {array} --queries {queries} --what index --out I.npy"));
        assert_eq!(sandbox.npy::<i64>("I.npy").1, ANSWERS, "{file}");
        sandbox.run(&format!("ansv --array {array} --left L.npy"));
        assert_eq!(sandbox.npy::<i64>("L.npy").1, [-1, -1, 1, -1, 3, -1, 5, 5], "{file}");
        sandbox.run(&format!("rmq --array {array} --queries {queries} --out V.npy"));
    };
    macro_rules! one {
        ($($name:literal as $t:ty)*) => {$(
            check(&format!("array_{}.npy", $name));
            assert_eq!(sandbox.npy::<$t>("V.npy").1, [1, 3, 8, 1, 1].map(|x| x as $t), $name);
            if !$name.ends_with("8") {
                check(&format!("array_{}_big_endian.npy", $name));
                // The result has this machine's byte order.
                assert_eq!(sandbox.npy::<$t>("V.npy").1, [1, 3, 8, 1, 1].map(|x| x as $t), $name);
            }
        )*};
    }
    one!("uint8" as u8 "uint16" as u16 "uint32" as u32 "uint64" as u64 "int8" as i8 "int16" as i16 "int32" as i32
        "int64" as i64 "float32" as f32 "float64" as f64);
    check("array_version_2.npy");
    check("array_version_3.npy");
}

#[test]
fn queries_that_numpy_wrote() {
    let sandbox = Sandbox::new();
    let array = fixture("array_float32.npy");
    let mut kinds = vec!["big_endian", "fortran", "fortran_big_endian"];
    kinds.extend(["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"]);
    for kind in kinds {
        let queries = fixture(&format!("queries_{kind}.npy"));
        sandbox.run(&format!("rmq --array {array} --queries {queries} --what index --out I.npy"));
        assert_eq!(sandbox.npy::<i64>("I.npy").1, ANSWERS, "{kind}");
    }
}

#[test]
fn types_and_shapes_of_numpy_that_are_refused() {
    let sandbox = Sandbox::new();
    for (file, part) in [
        ("bad_float16", "float16"),
        ("bad_complex", "complex"),
        ("bad_text", "text"),
        ("bad_bytes", "text"),
        ("bad_structured", "structured"),
        ("bad_object", "objects"),
        ("bad_datetime", "dates"),
        ("bad_scalar", "shape ()"),
        ("bad_matrix", "shape (3, 4)"),
    ] {
        let file = fixture(&format!("{file}.npy"));
        sandbox.fail_saying(&format!("rmq --array {file} --out R.npy"), &[&file, part]);
        sandbox.fail_saying(&format!("ansv --array {file} --left L.npy"), &[&file, part]);
    }
    let array = fixture("array_float32.npy");
    for (file, part) in
        [("float", "f64, expected integers"), ("flat", "(10,), expected (q, 2)"), ("wide", "(5, 3), expected (q, 2)")]
    {
        let file = fixture(&format!("bad_{file}_queries.npy"));
        sandbox.fail_saying(&format!("rmq --array {array} --queries {file} --out R.npy"), &[&file, part]);
    }
}

#[test]
fn raw_files() {
    let sandbox = Sandbox::new();
    let array = ArrayKind::Random.make::<i16>(500, 1);
    let queries = QueryKind::Medium.make::<u32>(500, 60, 1);
    sandbox.put("A.i16", bytemuck::cast_slice::<_, u8>(&array)).put_npy("A.npy", &[500], &array);
    let wide: Vec<i64> = queries.as_flattened().iter().map(|&x| x.into()).collect();
    sandbox.put("Q.i64", bytemuck::cast_slice::<_, u8>(&wide)).put("Q.u32", bytemuck::cast_slice(&queries));
    sandbox.put_npy("Q.npy", &[60, 2], &wide);
    sandbox.run("rmq --array A.npy --queries Q.npy --out R.npy");
    let want = sandbox.npy::<i16>("R.npy").1;
    for files in [
        "--array A.i16 --dtype i16 --queries Q.i64",
        "--array A.i16 --dtype <i2 --queries Q.u32 --query-dtype uint32",
        "--array A.npy --dtype int16 --queries Q.i64",
    ] {
        sandbox.run(&format!("rmq {files} --out R.npy"));
        assert_eq!(sandbox.npy::<i16>("R.npy").1, want, "{files}");
    }
    sandbox.run("rmq --array A.npy --queries Q.npy --out R.bin");
    assert_eq!(sandbox.bytes("R.bin"), bytemuck::cast_slice::<_, u8>(&want));
    sandbox.run("rmq --array A.npy --queries Q.npy --out R.data --raw");
    assert_eq!(sandbox.bytes("R.data"), bytemuck::cast_slice::<_, u8>(&want));
    // A file that says itself what it is needs no name for it.
    std::fs::rename(sandbox.path("A.npy"), sandbox.path("A.data")).unwrap();
    sandbox.run("rmq --array A.data --queries Q.npy --out R.npy");
    assert_eq!(sandbox.npy::<i16>("R.npy").1, want);
}

#[test]
fn raw_files_that_are_wrong() {
    let sandbox = Sandbox::new();
    sandbox.put("A.f32", [0; 13]).put("Q.bin", [0; 24]).put_npy("A.npy", &[3], &[1f32, 2.0, 3.0]);
    sandbox.fail_saying("rmq --array A.f32 --dtype f32", &["A.f32", "13 bytes", "multiple of 4"]);
    sandbox.fail_saying("rmq --array A.f32", &["A.f32", "--dtype"]);
    sandbox.fail_saying("rmq --array A.npy --queries Q.bin", &["Q.bin", "24 bytes", "multiple of 16"]);
    sandbox.fail_saying("rmq --array A.npy --queries Q.bin --query-dtype f32", &["Q.bin", "f32, expected integers"]);
    sandbox.fail_saying("rmq --array A.npy --dtype f64", &["A.npy", "f32", "f64"]);
}

#[test]
fn standard_input_and_output() {
    let sandbox = Sandbox::new();
    let array = [4i32, 2, 6];
    let npy = npy_bytes(&[3], &array);
    sandbox.put_npy("Q.npy", &[2, 2], &[0i64, 2, 2, 2]).put_npy("A.npy", &[3], &array);
    for (dtype, input) in
        [("", npy.clone()), ("--dtype i32", bytemuck::cast_slice::<_, u8>(&array).to_vec()), ("--dtype i32", npy)]
    {
        let mut command = sandbox.command(&format!("rmq --array - {dtype} --queries Q.npy --what index --out -"));
        let output = command.write_stdin(input).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{dtype}");
        assert_eq!(crate::sandbox::from_npy::<i64>(&output.stdout).1, [1, 2], "{dtype}");
        // The report went the other way.
        assert!(String::from_utf8_lossy(&output.stderr).contains("/query"), "{dtype}");
    }
    let mut command = sandbox.command("rmq --array A.npy --queries - --out - --raw --json");
    let output = command.write_stdin(bytemuck::cast_slice::<_, u8>(&[0i64, 0, 1, 2]).to_vec()).output().unwrap();
    assert_eq!(output.stdout, bytemuck::cast_slice::<_, u8>(&[4i32, 2]));
    assert!(serde_json::from_slice::<serde_json::Value>(&output.stderr).is_ok());
    let mut command = sandbox.command("ansv --array - --left L.npy --right -");
    let output = command.write_stdin(npy_bytes(&[3], &array)).output().unwrap();
    assert_eq!(crate::sandbox::from_npy::<i64>(&output.stdout).1, [1, -1, -1]);
    assert_eq!(sandbox.npy::<i64>("L.npy").1, [-1, -1, 1]);
}

#[test]
fn a_header_of_any_length_is_read_in_place_or_not() {
    let sandbox = Sandbox::new();
    sandbox.put_npy("Q.npy", &[1, 2], &[0i64, 2]);
    for pad in 0..9 {
        let text = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }}{}\n", " ".repeat(pad));
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((text.len() as u16).to_le_bytes());
        bytes.extend(text.as_bytes());
        bytes.extend([3.5f64, -1.5, 2.5].iter().flat_map(|x| x.to_le_bytes()));
        sandbox.put("A.npy", bytes).run("rmq --array A.npy --queries Q.npy --out R.npy");
        assert_eq!(sandbox.npy::<f64>("R.npy").1, [-1.5], "{pad}");
    }
}
