//! The formats people have: text and CSV, archives, truth values, packed files; in and out.

use std::io::{Read, Write};

use crate::sandbox::{Sandbox, fixture};

/// The array of the fixtures and its queries, as texts.
const VALUES: [i64; 8] = [5, 3, 8, 1, 9, 1, 7, 2];
const LINES: &str = "5\n3\n8\n1\n9\n1\n7\n2\n";
const QUERIES: &str = "0 7\n0 2\n2 2\n4 6\n5 7\n";
const ANSWERS: [i64; 5] = [3, 1, 2, 5, 5];

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn gunzip(bytes: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    flate2::read::MultiGzDecoder::new(bytes).read_to_end(&mut all).unwrap();
    all
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.put("A.txt", LINES).put("Q.txt", QUERIES);
    sandbox
}

/// Runs `rmq` with these inputs, which must give the answers that are known.
fn check(sandbox: &Sandbox, inputs: &str) {
    sandbox.run(&format!("rmq {inputs} --what index --out I.npy"));
    assert_eq!(sandbox.npy::<i64>("I.npy").1, ANSWERS, "{inputs}");
}

#[test]
fn texts_of_all_kinds() {
    let sandbox = sandbox();
    check(&sandbox, "--array A.txt --queries Q.txt");
    for (name, text) in [
        ("line.txt", "5 3 8  1 9\t1 7 2\n".to_owned()),
        ("line.csv", "5,3,8,1,9,1,7,2".to_owned()),
        ("plain.csv", LINES.replace('\n', "\r\n")),
        ("named.csv", format!("value\n{LINES}")),
        ("marked.csv", format!("\u{feff}value\n{LINES}")),
        ("savetxt.txt", format!("# made by numpy\n{}", LINES.replace('\n', ".000000000000000000e+00\n"))),
        ("gaps.txt", LINES.replace('\n', "\n\n# and\n")),
        ("unnamed", LINES.to_owned()),
    ] {
        sandbox.put(name, text);
        check(&sandbox, &format!("--array {name} --queries Q.txt"));
    }
    for (name, text) in [
        ("Q.csv", "l,r\n0,7\n0,2\n2,2\n4,6\n5,7\n"),
        ("Q2.csv", "0;7\n0;2\n2;2\n4;6\n5;7\n"),
        ("Q.tsv", "0\t7\n0\t2\n2\t2\n4\t6\n5\t7\n"),
        ("Q3.txt", "0, 7\n0, 2\n2, 2\n4, 6\n5, 7\n"),
    ] {
        sandbox.put(name, text);
        check(&sandbox, &format!("--array A.txt --queries {name}"));
    }
}

