//! Parquet and Arrow's files, in and out: `cargo test -p thalweg-cli --features columnar --test cli columnar`.
//!
//! What pyarrow wrote lies in `tests/fixtures`: compressed by snappy, zstd and lz4, in several groups of rows and as a stream,
//! with columns of words and truth values, and with a null.

use crate::sandbox::{Sandbox, fixture};

const FILES: [&str; 4] = ["table.parquet", "table-zstd.parquet", "table.feather", "table.arrows"];

#[cfg(not(feature = "columnar"))]
#[test]
fn the_feature_is_named() {
    let sandbox = Sandbox::new();
    for file in FILES {
        let file = fixture(file);
        sandbox.fail_saying(&format!("rmq --array {file}:value"), &[&file, "--features columnar"]);
    }
    for out in ["R.parquet", "R.arrow"] {
        sandbox.fail_saying(&format!("rmq --out {out}"), &[out, "--features columnar"]);
    }
}

#[cfg(feature = "columnar")]
mod with_the_feature {
    use super::*;

    #[test]
    fn columns_that_others_wrote() {
        let sandbox = Sandbox::new();
        sandbox.put("Q.txt", "0 7\n0 2\n2 2\n4 6\n5 7\n");
        for file in FILES.map(fixture) {
            for column in ["value", "price", "byte", "2"] {
                sandbox.run(&format!("rmq --array {file}:{column} --queries Q.txt --what index --out I.npy"));
                assert_eq!(sandbox.npy::<i64>("I.npy").1, [3, 1, 2, 5, 5], "{file}:{column}");
            }
            // The column's own type; truth values are bytes.
            sandbox.run(&format!("rmq --array {file}:value --queries Q.txt --what value --out V.npy"));
            assert_eq!(sandbox.npy::<i32>("V.npy").1, [1, 3, 8, 1, 1]);
            sandbox.run(&format!("rmq --array {file}:flag --queries Q.txt --what value --out V.npy"));
            assert_eq!(sandbox.npy::<u8>("V.npy").1, [0, 0, 1, 0, 0]);
            sandbox.run(&format!("rmq --array {file}:price --queries Q.txt --what value --out V.npy"));
            assert_eq!(sandbox.npy::<f64>("V.npy").1, [0.25, 0.75, 2.0, 0.25, 0.25]);
            for (part, message) in [
                ("name", "column 1 (name): holds Utf8, expected numbers"),
                ("gap", "column 5 (gap): row 1 is null"),
                ("none", "there is no column 'none'"),
                ("9", "there is no column 9, only 1 to 6"),
                ("value,price", "2 columns are named by 'value,price', expected 1"),
            ] {
                sandbox.fail_saying(&format!("rmq --array {file}:{part} --queries Q.txt"), &[message]);
            }
            sandbox.fail_saying(&format!("rmq --array {file}:price --dtype i32"), &["row 0", "does not fit i32"]);
        }
    }

    #[test]
    fn there_and_back() {
        let sandbox = Sandbox::new();
        for ending in ["parquet", "arrow", "feather", "parquet.gz"] {
            for (dtype, n) in [("u8", 1), ("i16", 100_000), ("u64", 70_000), ("f32", 3), ("f64", 65_537)] {
                let array = format!("gen array --dtype {dtype} --n {n} --seed 3 --out");
                sandbox.run(&format!("{array} A.npy"));
                sandbox.run(&format!("{array} A.{ending}:x"));
                sandbox.run("rmq --array A.npy --count 1000 --what value --out V.npy");
                sandbox.run(&format!("rmq --array A.{ending}:x --count 1000 --what value --out W.npy"));
                assert_eq!(sandbox.bytes("V.npy"), sandbox.bytes("W.npy"), "{dtype} {ending}");
            }
            // Rows of two, with names of their own.
            sandbox.run("gen array --n 1000 --out A.npy");
            sandbox.run("gen queries --n 1000 --count 50001 --seed 5 --out Q.npy");
            sandbox.run(&format!("gen queries --n 1000 --count 50001 --seed 5 --out Q.{ending}:l,r"));
            sandbox.run("rmq --array A.npy --queries Q.npy --what index --out I.npy");
            sandbox.run(&format!("rmq --array A.npy --queries Q.{ending}:l,r --what index --out J.npy"));
            assert_eq!(sandbox.bytes("I.npy"), sandbox.bytes("J.npy"), "{ending}");
            // Rows of four, which are cut where a piece ends.
            sandbox.run(&format!("forest --n 70001 --seed 1 --out F.{ending}"));
            sandbox.run("forest --n 70001 --seed 1 --depths D.npy");
            sandbox.run(&format!("rmq --array F.{ending}:2 --count 1000 --what value --out V.npy"));
            sandbox.run("rmq --array D.npy --count 1000 --what value --out W.npy");
            assert_eq!(sandbox.npy::<i64>("V.npy").1, sandbox.npy::<i64>("W.npy").1, "{ending}");
        }
    }

    #[test]
    fn damaged_files_are_refused() {
        let sandbox = Sandbox::new();
        for file in FILES {
            let bytes = std::fs::read(fixture(file)).unwrap();
            let ask = |what: &str, bytes: &[u8], codes: &[i32]| {
                sandbox.put(file, bytes);
                let output = sandbox.command(&format!("rmq --array {file}:value --count 3")).output().unwrap();
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                let code = output.status.code();
                assert!(code.is_some_and(|code| codes.contains(&code)), "{file}, {what}: {code:?} {said}");
                assert!(!said.contains("panicked") && said.lines().count() <= 1, "{file}, {what}: {said}");
            };
            for cut in [1, 5, bytes.len() / 2] {
                ask(&format!("cut at {cut}"), &bytes[..cut], &[2]);
            }
            for at in (0..bytes.len()).step_by(7) {
                let mut bytes = bytes.clone();
                bytes[at] ^= 0x5a;
                // Most bytes are of columns that nobody asks for.
                ask(&format!("byte {at}"), &bytes, &[0, 2]);
            }
        }
    }
}
