//! Texts: everything against naive implementations, on texts of every kind and every small length.

use std::sync::OnceLock;

use proptest::prelude::*;
use thalweg_arrays::rmq::{self, Rmq};
use thalweg_core::{Error, Order, Positions};
use thalweg_data::oracles::{extension_by_scan, suffixes_by_sorting};
use thalweg_data::{Random, TextKind};
use thalweg_suites::text::{TEXT_SIZES, search_suite};
use thalweg_suites::with_threads;
use thalweg_text::container::{self, Reader};
use thalweg_text::lz77::{
    Engine, Iter, Lpf, Options, Source, choose_sources, factorise, factorise_suffixes, factors_from_lpf,
    lpf_with_sources,
};
use thalweg_text::search::{Engine as Searcher, find_all_with};
use thalweg_text::{
    Factors, Lce, LceParts, Phrase, SuffixArray, Watcher, find_all, inverse_bwt, longest_repeat,
    longest_repeat_from_lcp, lpf, lz77, suffix_array,
};

macro_rules! searches {
    ($($name:ident = $engine:ident;)*) => {$(
        #[test]
        fn $name() {
            search_suite(Searcher::$engine);
        }
    )*};
}

searches! {
    search_blocks = Blocks;
    search_duel = Duel;
    search_boyer_moore = BoyerMoore;
    search_kmp = Kmp;
    search_naive = Naive;
}

/// Every kind of text, of every length up to 60 and some larger ones, and all of two symbols up to length 10.
fn texts() -> impl Iterator<Item = (String, Vec<u8>)> {
    let lengths = || (0..60).chain([100, 127, 128, 129, 300]);
    let kinds = TextKind::ALL
        .iter()
        .flat_map(move |&kind| lengths().map(move |n| (format!("{} n={n}", kind.name()), kind.make(n, n as u64))));
    let all = (0..=10).flat_map(|n: u32| {
        (0..1u32 << n).map(move |bits| (format!("{n} bits {bits:b}"), (0..n).map(|i| (bits >> i) as u8 & 1).collect()))
    });
    kinds.chain(all)
}

/// This repository's sources, one after the other.
fn sources() -> &'static [u8] {
    static SOURCES: OnceLock<Vec<u8>> = OnceLock::new();
    SOURCES.get_or_init(|| {
        fn collect(folder: &std::path::Path, out: &mut Vec<u8>) {
            let mut entries: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
            entries.sort();
            for path in entries {
                if path.is_dir() {
                    collect(&path, out);
                } else if path.extension().is_some_and(|e| e == "rs" || e == "wgsl") {
                    out.extend(std::fs::read(&path).unwrap());
                }
            }
        }
        let mut out = Vec::new();
        let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut folders: Vec<_> = std::fs::read_dir(crates).unwrap().map(|entry| entry.unwrap().path()).collect();
        folders.sort();
        for folder in folders.iter().map(|folder| folder.join("src")).filter(|folder| folder.is_dir()) {
            collect(&folder, &mut out);
        }
        assert!(out.len() > 500_000, "the sources are somewhere else");
        out
    })
}

fn list(positions: &Positions) -> Vec<usize> {
    positions.iter().map(|p| p.unwrap()).collect()
}

/// Suffix array, inverse, LCP, BWT and the longest repeat of a text against their definitions.
fn check_suffixes(text: &[u8], what: &str) {
    let suffixes = suffix_array(text).unwrap();
    let sorted = suffixes_by_sorting(text);
    assert_eq!(list(suffixes.positions()), sorted, "{what}");
    check_derived(text, &suffixes, what);
    let wide: Vec<u32> = text.iter().map(|&symbol| u32::from(symbol) * 70_001).collect();
    let suffixes = suffix_array(&wide).unwrap();
    assert_eq!(list(suffixes.positions()), sorted, "{what}, 32-bit symbols");
    check_derived(&wide, &suffixes, what);
}

