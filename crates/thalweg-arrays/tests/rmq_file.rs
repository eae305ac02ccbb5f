//! Indexes in files: what was saved answers as what was built, and what is damaged is refused.
#![cfg(feature = "file")]

use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;
use tempfile::TempDir;
use thalweg_arrays::Rmq;
use thalweg_arrays::rmq::file::{self, SAVED, Stored};
use thalweg_arrays::rmq::{Engine, HierarchyOptions, LinesOptions, PaddedTreeOptions};
use thalweg_core::{Error, Key, Order, Result};
use thalweg_data::oracles::argmin_by_scan;
use thalweg_data::{ArrayKind, QueryKind};
use thalweg_suites::rmq::suite;
use xxhash_rust::xxh3::xxh3_64;

/// A folder with one file.
struct Place {
    _folder: TempDir,
    path: PathBuf,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index.thw");
        Self { _folder: folder, path }
    }

    fn put(&self, bytes: &[u8]) -> &Self {
        // A new file every time: who has the old one mapped keeps it.
        let _ = fs::remove_file(&self.path);
        fs::write(&self.path, bytes).unwrap();
        self
    }
}

fn bytes_of<K: Key>(rmq: &Rmq<'_, K>) -> Vec<u8> {
    let mut bytes = Vec::new();
    rmq.write_to(&mut bytes).unwrap();
    bytes
}

