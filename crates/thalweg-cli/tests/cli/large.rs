//! More elements than 32 bits can number.

use std::fs::File;
use std::os::unix::fs::FileExt;

use crate::sandbox::Sandbox;

const LEN: u64 = (1 << 32) + (1 << 20) + 5;

/// A file of zeros, which takes no room on the disk, with a peak here and there, beyond 2^32 as well; and an index in a file.
///
/// `cargo test -p thalweg-cli --test cli large -- --ignored`: some minutes, 4 GiB of page cache, 2 GiB of memory and, for the
/// index, 2 GiB of disk.
#[test]
#[ignore = "2 GiB of memory and of disk, and some minutes"]
fn arrays_beyond_32_bits() {
    let sandbox = Sandbox::new();
    let file = File::create(sandbox.path("A.bin")).unwrap();
    file.set_len(LEN).unwrap();
    // By height: the higher, the later.
    let peaks: [u64; 7] = [0, 12_345, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 32) + 77_777, LEN - 1];
    for (height, &place) in (1u8..).zip(&peaks) {
        file.write_all_at(&[height], place).unwrap();
    }
    // Between any two peaks, both inclusive, the higher is the right one; where there is none, the first element is told.
    let mut queries = Vec::new();
    let mut wanted = Vec::new();
    for (i, &left) in peaks.iter().enumerate() {
        for &right in &peaks[i..] {
            queries.extend([left as i64, right as i64]);
            wanted.push(right as i64);
        }
    }
    for left in [1, 1 << 31 | 1, (1 << 32) + 1, LEN - 1000] {
        queries.extend([left as i64, left as i64 + 900]);
        wanted.push(left as i64);
    }
    sandbox.put_npy("Q.npy", &[wanted.len() as u64, 2], &queries);
    for engine in ["lines", "hierarchy"] {
        let start = std::time::Instant::now();
        sandbox.run(&format!(
            "rmq --array A.bin --dtype u8 --max --what index --queries Q.npy --out R.npy --engine {engine} --no-verify --device cpu"
        ));
        assert_eq!(sandbox.npy::<i64>("R.npy").1, wanted, "{engine}");
        eprintln!("{engine}: {:?}", start.elapsed());
    }
    sandbox.run("build --array A.bin --dtype u8 --max --engine balanced-parens -o A.thw");
    sandbox.run("query A.thw --what index --queries Q.npy --out R.npy");
    assert_eq!(sandbox.npy::<i64>("R.npy").1, wanted, "from a file");
}