#[test]
fn columns_by_name_and_number() {
    let sandbox = sandbox();
    let rows: String = VALUES.iter().map(|x| format!("\"row, \"\"{x}\"\"\n\",{x},{}.5\n", -x)).collect();
    sandbox.put("T.csv", format!("label,value,\"minus, and a half\"\n{rows}"));
    for part in ["value", "2"] {
        check(&sandbox, &format!("--array T.csv:{part} --queries Q.txt"));
    }
    // A name with a comma in it, and numbers that are no integers.
    let mut command = sandbox.command("rmq --max --queries Q.txt --what value --out V.npy --array");
    assert!(command.arg("T.csv:minus, and a half").output().unwrap().status.success());
    assert_eq!(sandbox.npy::<f64>("V.npy").1, [-1.5, -3.5, -8.5, -1.5, -1.5]);
    // Several columns, in the order in which they are asked for.
    sandbox.put("Q.csv", "right,what,left\n7,a,0\n2,b,0\n2,c,2\n6,d,4\n7,e,5\n");
    check(&sandbox, "--array A.txt --queries Q.csv:left,right");
    check(&sandbox, "--array A.txt --queries Q.csv:3,1");
    sandbox.put("P.csv", "at\n3\n0\n").run("rmq --array A.txt --queries P.csv:at,at --out V.npy");
    assert_eq!(sandbox.npy::<i64>("V.npy").1, [1, 5]);
    // Names that are years, and those that `savetxt` writes.
    sandbox.put("Y.csv", "id,2019,2020\n1,5,6\n2,3,4\n").run("ansv --array Y.csv:id --left L.npy");
    assert_eq!(sandbox.npy::<i64>("L.npy").1, [-1, 0]);
    sandbox.put("S.txt", "# x y\n1 5\n2 3\n").run("ansv --array S.txt:y --left L.npy");
    assert_eq!(sandbox.npy::<i64>("L.npy").1, [-1, -1]);
    for (part, says) in [
        ("price", "there is no column 'price', only label, value"),
        ("4", "there is no column 4, only 1 to 3"),
        ("0", "there is no column 0"),
        ("value,2", "2 columns are named by 'value,2', expected 1"),
        ("label", "line 2, column 1 (label): \"row, "),
    ] {
        sandbox.fail_saying(&format!("rmq --array T.csv:{part} --out R.npy"), &["T.csv:", says]);
    }
    sandbox.fail_saying("rmq --array T.csv --out R.npy", &["T.csv: 3 columns, expected 1", "label, value"]);
    sandbox.fail_saying("rmq --array A.txt --queries T.csv --out R.npy", &["T.csv: 3 columns, expected 2"]);
    sandbox.fail_saying("rmq --array none.csv:x --out R.npy", &["none.csv:x: No such file"]);
}

#[test]
fn a_file_with_a_colon_in_its_name() {
    let sandbox = sandbox();
    sandbox.put("a:2.txt", LINES).put("A.txt:x", LINES);
    check(&sandbox, "--array a:2.txt --queries Q.txt");
    check(&sandbox, "--array a:2.txt:1 --queries Q.txt");
    check(&sandbox, "--array A.txt:x --queries Q.txt");
    sandbox.put_npy("A.npy", &[8], &VALUES);
    sandbox.fail_saying("rmq --array A.npy:x", &["A.npy: has no parts", "'x'"]);
    sandbox.run("gen array --n 3 --out 12:30.npy");
    assert_eq!(sandbox.npy::<f32>("12:30.npy").0, [3]);
}

#[test]
fn numbers_are_exact_and_typed() {
    let sandbox = Sandbox::new();
    let ansv = |text: &str, dtype: &str| {
        sandbox.put("A.txt", text).put("Q.txt", "0 0\n1 1\n");
        sandbox.run(&format!("rmq --array A.txt {dtype} --queries Q.txt --out V.npy"));
    };
    ansv("9007199254740993\n-9223372036854775808\n", "");
    assert_eq!(sandbox.npy::<i64>("V.npy").1, [9_007_199_254_740_993, i64::MIN]);
    ansv("18446744073709551615\n0\n", "");
    assert_eq!(sandbox.npy::<u64>("V.npy").1, [u64::MAX, 0]);
    ansv("1\n1e-3\n", "");
    assert_eq!(sandbox.npy::<f64>("V.npy").1, [1.0, 0.001]);
    ansv("1\n-7\n", "--dtype i16");
    assert_eq!(sandbox.npy::<i16>("V.npy").1, [1, -7]);
    ansv("1\n0.1\n", "--dtype f32");
    assert_eq!(sandbox.npy::<f32>("V.npy").1, [1.0, 0.1]);
    for (text, dtype, says) in [
        ("1\n\n300\n", "--dtype u8", "A.txt: line 3, column 1: \"300\" does not fit u8"),
        ("1\n2.5\n", "--dtype i32", "A.txt: line 2, column 1: \"2.5\" is not an integer"),
        ("1\n2\nthree\n", "", "A.txt: line 3, column 1: \"three\" is not a number"),
        ("18446744073709551616\n", "", "line 1, column 1: \"18446744073709551616\" does not fit u64"),
        ("18446744073709551615\n-1\n", "", "line 2, column 1: \"-1\" does not fit u64"),
        ("1 2\n3\n", "", "2 columns, expected 1"),
    ] {
        sandbox.put("A.txt", text).fail_saying(&format!("rmq --array A.txt {dtype} --out V2.npy"), &[says]);
    }
    sandbox
        .put("A.csv", "a,b\n1,2\n3\n")
        .fail_saying("rmq --array A.csv:a", &["A.csv:a: line 3: 1 fields, expected 2"]);
    sandbox.put("A.csv", "a,b\n1,\n").fail_saying("rmq --array A.csv:b", &["line 2, column 2 (b): is empty"]);
    sandbox.put("A.csv", "a,b\n\"1,2\n").fail_saying("rmq --array A.csv:b", &["line 2: a quote"]);
    sandbox
        .put("A.txt", "\u{feff}1\n\u{663}\n")
        .fail_saying("rmq --array A.txt", &["line 2, column 1", "is not a number"]);
    sandbox.put("A.txt", b"\xff\xfe1\0\n\0").fail_saying("rmq --array A.txt", &["UTF-16"]);
}

