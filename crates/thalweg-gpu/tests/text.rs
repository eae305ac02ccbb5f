//! Texts on the device against the CPU's answers and plain scans: every kind of text, all short ones, in one buffer and in
//! many.

use thalweg_core::{Chosen, Error, Positions, Result};
use thalweg_data::oracles::{extension_by_scan, suffixes_by_sorting};
use thalweg_data::{Random, TextKind};
use thalweg_gpu::text::search::{Engine, find_all};
use thalweg_gpu::text::{
    Lce, Text, bwt, check_suffixes, lpf, lpf_with_sources, lz77, suffix_array, suffix_array_with_lcp,
};
use thalweg_gpu::{Device, Options, rmq, testing};
use thalweg_suites::text::search_suite_of;
use thalweg_text as cpu;
use thalweg_text::Lce as CpuLce;
use thalweg_text::lz77::factors_from_lpf;

/// The engines of GPUs.
const ENGINES: [Engine; 2] = [Engine::Blocks, Engine::Duel];

/// Sizes around workgroups and the levels of minima, and every small one.
const SIZES: &[usize] = &[0, 1, 2, 3, 4, 5, 7, 15, 16, 17, 33, 255, 257, 1023, 4097, 20_011];

fn narrow(positions: &Positions) -> &[u32] {
    positions.as_u32().expect("short texts have 32 bits")
}

/// Suffix array, LCP, longest previous factors and phrases of a text.
fn check_text(device: &Device, bytes: &[u8], what: &str) {
    let case = || format!("{what} of {}", bytes.len());
    let want = cpu::suffix_array(bytes).unwrap();
    let lcp = want.lcp().unwrap();
    let text = Text::upload(device, bytes).unwrap();
    let got = suffix_array_with_lcp(&text).unwrap();
    assert!(got.positions.to_vec().unwrap() == narrow(want.positions()), "suffix array, {}", case());
    assert!(got.lcp.to_vec().unwrap() == narrow(&lcp), "LCP, {}", case());
    assert_eq!(check_suffixes(&text, &got.positions, Some(&got.lcp)), Ok(()), "{}", case());
    assert!(bwt(&text, &got.positions).unwrap() == want.bwt().unwrap(), "BWT, {}", case());
    let both = cpu::lpf_with_sources(bytes).unwrap();
    let found = lpf_with_sources(&got.positions, &got.lcp).unwrap().to_host().unwrap();
    assert!(found == both, "LPF, {}", case());
    let lengths = both.lengths;
    assert!(lpf(&got.positions, &got.lcp).unwrap().to_vec().unwrap() == narrow(&lengths), "LPF alone, {}", case());
    for (position, &source) in narrow(&found.sources).iter().enumerate() {
        let length = narrow(&lengths)[position] as usize;
        match source {
            u32::MAX => assert_eq!(length, 0, "position {position}, {}", case()),
            source => {
                let source = source as usize;
                assert!(source < position && bytes[source..source + length] == bytes[position..position + length]);
            }
        }
    }
    // Phrase for phrase, sources included.
    let factors = cpu::lz77(bytes).unwrap();
    assert!(factors_from_lpf(bytes, &found).unwrap() == factors, "LZ77 of LPF, {}", case());
    assert!(lz77(&text, &got).unwrap() == factors, "LZ77, {}", case());
}

#[test]
fn suffixes_factors_and_phrases_of_every_kind_of_text() {
    let Some(device) = testing::device() else { return };
    for &kind in TextKind::ALL {
        for &n in SIZES {
            check_text(&device, &kind.make(n, 3 + n as u64), kind.name());
        }
    }
}

#[test]
fn suffixes_factors_and_phrases_of_all_short_texts() {
    let Some(device) = testing::device() else { return };
    for len in 1..=6 {
        for bits in 0..1u32 << len {
            let text: Vec<u8> = (0..len).map(|i| 255 * (bits >> i & 1) as u8).collect();
            check_text(&device, &text, "short");
            let sorted = suffix_array(&Text::upload(&device, &text).unwrap()).unwrap().to_vec().unwrap();
            assert!(sorted.iter().map(|&p| p as usize).eq(suffixes_by_sorting(&text)), "{text:?}");
        }
    }
}