fn check_derived<T: thalweg_text::Symbol>(text: &[T], suffixes: &SuffixArray<'_, T>, what: &str) {
    let sa = list(suffixes.positions());
    let inverse = list(&suffixes.inverse().unwrap());
    assert!(sa.iter().enumerate().all(|(rank, &p)| inverse[p] == rank), "{what}");
    let lcp = list(&suffixes.lcp().unwrap());
    for rank in 0..text.len() {
        let want = if rank == 0 { 0 } else { extension_by_scan(text, sa[rank - 1], sa[rank]) };
        assert_eq!(lcp[rank], want, "{what}: rank {rank}");
    }
    let bwt = suffixes.bwt().unwrap();
    // Rows of the sorted rotations of the text and its end, which is smaller than everything.
    let rows = [&[text.len()][..], &sa].concat();
    let mut want: Vec<Option<T>> = rows.iter().map(|&p| p.checked_sub(1).map(|before| text[before])).collect();
    let primary = want.iter().position(Option::is_none);
    assert_eq!(primary.unwrap_or(0), bwt.primary, "{what}");
    want.retain(Option::is_some);
    assert_eq!(bwt.symbols, want.into_iter().flatten().collect::<Vec<_>>(), "{what}");
    assert_eq!(inverse_bwt(&bwt.symbols, bwt.primary).unwrap(), text, "{what}");
    let repeat = suffixes.longest_repeat().unwrap();
    let longest = lcp.iter().copied().max().unwrap_or(0);
    assert_eq!(repeat.length, longest, "{what}");
    if longest > 0 {
        let piece = |place: usize| &text[place..place + longest];
        let last = text.len() - longest;
        let first = (0..last).find(|&i| (i + 1..=last).any(|j| piece(i) == piece(j))).unwrap();
        let want: Vec<usize> = (0..=last).filter(|&i| piece(i) == piece(first)).collect();
        assert_eq!(repeat.places, want, "{what}");
    } else {
        assert!(repeat.places.is_empty(), "{what}");
    }
}

#[test]
fn suffixes_of_small_texts() {
    for (what, text) in texts() {
        check_suffixes(&text, &what);
    }
    assert_eq!(longest_repeat(b"").unwrap().places, []);
}

/// Larger texts, checked by what holds between neighbours: cheaper than sorting again. Periodic ones are among them, on which
/// some suffix sorters never end.
#[test]
fn suffixes_of_large_texts() {
    let check = |text: &[u8], what: &str| {
        let suffixes = suffix_array(text).unwrap();
        let (sa, lcp) = (list(suffixes.positions()), list(&suffixes.lcp().unwrap()));
        let mut seen = vec![false; text.len()];
        for (rank, &p) in sa.iter().enumerate() {
            assert!(!std::mem::replace(&mut seen[p], true), "{what}");
            if rank > 0 {
                let (q, common) = (sa[rank - 1], lcp[rank]);
                assert_eq!(text[q..q + common], text[p..p + common], "{what}");
                assert!(text.get(q + common) < text.get(p + common), "{what}: order at rank {rank}");
            }
        }
    };
    for &kind in TextKind::ALL {
        for n in [4099, 30_011] {
            check(&kind.make(n, 3), kind.name());
        }
    }
    for kind in [TextKind::Mixed, TextKind::Words, TextKind::Random] {
        check(&kind.make(1 << 20, 3), kind.name());
    }
    check(sources(), "sources");
}

#[test]
fn texts_of_large_symbols() {
    let random = Random::new(1, 1);
    for n in [1, 2, 50, 5000] {
        let text: Vec<u32> =
            (0..n).map(|i| [u32::MAX, 0, 7, 1 << 31, random.bits(i) as u32][random.below(i, 5) as usize]).collect();
        let suffixes = suffix_array(&text).unwrap();
        assert_eq!(list(suffixes.positions()), suffixes_by_sorting(&text));
        check_derived(
            &text[..(n as usize).min(300)],
            &suffix_array(&text[..(n as usize).min(300)]).unwrap(),
            "large symbols",
        );
    }
}