#[test]
fn complaints_name_lines() {
    let sandbox = sandbox();
    sandbox
        .put("Q.csv", "l,r\n\n0,3\n# no\n-1,2\n")
        .fail_saying("rmq --array A.txt --queries Q.csv", &["Q.csv: line 5: left bound -1"]);
    sandbox
        .put("Q.csv", "l,r\n0,3\n\n0,8\n")
        .fail_saying("rmq --array A.txt --queries Q.csv", &["Q.csv: line 4: range 0..=8"]);
    sandbox.put("P.txt", "-1\n0\n7\n").fail_saying("forest --parents P.txt", &["P.txt: line 3: points to node 7"]);
    sandbox.put("T.txt", "abc").put("Q.csv", "i,j\n0,1\n\n0,9\n");
    sandbox.fail_saying("lce T.txt --queries Q.csv", &["Q.csv: line 4: positions 0 and 9"]);
    sandbox.put("G.map", "type octile\nheight 1\nwidth 2\nmap\n..\n").put("R.txt", "0 0 0 1\n\n0 0 3 0\n");
    sandbox.fail_saying("path --grid G.map --queries R.txt", &["R.txt: line 3: there is no row 3, column 0"]);
    sandbox
        .put("E.txt", "0 1\n1 5\n")
        .fail_saying("matching --edges E.txt --nodes 3", &["E.txt: line 2: there is no vertex 5"]);
    sandbox
        .put("P.csv", "x,y\n0,0\nnan,1\n")
        .fail_saying("hull --points P.csv", &["P.csv: line 3: a coordinate is NaN"]);
}

#[test]
fn a_long_text_is_read_in_pieces() {
    let sandbox = Sandbox::new();
    let n = 400_000i64;
    // Pieces end within quoted fields, too.
    let rows: String = (0..n).map(|i| format!("{},\"{}\n{}\",x\n", i * 7919 % n, i, i)).collect();
    sandbox.put("A.csv", format!("a,b,c\n{rows}"));
    let plain: String = (0..n).map(|i| format!("{}\n", i * 7919 % n)).collect();
    sandbox.put("A.txt", &plain).put_npy("A.npy", &[n as u64], &(0..n).map(|i| i * 7919 % n).collect::<Vec<_>>());
    for file in ["A.npy", "A.txt", "A.csv:a"] {
        for threads in [1, 3] {
            sandbox.run(&format!("ansv --array {file} --left L{}.npy --threads {threads}", &file[2..5]));
        }
    }
    assert!(sandbox.bytes("Lnpy.npy") == sandbox.bytes("Ltxt.npy"));
    assert!(sandbox.bytes("Lnpy.npy") == sandbox.bytes("Lcsv.npy"));
    let bad = plain.replace("\n300001\n", "\n300001x\n");
    let line = bad.lines().position(|line| line == "300001x").unwrap() + 1;
    sandbox.put("A.txt", bad).fail_saying("ansv --array A.txt", &[&format!("A.txt: line {line}, column 1")]);
}