/// The index of a text whose suffixes the CPU sorts.
fn extensions(device: &Device, bytes: &[u8], engine: rmq::Engine) -> Result<Lce> {
    let suffixes = cpu::suffix_array(bytes)?;
    let (sa, lcp) = (device.upload(narrow(suffixes.positions()))?, device.upload(narrow(&suffixes.lcp()?))?);
    Lce::with_engine(&sa, lcp, engine)
}

fn check_extensions(device: &Device, bytes: &[u8], engine: rmq::Engine) {
    let n = bytes.len() as u64;
    let mut lce = extensions(device, bytes, engine).unwrap();
    assert_eq!((lce.len(), lce.engine()), (bytes.len(), engine.name()));
    let random = Random::new(n, 9);
    let position = |i: u64| random.below(i, n) as u32;
    let mut pairs: Vec<[u32; 2]> = (0..3000).map(|i| [position(2 * i), position(2 * i + 1)]).collect();
    pairs.extend((0..n.min(100) as u32).map(|i| [i, i]));
    let mut want = vec![0; pairs.len()];
    CpuLce::new(bytes).unwrap().batch(&pairs, &mut want).unwrap();
    for (&[i, j], &want) in pairs.iter().zip(&want).step_by(97) {
        assert_eq!(want as usize, extension_by_scan(bytes, i as usize, j as usize));
    }
    let (on_device, out) = (device.upload(pairs.as_flattened()).unwrap(), device.allocate::<u32>(pairs.len()).unwrap());
    for tile in [usize::MAX, 700] {
        lce = lce.with_tile(tile);
        let mut got = vec![u32::MAX; pairs.len()];
        lce.batch_of_slice(&pairs, &mut got).unwrap();
        assert!(got == want, "from the host, n={n}, {engine}");
        lce.batch(&on_device, &out).unwrap();
        assert!(out.to_vec().unwrap() == want, "on the device, n={n}, {engine}");
    }
    // Positions beyond the text.
    pairs[1234] = [0, n as u32];
    pairs[2345] = [u32::MAX, 0];
    let bad = Err(Error::Pair { row: 1234, first: 0, second: n, len: n as usize });
    assert_eq!(lce.batch_of_slice(&pairs, &mut want), bad);
    let on_device = device.upload(pairs.as_flattened()).unwrap();
    assert_eq!(lce.batch(&on_device, &out).map(drop), bad);
    // As an engine of the host, in either width.
    let lce = CpuLce::from_engine(Box::new(lce), Chosen::on_device(device.name(), engine.name(), "a test"));
    assert_eq!(lce.batch(&pairs, &mut want), bad);
    pairs[1234] = [0, 0];
    let mut wide: Vec<[u64; 2]> = pairs.iter().map(|pair| pair.map(u64::from)).collect();
    wide[2345] = [1 << 40, 0];
    let (mut lengths, len) = (vec![0u64; wide.len()], n as usize);
    assert_eq!(lce.batch(&wide, &mut lengths), Err(Error::Pair { row: 2345, first: 1 << 40, second: 0, len }));
    wide[2345] = [0, 0];
    lce.batch(&wide, &mut lengths).unwrap();
    for (row, &[i, j]) in wide.iter().enumerate().step_by(101) {
        assert_eq!(lengths[row] as usize, extension_by_scan(bytes, i as usize, j as usize), "{engine} {i} {j}");
    }
    assert_eq!((lce.try_get(0, len - 1), lce.get(0, len)), (Ok(lce.get(0, len - 1)), None));
}

#[test]
fn extensions_of_pairs() {
    let Some(device) = testing::device() else { return };
    for kind in [TextKind::Mixed, TextKind::Dna, TextKind::Fibonacci, TextKind::Equal] {
        check_extensions(&device, &kind.make(20_011, 5), rmq::Engine::default());
    }
    check_extensions(&device, &TextKind::Binary.make(5003, 5), rmq::Engine::Inlabel);
    check_extensions(&device, b"a", rmq::Engine::default());
    // No text, no pairs.
    let lce = extensions(&device, b"", rmq::Engine::default()).unwrap();
    assert_eq!(lce.batch_of_slice(&[], &mut []), Ok(()));
    let bad = lce.batch_of_slice(&[[0, 0]], &mut [0]);
    assert!(lce.is_empty() && matches!(bad, Err(Error::Pair { row: 0, len: 0, .. })));
    assert!(matches!(lce.batch_of_slice(&[[0, 0]], &mut []), Err(Error::Length { .. })));
}