#[test]
fn a_transform_has_one_text_and_others_are_errors() {
    for n in 0..10usize {
        // Every text of two letters has a transform, so as many rows and lists of symbols are one.
        let mut texts = 0;
        for letters in 0..1u32 << n {
            let symbols: Vec<u8> = (0..n).map(|i| b'a' + (letters >> i & 1) as u8).collect();
            for primary in 0..n + 3 {
                let Ok(text) = inverse_bwt(&symbols, primary) else { continue };
                let bwt = suffix_array(&text).unwrap().bwt().unwrap();
                assert_eq!((bwt.symbols, bwt.primary), (symbols.clone(), primary));
                texts += 1;
            }
        }
        assert_eq!(texts, 1 << n);
    }
}

#[test]
fn patterns_in_a_suffix_array() {
    for &kind in TextKind::ALL {
        let text = kind.make(3000, 5);
        let suffixes = suffix_array(&text).unwrap();
        let random = Random::new(9, 9);
        let mut patterns: Vec<Vec<u8>> = vec![vec![], vec![0], vec![255; 3], text.clone(), [&text[..], b"x"].concat()];
        for i in 0..100 {
            let start = random.below(2 * i, 3000) as usize;
            let mut pattern = text[start..3000.min(start + random.below(2 * i + 1, 12) as usize)].to_vec();
            if i % 3 == 0
                && let Some(last) = pattern.last_mut()
            {
                *last = last.wrapping_add(1);
            }
            patterns.push(pattern);
        }
        let many = suffixes.find_many(&patterns).unwrap();
        for (pattern, range) in patterns.iter().zip(many) {
            assert_eq!(range, suffixes.find(pattern));
            let mut want = list(&find_all(&text, pattern).unwrap());
            // An empty pattern is also at the end, where no suffix begins.
            want.retain(|&place| place < text.len());
            assert_eq!(suffixes.places(range), want, "{pattern:?}");
        }
    }
    assert!(suffix_array(b"").unwrap().find(b"a").is_empty());
}

#[test]
fn extensions() {
    for (what, text) in texts().filter(|(_, text)| text.len() < 40) {
        let lce = Lce::new(&text).unwrap();
        let n = text.len();
        let pairs: Vec<[u32; 2]> = (0..n as u32).flat_map(|i| (0..n as u32).map(move |j| [i, j])).collect();
        let mut lengths = vec![0; pairs.len()];
        lce.batch(&pairs, &mut lengths).unwrap();
        for (&[i, j], &length) in pairs.iter().zip(&lengths) {
            let want = extension_by_scan(&text, i as usize, j as usize);
            assert_eq!(length as usize, want, "{what}: {i} {j}");
            assert_eq!(lce.get(i as usize, j as usize), Some(want), "{what}: {i} {j}");
        }
        assert_eq!(lce.get(n, 0), None);
    }
    for kind in [TextKind::Repetitive, TextKind::Mixed, TextKind::Equal] {
        let text = kind.make(50_000, 2);
        let random = Random::new(4, 4);
        let pairs: Vec<[u64; 2]> =
            (0..3000).map(|i| [random.below(2 * i, 50_000), random.below(2 * i + 1, 50_000)]).collect();
        for &engine in rmq::Engine::ALL.iter().filter(|engine| !engine.needs_gpu()) {
            let lce = Lce::with_engine(&text, engine).unwrap();
            assert_eq!((lce.engine(), lce.len()), (engine.name(), 50_000));
            let mut lengths = vec![0; pairs.len()];
            lce.batch(&pairs, &mut lengths).unwrap();
            for (&[i, j], &length) in pairs.iter().zip(&lengths) {
                assert_eq!(length as usize, extension_by_scan(&text, i as usize, j as usize), "{engine} {kind:?}");
            }
        }
        // An index that was given gets all pairs at once.
        let suffixes = suffix_array(&text).unwrap();
        let ranks = suffixes.inverse().unwrap().as_u32().unwrap().to_vec();
        let lcp = suffixes.lcp().unwrap().as_u32().unwrap().to_vec();
        let index = |order| Rmq::with_engine(lcp.clone(), order, rmq::Engine::default()).unwrap();
        let lce = Lce::from_parts(LceParts::U32(ranks.clone(), index(Order::Min))).unwrap();
        let mut lengths = vec![0; pairs.len()];
        lce.batch(&pairs, &mut lengths).unwrap();
        for (&[i, j], &length) in pairs.iter().zip(&lengths) {
            assert_eq!(length as usize, extension_by_scan(&text, i as usize, j as usize), "{kind:?}");
            assert_eq!(lce.try_get(i as usize, j as usize), Ok(Some(length as usize)));
        }
        assert!(Lce::from_parts(LceParts::U32(ranks.clone(), index(Order::Max))).is_err());
        assert!(Lce::from_parts(LceParts::U32(ranks[1..].to_vec(), index(Order::Min))).is_err());
        assert!(Lce::from_parts(LceParts::U32(vec![50_000; 50_000], index(Order::Min))).is_err());
        // From arrays that are there already; what they say is checked.
        let of = |ranks: &[u32], lcp: &[u32]| Lce::from_arrays(ranks.to_vec(), lcp.to_vec(), rmq::Engine::SparseTable);
        let from_arrays = of(&ranks, &lcp).unwrap();
        assert_eq!(from_arrays.engine(), "sparse_table");
        let mut same = vec![0; pairs.len()];
        from_arrays.batch(&pairs, &mut same).unwrap();
        assert_eq!(same, lengths);
        assert!(of(&ranks[1..], &lcp).is_err() && of(&vec![50_000; 50_000], &lcp).is_err());
        let lce = Lce::new(&text).unwrap();
        assert!(lce.chosen().is_cpu());
        let bad = Error::Pair { row: 1, first: 3, second: 50_000, len: 50_000 };
        assert_eq!(lce.batch(&[[0u32, 1], [3, 50_000]], &mut [0; 2]), Err(bad));
        assert!(matches!(lce.batch(&[[0u32, 1]], &mut []), Err(Error::Length { .. })));
    }
}