/// Through a file and back.
fn reopened<K: Key>(place: &Place, rmq: &Rmq<'_, K>) -> Rmq<'static, K> {
    file::open(&place.put(&bytes_of(rmq)).path).unwrap()
}

fn hierarchy(chunk: usize, threshold: usize) -> Engine {
    let options = HierarchyOptions { chunk: Some(chunk), threshold: Some(threshold), ..HierarchyOptions::DEFAULT };
    Engine::Hierarchy(options)
}

fn padded_tree(block: usize, superblock: usize, dictionary: usize) -> Engine {
    let (block, superblock, dictionary) = (Some(block), Some(superblock), Some(dictionary));
    Engine::PaddedTree(PaddedTreeOptions { block, superblock, dictionary })
}

macro_rules! conformance {
    ($($name:ident = $engine:expr;)*) => {$(
        #[test]
        fn $name() {
            let place = Place::new();
            macro_rules! one {
                ($t:ident) => {
                    suite::<$t>(|array, order| reopened(&place, &Rmq::with_engine(array, order, $engine).unwrap()));
                };
            }
            thalweg_core::for_each_key!(one);
        }
    )*};
}

conformance! {
    lines = Engine::Lines(LinesOptions::DEFAULT);
    padded_tree_of_large_blocks = Engine::PaddedTree(PaddedTreeOptions::DEFAULT);
    padded_tree_of_small_blocks = padded_tree(4, 16, 2);
    balanced_parens = Engine::BalancedParens;
    sparse_table = Engine::SparseTable;
    hierarchy_of_lines = Engine::Hierarchy(HierarchyOptions::DEFAULT);
    hierarchy_of_odd_chunks = hierarchy(7, 3);
}

#[test]
fn lines_keep_their_place_in_cache_lines() {
    let place = Place::new();
    let all = ArrayKind::Runs.make::<u64>(50_000, 1);
    for skip in 0..20 {
        let array = &all[skip..];
        let rmq = reopened(&place, &Rmq::new(array).unwrap());
        let ranges = QueryKind::Mixed.make::<u32>(array.len(), 1000, 2);
        let mut found = vec![0; ranges.len()];
        rmq.positions(&ranges, &mut found).unwrap();
        for (&[l, r], &position) in ranges.iter().zip(&found) {
            assert_eq!(position as usize, argmin_by_scan(array, Order::Min, l as usize, r as usize), "{skip}");
        }
        let stored = Stored::open(&place.path).unwrap();
        let saved = stored.array::<u64>().unwrap().unwrap();
        assert_eq!(saved, array);
        assert_eq!(saved.as_ptr() as usize % 128, array.as_ptr() as usize % 128, "{skip}");
    }
}

#[test]
fn the_header_tells_everything() {
    let place = Place::new();
    let array = ArrayKind::Random.make::<i16>(100_000, 1);
    let options = HierarchyOptions { chunk: Some(8), ..HierarchyOptions::DEFAULT };
    let rmq = Rmq::with_engine(&array, Order::Max, Engine::Hierarchy(options)).unwrap();
    rmq.save(&place.path).unwrap();
    let stored = Stored::open(&place.path).unwrap();
    let header = stored.header();
    assert_eq!((header.version, header.engine.name(), header.dtype), (1, "hierarchy", "i16"));
    assert_eq!((header.order, header.len, header.position_bytes), (Order::Max, 100_000, 4));
    assert_eq!(header.options, [("chunk".to_owned(), 8), ("threshold".to_owned(), 4)]);
    assert_eq!(header.file_bytes, fs::metadata(&place.path).unwrap().len());
    let names: Vec<&str> = header.sections.iter().map(|section| &section.name[..]).collect();
    assert_eq!(names, ["minima", "positions", "array"]);
    for section in &header.sections {
        assert_eq!(stored.check(section), Ok(()));
        assert_eq!(section.offset % 4096, 0, "{}", section.name);
    }
    assert_eq!(header.index_bytes() + 200_000, header.file_bytes);
    let opened = file::open::<i16>(&place.path).unwrap();
    assert_eq!((opened.engine(), opened.order(), opened.len()), ("hierarchy", Order::Max, 100_000));
    // What was opened can be saved again, to the same bytes.
    assert_eq!(bytes_of(&opened), fs::read(&place.path).unwrap());
}

#[test]
fn other_types_and_engines_are_refused() {
    let place = Place::new();
    Rmq::new(&[1u32, 2]).unwrap().save(&place.path).unwrap();
    let text = file::open::<f32>(&place.path).map(|_| ()).unwrap_err().to_string();
    assert!(text.contains("index.thw") && text.contains("over u32, not over f32"), "{text}");
    assert!(Stored::open(&place.path).unwrap().array::<i32>().is_err());
    let unsaved = |engine: &&Engine| !SAVED.contains(engine) && !engine.needs_gpu();
    for &engine in Engine::ALL.iter().filter(unsaved) {
        let rmq = Rmq::with_engine(&[1u32, 2], Order::Min, engine).unwrap();
        let text = rmq.save(&place.path).unwrap_err().to_string();
        assert!(text.contains(engine.name()) && text.contains("lines"), "{text}");
    }
    // The file is still the old one.
    assert_eq!(file::open::<u32>(&place.path).unwrap().len(), 2);
}

#[test]
fn parentheses_need_no_array() {
    let place = Place::new();
    let array = ArrayKind::Few.make::<i64>(1 << 20, 3);
    let rmq = Rmq::without_array(&array, Order::Min, Engine::BalancedParens).unwrap();
    let opened = reopened(&place, &rmq);
    assert!(!opened.has_values() && opened.value(..).is_none());
    let stored = Stored::open(&place.path).unwrap();
    assert_eq!(stored.array::<i64>(), Ok(None));
    let bits = stored.header().file_bytes as f64 * 8.0 / array.len() as f64;
    assert!(bits < 2.4, "{bits} bits an element");
    for [l, r] in QueryKind::Mixed.make::<u64>(array.len(), 2000, 2) {
        let (l, r) = (l as usize, r as usize);
        assert_eq!(opened.position(l..=r), Some(argmin_by_scan(&array, Order::Min, l, r)));
    }
    assert_eq!(opened.values(&[[0u32, 1]], &mut [0]), Err(Error::NoValues { engine: "balanced_parens" }));
    exercise(&opened);
}

fn refusal(place: &Place) -> String {
    let error = file::open::<u16>(&place.path).map(|_| ()).unwrap_err();
    assert!(matches!(error, Error::InFile { .. }), "{error:?}");
    let text = error.to_string();
    assert!(text.contains("index.thw: ") && !text.contains('\n'), "{text}");
    text
}

#[test]
fn what_is_no_file_of_ours_is_refused_with_the_reason() {
    let place = Place::new();
    let refused = |change: &dyn Fn(&mut Vec<u8>), reason: &str| {
        let mut bytes = bytes_of(&Rmq::new(&[3u16, 1, 2]).unwrap());
        change(&mut bytes);
        let text = refusal(place.put(&bytes));
        assert!(text.contains(reason), "{text:?} lacks {reason:?}");
    };
    assert!(refusal(&place).contains("No such file"));
    refused(&|bytes| bytes.clear(), "empty");
    refused(&|bytes| bytes.truncate(3), "cut off");
    refused(&|bytes| bytes.truncate(60), "cut off");
    refused(&|bytes| bytes[..4].copy_from_slice(b"\x93NUM"), "not a .thw file");
    refused(&|bytes| bytes[8] = 2, "byte 8: version 2 of the format; this library reads version 1");
    refused(&|bytes| bytes[30] ^= 1, "header is damaged");
    refused(&|bytes| bytes.push(0), "1 bytes too many");
    refused(&|bytes| bytes.truncate(bytes.len() - 1), "cut off");
    refused(&|bytes| *bytes.last_mut().unwrap() ^= 1, "section array is damaged");
    refused(&|bytes| rewrite(bytes, |header| header[32..37].copy_from_slice(b"naive")), "unknown engine 'naive'");
    refused(&|bytes| rewrite(bytes, |header| header[56..59].copy_from_slice(b"c16")), "type of elements 'c16'");
    refused(&|bytes| rewrite(bytes, |header| header[24] = 4), "elements, expected 4");
    refused(&|bytes| rewrite(bytes, |header| header[64] = 2), "order 2");
    refused(&|bytes| rewrite(bytes, |header| header[65] = 8), "positions of 8 bytes");
    refused(&|bytes| rewrite(bytes, |header| header[88] = 16), "16 is no value for option shift");
    let place = Place::new();
    fs::create_dir(&place.path).unwrap();
    assert!(refusal(&place).contains("is a directory"));
}

/// Changes the header and corrects its checksum, as somebody with bad intentions would.
fn rewrite(bytes: &mut [u8], change: impl FnOnce(&mut [u8])) {
    let length = u32::from_le_bytes(*bytes[12..].first_chunk().unwrap()) as usize;
    // Other changes may have hit the length.
    let Some(header) = bytes.get_mut(..length).filter(|header| header.len() >= 80) else { return };
    change(header);
    let checksum = xxh3_64(&header[..length - 8]);
    header[length - 8..].copy_from_slice(&checksum.to_le_bytes());
}

#[cfg(unix)]
#[test]
fn pipes_and_closed_files_are_refused() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    assert!(std::process::Command::new("mkfifo").arg(&place.path).status().unwrap().success());
    assert!(refusal(&place).contains("not a regular file"));
    place.put(&bytes_of(&Rmq::new(&[3u16]).unwrap()));
    fs::set_permissions(&place.path, fs::Permissions::from_mode(0o000)).unwrap();
    // Root may read everything.
    if fs::File::open(&place.path).is_err() {
        assert!(refusal(&place).contains("denied"));
    }
}