#[test]
fn standard_input_and_output_as_text() {
    let sandbox = sandbox();
    let run = |arguments: &str, input: &[u8]| {
        let output = sandbox.command(arguments).write_stdin(input).output().unwrap();
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    for name in ["-", "-.txt", "-:1", "-.csv:1"] {
        run(&format!("rmq --array {name} --queries Q.txt --what index --out I.npy"), LINES.as_bytes());
        assert_eq!(sandbox.npy::<i64>("I.npy").1, ANSWERS, "{name}");
    }
    run("rmq --array A.txt --queries - --what index --out I.npy", QUERIES.as_bytes());
    assert_eq!(sandbox.npy::<i64>("I.npy").1, ANSWERS);
    run("rmq --array -.txt --dtype u8 --queries Q.txt --out V.npy", LINES.as_bytes());
    assert_eq!(sandbox.npy::<u8>("V.npy").1, [1, 3, 8, 1, 1]);
    run("rmq --array -.csv.gz:b --queries Q.txt --out V.npy", &gzip(b"a,b\n1,2\n3,4\n5,6\n1,2\n3,4\n5,6\n1,2\n3,4\n"));
    assert_eq!(sandbox.npy::<i64>("V.npy").1, [2, 2, 6, 2, 2]);
    // Bytes stay bytes.
    run("rmq --array - --dtype u8 --queries Q.txt --out V.npy", b"53819172");
    assert_eq!(sandbox.npy::<u8>("V.npy").1, *b"13811");
    let input = LINES.as_bytes();
    assert_eq!(run("rmq --array - --queries Q.txt --what index --out -.txt", input), "3\n1\n2\n5\n5\n");
    assert_eq!(run("rmq --array - --queries Q.txt --out -.csv", input), "value\n1\n3\n8\n1\n1\n");
    assert_eq!(run("rmq --array - --queries Q.txt --out -.csv:least", input), "least\n1\n3\n8\n1\n1\n");
    let line = sandbox.fail_on_input("rmq --array - --queries -.txt --out R.npy", LINES);
    assert!(line.contains("only one input"), "{line}");
}

#[test]
fn results_in_every_format() {
    let sandbox = sandbox();
    let rmq = "rmq --array A.txt --queries Q.txt --what index --out";
    for (name, text) in [
        ("R.txt", "3\n1\n2\n5\n5\n"),
        ("R.csv", "value\n3\n1\n2\n5\n5\n"),
        ("R.TSV", "value\n3\n1\n2\n5\n5\n"),
        ("S.csv:at", "at\n3\n1\n2\n5\n5\n"),
        ("T.csv:a,b", "\"a,b\"\n3\n1\n2\n5\n5\n"),
    ] {
        sandbox.run(&format!("{rmq} {name}"));
        let file = name.split(':').next().unwrap();
        assert_eq!(String::from_utf8(sandbox.bytes(file)).unwrap(), text);
        sandbox.run(&format!("{rmq} {file}.gz{}", &name[file.len()..]));
        assert_eq!(String::from_utf8(gunzip(&sandbox.bytes(&format!("{file}.gz")))).unwrap(), text);
    }
    sandbox.run("gen points --n 3 --kind line --dtype i32 --out P.csv:x,y");
    assert!(String::from_utf8(sandbox.bytes("P.csv")).unwrap().starts_with("x,y\n"));
    // Columns are named after what is in them, unless somebody says otherwise.
    for (command, names) in [
        ("forest --n 3 --out F.csv", "root,depth,size,preorder\n"),
        ("forest --n 3 --out F.csv:a,b,c,d", "a,b,c,d\n"),
        ("ansv --n 3 --out F.csv", "left,right\n"),
        ("path --rows 5 --cols 5 --count 2 --parts F.csv", "straight,diagonal\n"),
        ("path --rows 5 --cols 5 --count 2 --paths F.csv --offsets O.csv", "row,column\n"),
    ] {
        sandbox.run(command);
        assert!(String::from_utf8(sandbox.bytes("F.csv")).unwrap().starts_with(names), "{command}");
    }
    sandbox.fail_saying("gen points --n 3 --out P.csv:x", &["P.csv: 2 columns, but 'x' names 1"]);
    sandbox.run("gen signal --shape 3 --kind impulse --dtype c64 --out C.csv");
    assert_eq!(sandbox.bytes("C.csv"), b"re,im\n1.0,0.0\n0.0,0.0\n0.0,0.0\n");
    sandbox.fail_saying("gen signal --shape 2,2,2 --dtype f32 --out D.csv", &["D.csv: (2, 2, 2) of f32 is no table"]);
    // What is written is read again, to the last bit.
    for dtype in ["u8", "i64", "f32", "f64"] {
        sandbox.run(&format!("gen array --n 3000 --kind special --dtype {dtype} --out A.npy"));
        for name in ["B.csv", "B.txt", "B.tsv", "B.npz", "B.npy.gz", "B.npy.zst", "B.csv.zst", "B.bin", "B.npz.gz"] {
            sandbox.run(&format!("gen array --n 3000 --kind special --dtype {dtype} --out {name}"));
            for queries in ["L1.npy", "L2.npy"] {
                let array = if queries == "L1.npy" { "A.npy" } else { name };
                sandbox.run(&format!("ansv --array {array} --dtype {dtype} --left {queries}"));
            }
            assert!(sandbox.bytes("L1.npy") == sandbox.bytes("L2.npy"), "{name} {dtype}");
        }
    }
    sandbox.fail_saying("build --array A.npy -o A.thw.gz", &["A.thw.gz: an index is mapped"]);
    // Two results in one file, which is named by its parts.
    sandbox.fail_saying("ansv --array A.npy --left L.npz:left --right L.npz:right", &["two results"]);
}

#[test]
fn archives_of_numpy() {
    let sandbox = sandbox();
    for name in ["archive", "archive_compressed"] {
        let file = fixture(&format!("{name}.npz"));
        check(&sandbox, &format!("--array {file}:a --queries Q.txt"));
        sandbox.run(&format!("rmq --array {file}:b.npy --queries Q.txt --out V.npy"));
        assert_eq!(sandbox.npy::<i32>("V.npy").1, [1, 1, 1, 1, 3]);
        sandbox.fail_saying(&format!("rmq --array {file}"), &["2 members", "a, b"]);
        sandbox.fail_saying(&format!("rmq --array {file}:c"), &["no member c, only a, b"]);
        // By its content.
        let output = sandbox
            .command("rmq --array -:a --queries Q.txt --what index --out I.npy")
            .write_stdin(std::fs::read(file).unwrap())
            .output()
            .unwrap();
        assert!(output.status.success());
    }
    check(&sandbox, &format!("--array {} --queries Q.txt", fixture("archive_single.npz")));
    // Ours, too, and it is used where it lies.
    sandbox.run("gen array --n 100 --kind sorted --dtype i32 --out R.npz:numbers");
    let output = sandbox.run("ansv --array R.npz:numbers --left L.npy --verbose");
    assert!(String::from_utf8_lossy(&output.stderr).contains("mapped, used in place"));
    assert_eq!(sandbox.npy::<i64>("L.npy").1, (-1..99).collect::<Vec<_>>());
    let archive = sandbox.bytes("R.npz");
    for place in [140, 300, archive.len() - 50] {
        let mut damaged = archive.clone();
        damaged[place] ^= 1;
        sandbox.put("R.npz", damaged).fail_saying("ansv --array R.npz --left L.npy", &["R.npz: "]);
    }
    sandbox.put("R.npz", "text").fail_saying("ansv --array R.npz --left L.npy", &["not a .npz file"]);
}

#[test]
fn truth_values_are_numbers() {
    let sandbox = sandbox();
    let file = fixture("array_bool.npy");
    sandbox.put("Q.txt", "0 3\n2 3\n").run(&format!("rmq --array {file} --queries Q.txt --out V.npy"));
    assert_eq!(sandbox.npy::<u8>("V.npy").1, [0, 1]);
    for command in ["fft --out F.npy", "ansv --left F.npy", "cartesian --parents F.npy"] {
        sandbox.run(&format!("{command} --array {file}"));
    }
    let mut bytes = std::fs::read(&file).unwrap();
    *bytes.last_mut().unwrap() = 2;
    sandbox.put("B.npy", bytes).fail_saying("rmq --array B.npy", &["B.npy: element 3 of a bool array is 2"]);
}

#[test]
fn packed_files() {
    let sandbox = sandbox();
    sandbox
        .put("A.txt.gz", gzip(LINES.as_bytes()))
        .put("Q.txt.GZ", [gzip(&QUERIES.as_bytes()[..5]), gzip(&QUERIES.as_bytes()[5..])].concat());
    check(&sandbox, "--array A.txt.gz --queries Q.txt.GZ");
    check(&sandbox, "--array A.txt.gz:1 --queries Q.txt");
    let packed = sandbox.bytes("A.txt.gz");
    sandbox.put("B.txt.gz", &packed[..packed.len() - 3]).fail_saying("rmq --array B.txt.gz", &["B.txt.gz: "]);
    sandbox.put("B.txt.gz", LINES).fail_saying("rmq --array B.txt.gz", &["B.txt.gz: "]);
    sandbox.put("B.txt.zst", LINES).fail_saying("rmq --array B.txt.zst", &["B.txt.zst: bad zstd data"]);
    sandbox.put("B.txt.zst", "").fail_saying("rmq --array B.txt.zst", &["B.txt.zst: is empty"]);
    // Texts, FASTA, factorisations and maps.
    let text = b"mississippi".repeat(1000);
    sandbox.put("text", &text).put("text.gz", gzip(&text)).put("F.fa", ">a\nACGT\n>b\nCGTA\n");
    sandbox.put("F.fa.gz", gzip(&sandbox.bytes("F.fa")));
    let found = |file: &str| sandbox.run(&format!("search issi {file}")).stdout;
    assert_eq!(found("text"), found("text.gz"));
    assert_eq!(sandbox.run("search CG F.fa.gz --fasta").stdout, b"a:1\nb:0\n");
    sandbox.run("lz77 text.gz -o text.tlz.zst").stdout.clear();
    sandbox.run("unlz77 text.tlz.zst -o again.gz");
    assert_eq!(gunzip(&sandbox.bytes("again.gz")), text);
    sandbox.put("G.map.gz", gzip(b"type octile\nheight 1\nwidth 3\nmap\n...\n"));
    sandbox.put("R.txt", "0 0 0 2\n").run("path --grid G.map.gz --queries R.txt --lengths L.txt");
    assert!(sandbox.bytes("L.txt").starts_with(b"2"));
    sandbox.put("G.csv", "0,0,0\n1,1,0\n").run("path --grid G.csv --queries R.txt --lengths L.txt");
}

#[test]
fn an_empty_pipe_is_an_accident_unless_it_is_allowed() {
    let sandbox = sandbox();
    sandbox.put("empty", "").put("P.txt", "-1\n0\n0\n").put("S.txt", "0 0 2 2\n").put("G.csv", "0,0\n0,0\n");
    sandbox.run("build --array A.txt -o A.thw");
    for command in [
        "rmq --array A.txt --queries FILE --out R.npy",
        "query A.thw --queries FILE --out R.npy",
        "lca --parents P.txt --queries FILE --out R.npy",
        "lce A.txt --queries FILE --out R.npy",
        "subtree --parents P.txt --what size --nodes FILE --out R.npy",
        "path --grid G.csv --queries FILE --lengths R.npy",
        "envelope --segments S.txt --at FILE --values R.npy",
    ] {
        for file in ["-", "empty", "-.csv"] {
            let command = command.replace("FILE", file);
            let line = sandbox.fail_on_input(&command, "");
            assert!(line.contains("is empty (--allow-empty"), "{command}: {line}");
            let output = sandbox.command(&format!("{command} --allow-empty")).write_stdin("").output().unwrap();
            assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
            assert_eq!(npyz::NpyFile::new(&sandbox.bytes("R.npy")[..]).unwrap().shape(), [0], "{command}");
            std::fs::remove_file(sandbox.path("R.npy")).unwrap();
        }
    }
    // An array that says itself that it has no rows is none.
    sandbox.put_npy::<i64>("Q.npy", &[0, 2], &[]).run("rmq --array A.txt --queries Q.npy --out R.npy");
}

#[test]
fn places_of_records_in_files() {
    let sandbox = Sandbox::new();
    sandbox.put("F.fa", ">chr1 first\nACG\nT\n>chr2\nCGA\n");
    sandbox.run("sa F.fa --fasta --out S.csv --lcp L.csv");
    let suffixes = String::from_utf8(sandbox.bytes("S.csv")).unwrap();
    // The joined text is ACGT, newline, CGA; the newline is the end of the first record.
    assert_eq!(suffixes, "place\nchr1:4\nchr2:2\nchr1:0\nchr2:0\nchr1:1\nchr2:1\nchr1:2\nchr1:3\n");
    assert!(sandbox.bytes("L.csv").starts_with(b"value\n0\n"));
    sandbox.run("sa F.fa --fasta --out S.npy");
    assert_eq!(sandbox.npy::<i64>("S.npy").1, [4, 7, 0, 5, 1, 6, 2, 3]);
    sandbox.put("Q.csv", "a,b\nchr1:1,chr2:0\n1,chr2:0\nchr1:0,chr2:2\n");
    sandbox.run("lce F.fa --fasta --queries Q.csv --out R.txt");
    assert_eq!(sandbox.bytes("R.txt"), b"2\n2\n1\n");
    for place in ["chr1:4", "chr2:3", "chr3:0", "chr1:x", "chr1:-1"] {
        sandbox.put("Q.txt", format!("chr1:1 chr2:0\n0 {place}\n"));
        let says = format!("Q.txt: line 2, column 2: \"{place}\" is neither");
        sandbox.fail_saying("lce F.fa --fasta --queries Q.txt --out R.txt", &[&says]);
    }
    // The first line, too, is no line of names.
    sandbox.put("Q.txt", "chr7:1 chr8:0\n").fail_saying("lce F.fa --fasta --queries Q.txt", &["line 1, column 1"]);
    sandbox
        .put("F.fa", ">x\nA\n>x\nC\n")
        .fail_saying("lce F.fa --fasta --queries Q.txt", &["two records are called x"]);
}

#[test]
fn texts_are_generated() {
    let sandbox = Sandbox::new();
    for kind in thalweg_data::TextKind::ALL {
        let name = kind.name();
        sandbox.run(&format!("gen text --n 5000 --kind {name} --seed 3 --out T.txt"));
        assert!(sandbox.bytes("T.txt") == kind.make(5000, 3), "{name}");
    }
    sandbox.run("gen text --n 5000 --kind dna --out T.gz");
    assert_eq!(gunzip(&sandbox.bytes("T.gz")), thalweg_data::TextKind::Dna.make(5000, 7));
    assert_eq!(sandbox.run("gen text --n 3 --kind equal --out -").stdout, b"aaa");
    sandbox.run("gen text --n 0 --out T.txt");
    assert!(sandbox.bytes("T.txt").is_empty());
}