/// The factorisation by an engine, with certain sources.
fn run(text: &[u8], engine: Engine, source: Source) -> Factors {
    factorise(text, &Options { engine, source, ..Options::default() }).unwrap()
}

/// Starts and extents of phrases.
fn shape(factors: &Factors) -> Vec<usize> {
    factors.iter().map(Phrase::extent).collect()
}

/// Every engine and kind of source against the oracle, with and without the container.
fn check_factors(text: &[u8], what: &str) {
    for &source in Source::ALL {
        let oracle = run(text, Engine::Naive, source);
        for engine in [Engine::Starts, Engine::Lpf] {
            let factors = run(text, engine, source);
            if source == Source::Any {
                assert_eq!(shape(&factors), shape(&oracle), "{what} {engine}");
            } else {
                assert_eq!(factors, oracle, "{what} {engine} {source:?}");
            }
            round_trip(&factors, text, what);
        }
    }
    let lengths = list(&lpf(text).unwrap());
    let found = lpf_with_sources(text).unwrap();
    assert_eq!(list(&found.lengths), lengths, "{what}");
    for (i, (&length, source)) in lengths.iter().zip(found.sources.iter()).enumerate() {
        assert_eq!(length, (0..i).map(|j| extension_by_scan(text, j, i)).max().unwrap_or(0), "{what}: LPF of {i}");
        assert_eq!(source.is_some(), length > 0, "{what}: source of {i}");
        assert!(source.is_none_or(|source| source < i && extension_by_scan(text, source, i) == length), "{what}: {i}");
    }
    check_parts(text, &found, what);
}

/// What another device gives, suffix and LCP array and longest previous factors, leads to the same results.
fn check_parts(text: &[u8], found: &Lpf, what: &str) {
    let suffixes = suffix_array(text).unwrap();
    let (positions, lcp) = (suffixes.positions().clone(), suffixes.lcp().unwrap());
    assert_eq!(longest_repeat_from_lcp(&positions, &lcp), longest_repeat(text), "{what}");
    let given = SuffixArray::from_positions(text, positions.clone()).unwrap();
    assert_eq!(given.positions(), &positions, "{what}");
    let trusted = SuffixArray::from_sorted(text, positions).unwrap();
    let any = factors_from_lpf(text, found).unwrap();
    for &source in Source::ALL {
        let want = run(text, Engine::Starts, source);
        for lcp in [None, Some(&lcp)] {
            let got = choose_sources(any.clone(), &given, lcp, source, Watcher::default()).unwrap();
            assert!(got == want, "{what} {source:?}");
        }
        let options = Options { source, ..Options::default() };
        assert!(factorise_suffixes(trusted.clone(), &options).unwrap() == want, "{what} {source:?}");
    }
}