fn check_search(device: &Device, engine: Engine, short: usize, sizes: &[usize]) {
    search_suite_of(engine.name(), short, sizes, |text, pattern| {
        let places = find_all(&Text::upload(device, text)?, pattern, engine)?.to_vec()?;
        Ok(places.into_iter().map(|place| place as usize).collect())
    });
}

#[test]
fn search_by_blocks() {
    let Some(device) = testing::device() else { return };
    check_search(&device, Engine::Blocks, 5, &[1009, 20_011]);
}

#[test]
fn search_by_duels() {
    let Some(device) = testing::device() else { return };
    check_search(&device, Engine::Duel, 5, &[1009, 20_011]);
}

#[test]
fn texts_in_many_buffers() {
    // 64 KiB a binding: arrays of more than 16,384 positions take several buffers, and so does the text.
    let Some(device) = testing::open(Options { checked: true, binding_bytes: Some(1 << 16) }) else { return };
    let bytes = TextKind::Mixed.make(70_001, 5);
    check_text(&device, &bytes, "mixed");
    check_extensions(&device, &bytes, rmq::Engine::default());
    let pattern = &bytes[65_530..65_550];
    let want: Vec<u32> = cpu::find_all(&bytes, pattern).unwrap().as_u32().unwrap().to_vec();
    for engine in ENGINES {
        let text = Text::upload(&device, &bytes).unwrap();
        assert_eq!(find_all(&text, pattern, engine).unwrap().to_vec().unwrap(), want, "{engine}");
    }
}

#[test]
fn wrong_arrays_are_errors() {
    let Some(device) = testing::device() else { return };
    let (sa, lcp) = (device.upload(&[2u32, 7, 0]).unwrap(), device.upload(&[0u32, 0, 0]).unwrap());
    let bad = Error::Link { what: "suffix", element: 1, to: 7, len: 3 };
    assert_eq!(lpf(&sa, &lcp).map(drop), Err(bad.clone()));
    assert_eq!(Lce::new(&sa, lcp.clone()).map(drop), Err(bad));
    let refused = Lce::with_engine(&lcp, lcp.clone(), rmq::Engine::SparseTable);
    assert!(matches!(refused, Err(Error::NotOnDevice { problem: "rmq", engine: "sparse_table", .. })));
    let short = device.upload(&[0u32]).unwrap();
    assert!(matches!(lpf(&lcp, &short), Err(Error::Length { what: "LCP array", .. })));
    // A permutation and an LCP array of another text: wrong, but no crash.
    let (sa, lcp) = (device.upload(&[0u32, 1, 2]).unwrap(), device.upload(&[9u32, 9, 9]).unwrap());
    let _ = factors_from_lpf(b"abc", &lpf_with_sources(&sa, &lcp).unwrap().to_host().unwrap());
}

