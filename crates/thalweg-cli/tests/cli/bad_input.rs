//! Bad input: one line that names file and row, exit code 2, nothing left behind.

use crate::sandbox::{Sandbox, npy_bytes};

/// A sandbox with a good array of five and two good queries.
fn good() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.put_npy("A.npy", &[5], &[5f32, 4.0, 3.0, 2.0, 1.0]).put_npy("Q.npy", &[2, 2], &[0i64, 4, 1, 3]);
    sandbox
}

const RMQ: &str = "rmq --array A.npy --queries Q.npy --out R.npy";

#[test]
fn files_that_cannot_be_read() {
    let sandbox = good();
    std::fs::create_dir(sandbox.path("folder")).unwrap();
    for (file, part) in [("missing.npy", "No such file"), ("folder", "directory"), ("A.npy/x", "Not a directory")] {
        sandbox.fail_saying(&format!("rmq --array {file} --out R.npy"), &[file, part]);
        sandbox.fail_saying(&format!("rmq --array A.npy --queries {file} --out R.npy"), &[file, part]);
        sandbox.fail_saying(&format!("ansv --array {file} --left L.npy"), &[file, part]);
    }
}

#[test]
fn files_that_are_not_npy() {
    let sandbox = good();
    for bytes in [&b""[..], b"hello, world", b"\x93NUMPY", b"\x93NUMPY\x01\x00\xff\xff", b"\x93NUMPY\x09\x00\x00\x00"] {
        sandbox.put("A.npy", bytes);
        sandbox.fail_saying(RMQ, &["A.npy: "]);
        sandbox.fail_saying("ansv --array A.npy --left L.npy --right R.npy", &["A.npy: "]);
        sandbox.fail_on_input("rmq --array - --queries Q.npy --out R.npy", bytes);
    }
    let sandbox = good();
    sandbox.put("Q.npy", "text").fail_saying(RMQ, &["Q.npy: not a .npy file"]);
}

#[test]
fn files_cut_off_or_too_long() {
    let sandbox = good();
    let array = sandbox.bytes("A.npy");
    for length in (0..array.len()).step_by(7).chain([array.len() - 1, array.len() - 4]) {
        sandbox.put("A.npy", &array[..length]).fail_saying(RMQ, &["A.npy: "]);
    }
    sandbox.put("A.npy", [&array[..], &[0; 4]].concat()).fail_saying(RMQ, &["A.npy: 4 bytes too many"]);
    let sandbox = good();
    let queries = sandbox.bytes("Q.npy");
    sandbox.put("Q.npy", &queries[..queries.len() - 16]).fail_saying(RMQ, &["Q.npy: cut off"]);
    sandbox.put("Q.npy", [&queries[..], b"\n"].concat()).fail_saying(RMQ, &["Q.npy: 1 byte too many"]);
}

#[test]
fn absurd_sizes_in_a_header() {
    let sandbox = good();
    for shape in
        ["(99999999999,)", "(18446744073709551615,)", "(4611686018427387904,)", "(1", "(99999999999999999999,)"]
    {
        let text = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((text.len() as u16).to_le_bytes());
        bytes.extend(text.as_bytes());
        sandbox.put("A.npy", &bytes).fail_saying(RMQ, &["A.npy: "]);
        sandbox.fail_on_input("rmq --array - --queries Q.npy --out R.npy", bytes);
    }
    sandbox.put("A.npy", b"\x93NUMPY\x02\x00\xff\xff\xff\x7f{").fail_saying(RMQ, &["A.npy: ", "not credible"]);
}

#[test]
fn queries_that_are_not_ranges_of_the_array() {
    let sandbox = good();
    let mut queries = [[0i64, 4]; 40];
    for (bad, part) in [
        ([3, 2], "range 3..=2: the left bound is greater"),
        ([0, 5], "range 0..=5: not inside an array of 5"),
        ([5, 5], "range 5..=5: not inside"),
        ([0, i64::MAX], "range 0..=9223372036854775807: not inside"),
        ([-1, 2], "left bound -1 is negative"),
        ([0, -7], "right bound -7 is negative"),
        ([i64::MIN, i64::MIN], "left bound -9223372036854775808 is negative"),
    ] {
        queries[17] = bad;
        sandbox.put_npy("Q.npy", &[40, 2], queries.as_flattened());
        for what in ["value", "index"] {
            sandbox.fail_saying(&format!("{RMQ} --what {what}"), &["Q.npy: row 17: ", part]);
        }
    }
    // Every width, and the first of several.
    macro_rules! narrow {
        ($($t:ty)*) => {$(
            sandbox.put_npy("Q.npy", &[3, 2], &[0 as $t, 4, 4, 3, 9, 1]).fail_saying(RMQ, &["Q.npy: row 1: range 4..=3"]);
            sandbox.put_npy("Q.npy", &[1, 2], &[0, <$t>::MAX]).fail_saying(RMQ, &["Q.npy: row 0: range 0..="]);
        )*};
    }
    narrow!(u8 u16 u32 u64 i8 i16 i32 i64);
    sandbox.put_npy("Q.npy", &[2, 2], &[0i8, 1, 2, -1]).fail_saying(RMQ, &["row 1: right bound -1 is negative"]);
}

#[test]
fn a_query_on_an_empty_array() {
    let sandbox = good();
    sandbox.put_npy::<f32>("A.npy", &[0], &[]);
    sandbox.fail_saying(RMQ, &["Q.npy: row 0: ", "0 elements"]);
    sandbox.fail_saying("rmq --array A.npy --out R.npy", &["empty array"]);
}

#[test]
fn outputs_that_cannot_be_written() {
    let sandbox = good();
    std::fs::create_dir(sandbox.path("folder")).unwrap();
    for (file, part) in [
        ("nowhere/R.npy", "No such file"),
        ("A.npy/R.npy", "Not a directory"),
        ("folder", "directory"),
        ("/dev/full", "No space left"),
        ("/proc/R.npy", ""),
    ] {
        sandbox.fail_saying(&format!("rmq --array A.npy --queries Q.npy --out {file}"), &[file, part]);
        sandbox.fail_saying(&format!("ansv --array A.npy --left {file}"), &[file, part]);
        sandbox.fail_saying(&format!("gen array --n 100000 --out {file}"), &[file, part]);
        sandbox.fail_saying(&format!("gen queries --n 100 --count 9 --out {file}"), &[file, part]);
    }
    // A device is written, not replaced.
    sandbox.run("gen array --n 100 --out /dev/null");
}

#[test]
fn an_old_result_survives_a_failure() {
    let sandbox = good();
    sandbox.put("R.npy", "old").put_npy("Q.npy", &[1, 2], &[3i64, 2]);
    sandbox.fail(RMQ);
    assert_eq!(sandbox.bytes("R.npy"), b"old");
}

#[test]
fn combinations_that_make_no_sense() {
    let sandbox = good();
    sandbox.fail_saying("rmq --queries Q.npy --out R.npy", &["--queries needs --array"]);
    sandbox.fail_on_input("rmq --array - --queries - --out R.npy", npy_bytes(&[1], &[1f32]));
}

#[test]
fn options_of_other_engines_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.fail_saying("rmq --n 10 --count 1 --chunk 4", &["--chunk is for hierarchy"]);
    sandbox.fail_saying("rmq --n 10 --count 1 --engine lines --block 8", &["--block is for padded_tree"]);
    sandbox.fail_saying("build --n 10 -o A.thw --engine padded-tree --threshold 3", &["--threshold", "hierarchy"]);
    assert!(sandbox.files().is_empty());
}