fn round_trip(factors: &Factors, text: &[u8], what: &str) {
    assert_eq!(factors.text_len(), text.len(), "{what}");
    assert!(factors.decode_sequential().unwrap() == text, "{what}");
    assert!(factors.decode_parallel().unwrap() == text, "{what}");
    let file = container::write(factors, text).unwrap();
    let reader = Reader::open(&file).unwrap();
    assert!(reader.factors().unwrap() == *factors, "{what}");
    assert!(reader.text().unwrap() == text, "{what}");
    assert_eq!((reader.head().text_len, reader.head().phrases), (text.len(), factors.len()));
    let phrases: Vec<Phrase> = factors.iter().collect();
    assert_eq!(Factors::from_phrases(&phrases).unwrap(), *factors, "{what}");
}

#[test]
fn factors_of_small_texts() {
    for (what, text) in texts() {
        check_factors(&text, &what);
    }
}

/// Texts of many parts of the chain, on several threads, against the sequential jumps of the LPF array.
#[test]
fn factors_of_large_texts() {
    let check = |text: &[u8], what: &str| {
        let lengths = with_threads(1, || list(&lpf(text).unwrap()));
        let mut want = Vec::new();
        let mut position = 0;
        while position < text.len() {
            want.push(lengths[position].max(1));
            position += lengths[position].max(1);
        }
        let mut first = [const { None }; 3];
        for engine in [Engine::Starts, Engine::Lpf] {
            for (i, &source) in Source::ALL.iter().enumerate() {
                for threads in [1, 2, 8] {
                    let factors = with_threads(threads, || run(text, engine, source));
                    assert!(shape(&factors) == want, "{what} {engine} {source:?} {threads}");
                    round_trip(&factors, text, what);
                    assert!(
                        first[i].get_or_insert_with(|| factors.clone()) == &factors,
                        "{what} {engine} {source:?} {threads}"
                    );
                }
            }
        }
        let [any, leftmost, nearest] = first.map(Option::unwrap);
        for threads in [1, 2, 8] {
            with_threads(threads, || check_parts(text, &lpf_with_sources(text).unwrap(), what));
        }
        for ((any, left), near) in any.iter().zip(&leftmost).zip(&nearest) {
            match (any, left, near) {
                (Phrase::Literal(a), Phrase::Literal(b), Phrase::Literal(c)) => assert!(a == b && b == c),
                (Phrase::Copy { source: a, .. }, Phrase::Copy { source: l, .. }, Phrase::Copy { source: n, .. }) => {
                    assert!(l <= a && a <= n, "{what}: {l} {a} {n}");
                }
                _ => panic!("{what}: a literal is a literal"),
            }
        }
    };
    for &kind in TextKind::ALL {
        check(&kind.make(150_000, 8), kind.name());
    }
    check(&sources()[..1 << 19], "sources");
    for &n in TEXT_SIZES {
        check(&TextKind::Mixed.make(n, 4), "mixed");
    }
}

#[test]
fn the_watcher_sees_every_stage() {
    let seen = std::sync::Mutex::new(Vec::new());
    let watch = |stage: thalweg_text::Stage| seen.lock().unwrap().push(stage.name());
    let options = Options { source: Source::Nearest, watcher: Watcher::new(&watch), ..Options::default() };
    factorise(b"abracadabra", &options).unwrap();
    let want =
        ["suffix array", "nearest smaller values", "text order", "factors", "LCP", "inverse suffix array", "sources"];
    assert_eq!(*seen.lock().unwrap(), want);
}