#[test]
fn saving_replaces_the_file_or_leaves_it_alone() {
    let place = Place::new();
    Rmq::new(&[3u8, 1, 2]).unwrap().save(&place.path).unwrap();
    let old = file::open::<u8>(&place.path).unwrap();
    Rmq::new(&[1u8, 2]).unwrap().save(&place.path).unwrap();
    // Who has the old file open keeps it.
    assert_eq!((old.position(..), old.len()), (Some(1), 3));
    assert_eq!(file::open::<u8>(&place.path).unwrap().len(), 2);
    let folder = place.path.parent().unwrap();
    assert_eq!(fs::read_dir(folder).unwrap().count(), 1, "a temporary file is left");
    let nowhere = folder.join("nowhere").join("index.thw");
    let text = Rmq::new(&[1u8]).unwrap().save(&nowhere).unwrap_err().to_string();
    assert!(text.contains("nowhere") && text.contains("No such file"), "{text}");
    assert!(Rmq::new(&[1u8]).unwrap().save(folder).unwrap_err().to_string().contains("is a directory"));
    #[cfg(unix)]
    {
        let link = folder.join("link.thw");
        std::os::unix::fs::symlink(&place.path, &link).unwrap();
        Rmq::new(&[9u8; 5]).unwrap().save(&link).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(file::open::<u8>(&place.path).unwrap().len(), 5);
    }
}