#[test]
fn wrong_suffixes_are_found() {
    let Some(device) = testing::device() else { return };
    let bytes = TextKind::Mixed.make(5003, 8);
    let text = Text::upload(&device, &bytes).unwrap();
    let suffixes = cpu::suffix_array(&bytes).unwrap();
    let (sa, lcp) = (narrow(suffixes.positions()).to_vec(), narrow(&suffixes.lcp().unwrap()).to_vec());
    let check = |sa: &[u32], lcp: &[u32]| {
        check_suffixes(&text, &device.upload(sa).unwrap(), Some(&device.upload(lcp).unwrap()))
    };
    assert_eq!(check(&sa, &lcp), Ok(()));
    let on_cpu = |sa: &[u32]| cpu::SuffixArray::from_positions(&bytes, Positions::U32(sa.to_vec())).map(drop);
    // Out of the text, twice, and two that changed places: the CPU says the same.
    let mut wrong = sa.clone();
    wrong[17] = 5003;
    wrong[4000] = u32::MAX;
    let out = Error::Link { what: "suffix", element: 17, to: 5003, len: 5003 };
    assert_eq!((check(&wrong, &lcp), on_cpu(&wrong)), (Err(out.clone()), Err(out.clone())));
    assert!(bwt(&text, &device.upload(&wrong).unwrap()).is_err());
    let mut wrong = sa.clone();
    wrong[4001] = wrong[77];
    let twice = Error::BadOption { option: "suffix array", reason: format!("position {} occurs twice", sa[77]) };
    assert_eq!((check(&wrong, &lcp), on_cpu(&wrong)), (Err(twice.clone()), Err(twice)));
    for rank in [1, 2, 2500, 5002] {
        let mut wrong = sa.clone();
        wrong.swap(rank - 1, rank);
        assert!(matches!(check(&wrong, &lcp), Err(Error::BadOption { option: "suffix array", .. })), "{rank}");
        assert_eq!(check(&wrong, &lcp), on_cpu(&wrong));
    }
    // A common prefix that is too short or too long.
    for (rank, change) in [(0, 1), (1, 1), (2500, 1), (2500, u32::MAX), (5002, 1)] {
        let mut wrong = lcp.clone();
        wrong[rank] = wrong[rank].wrapping_add(change);
        assert!(matches!(check(&sa, &wrong), Err(Error::BadOption { option: "LCP array", .. })), "{rank} {change}");
    }
    assert!(matches!(check(&sa[1..], &lcp), Err(Error::Length { .. })));
    assert!(matches!(check(&sa, &lcp[1..]), Err(Error::Length { .. })));
    let nowhere = vec![1u32; 5003];
    assert!(matches!(bwt(&text, &device.upload(&nowhere).unwrap()), Err(Error::BadOption { .. })));
}

#[test]
fn the_front_doors_agree() {
    let Some(device) = testing::device() else { return };
    let text = Text::upload(&device, b"banana").unwrap();
    assert_eq!((text.len(), text.is_empty()), (6, false));
    assert_eq!(find_all(&text, b"ana", Engine::default()).unwrap().to_vec().unwrap(), [1, 3]);
    for engine in [Engine::BoyerMoore, Engine::Kmp, Engine::Naive] {
        for pattern in [&b"ana"[..], b""] {
            let refused = find_all(&text, pattern, engine);
            assert!(matches!(refused, Err(Error::NotOnDevice { problem: "search", .. })), "{engine}");
        }
    }
    assert_eq!(suffix_array(&text).unwrap().to_vec().unwrap(), [5, 3, 1, 0, 4, 2]);
}

/// 2^28 positions of a text whose suffixes a formula sorts, and 2^26 of one that the CPU sorts.
#[test]
#[ignore = "takes a real GPU, 8 GB of its memory and a minute of the CPU's time"]
fn large_texts() {
    let Some(device) = testing::device() else { return };
    // Different symbols again and again: of those with the same first symbol, the shorter suffix comes first.
    let (n, period) = (1u32 << 28, 1u32 << 12);
    let times = n / period;
    let position = |rank: u32| rank / times + (times - 1 - rank % times) * period;
    let sa: Vec<u32> = (0..n).map(position).collect();
    let lcp: Vec<u32> = (0..n).map(|rank| if rank % times == 0 { 0 } else { n - position(rank - 1) }).collect();
    let (sa, lcp) = (device.upload(&sa).unwrap(), device.upload(&lcp).unwrap());
    let (found, timing) = device.timed(|| lpf_with_sources(&sa, &lcp)).unwrap();
    eprintln!("LPF of 2^28 positions, with checks: {:?}", timing.device);
    drop((sa, lcp));
    let (lengths, sources) = (found.lengths.to_vec().unwrap(), found.sources.to_vec().unwrap());
    for p in 0..n {
        let want = if p < period { (0, u32::MAX) } else { (n - p, p - period) };
        assert_eq!((lengths[p as usize], sources[p as usize]), want, "position {p}");
    }
    drop((found, lengths, sources));
    for kind in [TextKind::Dna, TextKind::Mixed] {
        let bytes = kind.make(1 << 26, 1);
        check_text(&device, &bytes, kind.name());
        let pattern = &bytes[1 << 25..(1 << 25) + 40];
        let text = Text::upload(&device, &bytes).unwrap();
        for engine in ENGINES {
            let got = find_all(&text, pattern, engine).unwrap().to_vec().unwrap();
            assert_eq!(&got[..], narrow(&cpu::find_all(&bytes, pattern).unwrap()), "{engine}");
        }
    }
}