/// Parallel engines use several threads: no block is everything, and results do not depend on their number.
#[test]
fn searches_do_not_depend_on_the_number_of_threads() {
    let text = TextKind::Mixed.make(3 << 20, 5);
    for pattern in [&b"ba"[..], b"e", b"san", b". "] {
        for engine in [Searcher::Blocks, Searcher::Duel] {
            let run = |threads| with_threads(threads, || find_all_with(&text, pattern, engine).unwrap());
            let one = run(1);
            assert_eq!(list(&one), list(&find_all_with(&text, pattern, Searcher::Kmp).unwrap()));
            assert!(!one.is_empty());
            for threads in [2, 8] {
                assert!(run(threads) == one, "{engine} {threads}");
            }
        }
    }
}

fn sample_file() -> (Vec<u8>, Vec<u8>) {
    let text = TextKind::Mixed.make(3000, 6);
    (container::write(&lz77(&text).unwrap(), &text).unwrap(), text)
}

#[test]
fn cut_and_flipped_files_are_errors() {
    for source in [Source::Any, Source::Nearest] {
        let text = TextKind::Words.make(700, 6);
        let file = container::write(&run(&text, Engine::Starts, source), &text).unwrap();
        assert_eq!(container::read(&file).unwrap(), text);
        for cut in 0..file.len() {
            assert!(container::read(&file[..cut]).is_err(), "{cut}");
        }
        assert!(container::read(&[&file[..], &[0]].concat()).is_err());
        for bit in 0..file.len() * 8 {
            let mut bad = file.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            // A flip may name another source with the same text; the text is right then.
            let read = Reader::open(&bad).and_then(|reader| reader.max_len(1 << 24).text());
            assert!(read.is_err() || read == Ok(text.clone()), "bit {bit}");
            assert!(bit >= 40 * 8 || read.is_err(), "bit {bit} of the head");
        }
    }
    assert_eq!(container::read(&container::write(&lz77(b"").unwrap(), b"").unwrap()).unwrap(), b"");
    assert!(container::write(&lz77(b"abc").unwrap(), b"ab").is_err());
}

#[test]
fn heads_that_lie_take_no_memory() {
    let (file, _) = sample_file();
    let with = |at: usize, value: u64| {
        let mut bad = file.clone();
        bad[at..at + 8].copy_from_slice(&value.to_le_bytes());
        bad
    };
    for value in [u64::MAX, 1 << 62, 1 << 40, 1 << 33, 3001, 2999, 1, 0] {
        for at in [8, 16, 32] {
            let bad = with(at, value);
            if bad != file {
                let read = Reader::open(&bad).and_then(|reader| reader.max_len(1 << 24).text());
                assert!(read.is_err(), "{value} at {at}");
            }
        }
    }
    let error = Reader::open(&with(16, 1 << 40)).unwrap_err().to_string();
    assert!(error.starts_with("byte 16: 1099511627776 phrases"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn mutated_files_are_errors_or_right(changes in prop::collection::vec((0usize..2000, any::<u8>()), 1..8), cut in prop::option::of(0usize..2000)) {
        let (mut file, text) = sample_file();
        for (place, value) in changes {
            let place = place % file.len();
            file[place] = value;
        }
        file.truncate(cut.unwrap_or(usize::MAX));
        let read = Reader::open(&file).and_then(|reader| reader.max_len(1 << 24).text());
        prop_assert!(read.is_err() || read == Ok(text));
    }

    #[test]
    fn any_bytes_are_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200), lengths in 0u64..100, text_len in 0u64..5000, phrases in 0u64..200) {
        let head = [&container::MAGIC[..], &[1, 0, 0, 0], &text_len.to_le_bytes(), &phrases.to_le_bytes(), &[7; 8], &lengths.to_le_bytes()].concat();
        let read = Reader::open(&[&head[..], &bytes].concat()).and_then(|reader| reader.text());
        prop_assert!(read.is_err());
    }

    #[test]
    fn random_texts(text in prop::collection::vec(0u8..4, 0..200)) {
        check_factors(&text, "random");
    }

    #[test]
    fn random_searches(text in prop::collection::vec(0u8..3, 0..200), start in 0usize..200, m in 0usize..40) {
        let start = start.min(text.len());
        let pattern = &text[start..text.len().min(start + m)];
        let want = find_all_with(&text, pattern, Searcher::Naive).unwrap();
        for &engine in Searcher::ALL {
            prop_assert_eq!(&find_all_with(&text, pattern, engine).unwrap(), &want, "{}", engine);
        }
    }
}