#[test]
fn a_writer_that_fails_is_an_error() {
    struct Full(usize);
    impl std::io::Write for Full {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(std::io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let rmq = Rmq::new(&[3u32, 1, 2]).unwrap();
    for room in [0, 100, 1000] {
        assert!(matches!(rmq.write_to(Full(room)), Err(Error::Io { .. })), "{room}");
    }
}

/// Header, tables, sections and filling: whatever byte is changed, the file is refused.
#[test]
fn every_byte_counts() {
    let place = Place::new();
    for &engine in SAVED {
        for n in [0, 3, 600] {
            let array = ArrayKind::Random.make::<u8>(n, 3);
            let good = bytes_of(&Rmq::with_engine(&array, Order::Min, engine).unwrap());
            assert!(file::open::<u8>(&place.put(&good).path).is_ok(), "{engine} {n}");
            for at in 0..good.len() {
                let mut bad = good.clone();
                bad[at] ^= 1 << (at % 8);
                assert!(file::open::<u8>(&place.put(&bad).path).is_err(), "{engine}, n = {n}, byte {at}");
            }
        }
    }
}

/// A change to a file's bytes.
#[derive(Clone, Debug)]
enum Change {
    /// Flips a bit.
    Flip { place: prop::sample::Index, bit: u8 },
    /// Overwrites some bytes, beyond the header.
    Run { place: prop::sample::Index, byte: u8, len: usize },
    /// Overwrites some bytes of the header and corrects its checksum.
    Header { place: prop::sample::Index, bytes: Vec<u8> },
    /// Cuts the file.
    Cut(prop::sample::Index),
    /// Takes bytes out of the middle.
    Remove { place: prop::sample::Index, len: usize },
    /// Appends bytes.
    Append(Vec<u8>),
}

impl Change {
    fn apply(&self, bytes: &mut Vec<u8>) {
        if bytes.len() < 200 {
            return;
        }
        match self {
            Self::Flip { place, bit } => {
                let place = place.index(bytes.len());
                bytes[place] ^= 1 << bit;
            }
            Self::Run { place, byte, len } => {
                let start = 200 + place.index(bytes.len() - 199);
                let end = bytes.len().min(start + len);
                bytes[start..end].fill(*byte);
            }
            Self::Header { place, bytes: new } => rewrite(bytes, |header| {
                // The first 16 bytes say what and how long the header is.
                let start = 16 + place.index(header.len() - 16);
                let end = header.len().min(start + new.len());
                header[start..end].copy_from_slice(&new[..end - start]);
            }),
            Self::Cut(place) => bytes.truncate(place.index(bytes.len())),
            Self::Remove { place, len } => {
                let start = place.index(bytes.len());
                let end = bytes.len().min(start + len);
                bytes.drain(start..end);
            }
            Self::Append(more) => bytes.extend_from_slice(more),
        }
    }
}

fn change() -> impl Strategy<Value = Change> {
    let place = any::<prop::sample::Index>;
    prop_oneof![
        3 => (place(), 0..8u8).prop_map(|(place, bit)| Change::Flip { place, bit }),
        4 => (place(), any::<u8>(), 1..300usize).prop_map(|(place, byte, len)| Change::Run { place, byte, len }),
        3 => (place(), prop::collection::vec(any::<u8>(), 1..9)).prop_map(|(place, bytes)| Change::Header { place, bytes }),
        1 => place().prop_map(Change::Cut),
        1 => (place(), 1..200usize).prop_map(|(place, len)| Change::Remove { place, len }),
        1 => prop::collection::vec(any::<u8>(), 1..20).prop_map(Change::Append),
    ]
}

fn engines() -> impl Strategy<Value = (Engine, Order)> {
    (prop::sample::select(SAVED), 2..20usize, 1..9usize, any::<bool>()).prop_map(|(engine, chunk, threshold, max)| {
        let engine = match engine {
            Engine::Hierarchy(_) => hierarchy(chunk, threshold),
            Engine::PaddedTree(_) => {
                padded_tree([4, 8, 16][chunk % 3], [16, 32, 64][threshold % 3], [2, 4, 8][chunk / 3 % 3])
            }
            other => other,
        };
        (engine, if max { Order::Max } else { Order::Min })
    })
}

/// Asks everything in every way. Positions must lie inside the array; what they are is of no importance.
fn exercise<K: Key>(rmq: &Rmq<'_, K>) {
    let len = rmq.len();
    if len == 0 || len > 1 << 20 {
        return;
    }
    let mut ranges: Vec<[u64; 2]> = QueryKind::ALL.iter().flat_map(|kind| kind.make(len, 100, 5)).collect();
    ranges.push([0, len as u64 - 1]);
    ranges.push([len as u64 - 1; 2]);
    let mut positions = vec![0; ranges.len()];
    rmq.positions(&ranges, &mut positions).unwrap();
    for (&[l, r], &position) in ranges.iter().zip(&positions) {
        assert!(position < len as u64, "{position} of {len}");
        let single = rmq.position(l as usize..=r as usize).unwrap();
        assert!(single < len, "{single} of {len}");
        assert_eq!(rmq.value(l as usize..=r as usize).is_some(), rmq.has_values());
    }
    let narrow: Vec<[u32; 2]> = ranges.iter().map(|range| range.map(|bound| bound as u32)).collect();
    rmq.positions(&narrow, &mut vec![0; narrow.len()]).unwrap();
    if rmq.has_values() {
        rmq.values(&ranges, &mut vec![K::default(); ranges.len()]).unwrap();
    }
}

/// Damages a file and asks it.
fn damage<K: Key>((engine, order): (Engine, Order), kind: ArrayKind, n: usize, changes: &[Change]) -> Result<()> {
    let place = Place::new();
    let array = kind.make::<K>(n, 3);
    let good = bytes_of(&Rmq::with_engine(&array, order, engine)?);
    let mut bad = good.clone();
    changes.iter().for_each(|change| change.apply(&mut bad));
    place.put(&bad);
    if bad == good {
        exercise(&file::open::<K>(&place.path)?);
        return Ok(());
    }
    // Nothing that differs is accepted, unless a header was forged that means something else.
    match file::open::<K>(&place.path) {
        Ok(rmq) => {
            let forged = changes.iter().any(|change| matches!(change, Change::Header { .. }));
            assert!(forged, "a damaged file was opened");
            exercise(&rmq);
        }
        Err(error) => assert!(matches!(error, Error::InFile { .. }) && !error.to_string().contains('\n')),
    }
    // Unverified, answers may be wrong, but they come, and from inside the array.
    if let Ok(stored) = Stored::open(&place.path)
        && let Ok(rmq) = stored.index::<K>()
    {
        exercise(&rmq);
        let _ = stored.array::<K>();
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn damaged_files_are_refused_or_harmless(
        engine in engines(),
        kind in prop::sample::select(ArrayKind::ALL),
        n in prop_oneof![0..70usize, 1..20_000usize],
        dtype in 0..4,
        changes in prop::collection::vec(change(), 1..4),
    ) {
        let done = match dtype {
            0 => damage::<u8>(engine, kind, n, &changes),
            1 => damage::<i16>(engine, kind, n, &changes),
            2 => damage::<f32>(engine, kind, n, &changes),
            _ => damage::<u64>(engine, kind, n, &changes),
        };
        prop_assert_eq!(done, Ok(()));
    }

    /// Sections of garbage under a good header.
    #[test]
    fn garbage_is_harmless_unverified(
        engine in engines(),
        n in 1..40_000usize,
        seed in any::<u64>(),
        keep_array in any::<bool>(),
    ) {
        let place = Place::new();
        let array = ArrayKind::Random.make::<f32>(n, 3);
        let rmq = Rmq::with_engine(&array, engine.1, engine.0).unwrap();
        let image = rmq.image().unwrap();
        let mut bytes = Vec::new();
        image.write_to(&mut bytes).unwrap();
        let good = bytes.clone();
        let garbage = ArrayKind::Random.make::<u8>(bytes.len(), seed);
        for section in image.header().sections.iter().filter(|section| !keep_array || section.name != "array") {
            let range = section.offset as usize..(section.offset + section.bytes) as usize;
            bytes[range.clone()].copy_from_slice(&garbage[range]);
        }
        let stored = Stored::open(&place.put(&bytes).path).unwrap();
        // The sections of short arrays may be empty.
        prop_assert_eq!(stored.verify().is_ok(), bytes == good);
        exercise(&stored.index::<f32>().unwrap());
    }
}