#[test]
fn bad_phrases_are_refused() {
    use Phrase::{Copy, Literal};
    assert!(Factors::from_phrases(&[Literal(1), Copy { source: 1, length: 1 }]).is_err());
    assert!(Factors::from_phrases(&[Literal(1), Copy { source: 0, length: 0 }]).is_err());
    assert!(Factors::from_phrases(&[Literal(1), Copy { source: 0, length: usize::MAX }]).is_err());
    assert_eq!(Factors::from_phrases(&[]).unwrap().decode().unwrap(), b"");
    // Pairs, from a device: many chunks of them, and a text so long that positions have 64 bits.
    let many: Vec<[u32; 2]> = (0..200_000).map(|i| if i % 3 == 0 { [7, 0] } else { [i / 2, 2] }).collect();
    let len = many.iter().map(|pair| pair[1].max(1) as usize).sum::<usize>();
    let factors = Factors::from_pairs(len, many.clone()).unwrap();
    assert!(factors == Factors::from_phrases(&factors.iter().collect::<Vec<_>>()).unwrap());
    assert!(Factors::from_pairs(len + 1, many.clone()).is_err() && Factors::from_pairs(0, Vec::new()).is_ok());
    let mut bad = many;
    bad[150_001][0] = u32::MAX;
    bad[190_001][0] = u32::MAX;
    let error = Factors::from_pairs(len, bad).unwrap_err().to_string();
    assert!(error.contains("phrase 150001: source 4294967295"), "{error}");
    let wide = Factors::from_pairs(thalweg_text::WIDE + 1, vec![[7, 0], [0, thalweg_text::WIDE as u32]]).unwrap();
    assert_eq!((wide.len(), wide.bytes()), (2, 32));
    assert_eq!(wide.get(1), Some(Copy { source: 0, length: thalweg_text::WIDE }));
}

/// Arrays that another device would give, of another text or of none: an error or a wrong answer, but never a panic, and
/// never phrases that cannot be decoded.
#[test]
fn foreign_arrays_are_harmless() {
    let positions = |list: &[u32]| Positions::U32(list.to_vec());
    let text = &b"abracadabra"[..];
    let n = text.len() as u32;
    let (suffixes, factors) = (suffix_array(text).unwrap(), lz77(text).unwrap());
    let sorted = suffixes.positions().as_u32().unwrap().to_vec();
    let choose = |suffixes: &SuffixArray<'_, u8>, lcp: &Positions, source| {
        choose_sources(factors.clone(), suffixes, Some(lcp), source, Watcher::default())
    };
    // Of a wrong length, width, and with positions that are outside or twice.
    for list in [positions(&sorted[1..]), Positions::U64(sorted.iter().map(|&p| p.into()).collect())] {
        assert!(SuffixArray::from_positions(text, list.clone()).is_err());
        assert!(SuffixArray::from_sorted(text, list.clone()).is_err());
        assert!(longest_repeat_from_lcp(suffixes.positions(), &list).is_err());
        assert!(choose(&suffixes, &list, Source::Nearest).is_err());
        let zeros = positions(&vec![0; text.len()]);
        assert!(factors_from_lpf(text, &Lpf { lengths: list.clone(), sources: zeros.clone() }).is_err());
        assert!(factors_from_lpf(text, &Lpf { lengths: zeros, sources: list }).is_err());
    }
    for wrong in [0, n, u32::MAX] {
        let mut list = sorted.clone();
        list[usize::from(sorted[0] == wrong)] = wrong;
        assert!(SuffixArray::from_positions(text, positions(&list)).is_err());
        assert!(SuffixArray::from_sorted(text, positions(&list)).is_err());
    }
    let decodes = |factors: Factors| {
        assert_eq!(factors.decode_sequential().unwrap().len(), text.len());
        assert_eq!(factors.decode_parallel().unwrap().len(), text.len());
        assert!(container::write(&factors, text).is_ok());
    };
    let random = Random::new(5, 5);
    for round in 0..300 {
        // Permutations that are not in order: refused by one, and harmless in the other.
        let mut list = sorted.clone();
        let place = |i: u64| random.below(100 * round + i, n.into()) as usize;
        (0..1 + round % 7).for_each(|i| list.swap(place(2 * i), place(2 * i + 1)));
        assert_eq!(SuffixArray::from_positions(text, positions(&list)).is_ok(), list == sorted);
        let given = SuffixArray::from_sorted(text, positions(&list)).unwrap();
        let lcp = given.lcp().unwrap();
        if let Ok(repeat) = given.longest_repeat() {
            assert!(repeat.places.iter().all(|place| place + repeat.length <= text.len()));
        }
        let _ = (given.bwt().unwrap(), given.find(b"ra"), given.inverse().unwrap());
        for &source in Source::ALL {
            for engine in [Engine::Starts, Engine::Lpf] {
                let options = Options { engine, source, ..Options::default() };
                let _ = factorise_suffixes(given.clone(), &options).map(decodes);
            }
            let _ = choose(&given, &lcp, source).map(decodes);
        }
        // Any numbers at all.
        let bits = |i: u64| random.bits(1000 * round + i) as u32;
        let any = |salt: u64, below: u32| positions(&(0..n.into()).map(|i| bits(salt + i) % below).collect::<Vec<_>>());
        for below in [2, n, u32::MAX] {
            let _ = factors_from_lpf(text, &Lpf { lengths: any(0, below), sources: any(50, below) }).map(decodes);
            let _ = longest_repeat_from_lcp(&any(100, below), &any(150, below));
            let _ = choose(&suffixes, &any(200, below), Source::Leftmost).map(decodes);
            let _ = choose(&suffixes, &any(250, below), Source::Nearest).map(decodes);
        }
    }
}

/// Files that version 0.1.0 wrote, with sources as positions and as distances.
#[test]
fn old_files_can_be_read() {
    let bytes = |hex: &str| -> Vec<u8> {
        (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
    };
    let file = bytes(concat!(
        "89544c5a0100000045000000000000001e00000000000000b37413dc8752ce250a00000000000000",
        "7f4952a24eede2e32967686f77206d756398849261b1b13064cadad46966d3032600",
    ));
    let text = b"how much wood would a woodchuck chuck if a woodchuck could chuck wood";
    assert_eq!(container::read(&file).unwrap(), text);
    assert_eq!(container::write(&lz77(text).unwrap(), text).unwrap(), file);
    let file = bytes(concat!(
        "89544c5a0101000034000000000000003400000000000000afda93ac391ab9ed0d00000000000000",
        "5555555555555555555555555561c58e255bd6ec59b469d5ae65dbd6ed5bb871e5cea55bd7ee5dbc79f502",
    ));
    let text = b"aabbccddeeffgghhiijjkkllmmnnooppqqrrssttuuvvwwxxyyzz";
    assert!(Reader::open(&file).unwrap().head().distances);
    assert_eq!(container::read(&file).unwrap(), text);
    assert_eq!(container::write(&run(text, Engine::Starts, Source::Nearest), text).unwrap(), file);
}

/// Everything public can be printed and handed to other threads.
#[test]
fn types_are_debug_send_and_sync() {
    fn check<T: std::fmt::Debug + Send + Sync>() {}
    check::<SuffixArray<'static, u8>>();
    check::<SuffixArray<'static, u32>>();
    check::<thalweg_text::Bwt<u8>>();
    check::<Lce>();
    check::<LceParts>();
    check::<Box<dyn thalweg_text::LceEngine>>();
    check::<Factors>();
    check::<Iter<'static>>();
    check::<Phrase>();
    check::<Lpf>();
    check::<Options<'static>>();
    check::<Engine>();
    check::<Source>();
    check::<Searcher>();
    check::<thalweg_text::Repeat>();
    check::<thalweg_text::Stage>();
    check::<Watcher<'static>>();
    check::<container::Head>();
    check::<Reader<'static>>();
}
