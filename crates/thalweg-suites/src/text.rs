//! The conformance suites of texts.

use thalweg_data::oracles::places_by_scan;
use thalweg_data::{Random, TextKind};
use thalweg_text::search::{Engine, count_with, find_all_with};

/// Lengths around the boundaries of the engines' blocks, and every small one.
pub const TEXT_SIZES: &[usize] = &[1009, 4096, 20_011, 65_537];

/// Holds a search engine of the library to its contract; see [`search_suite_of`].
///
/// # Panics
/// If a list of places is wrong.
pub fn search_suite(engine: Engine) {
    search_suite_of(engine.name(), 9, TEXT_SIZES, |text, pattern| {
        let places = find_all_with(text, pattern, engine)?;
        let places: Vec<usize> = places.iter().map(|place| place.expect("a place")).collect();
        assert_eq!(count_with(text, pattern, engine)?, places.len(), "{engine} {:?}", show(pattern));
        Ok(places)
    });
}

/// Holds a search engine to its contract: all texts of two symbols up to a length, and every kind of text of these sizes;
/// patterns that occur and such that do not, empty, overlapping, periodic, as long as the text and longer.
///
/// # Panics
/// If a list of places is wrong.
pub fn search_suite_of(
    name: &str,
    short: usize,
    sizes: &[usize],
    find: impl Fn(&[u8], &[u8]) -> thalweg_core::Result<Vec<usize>>,
) {
    let check = |text: &[u8], pattern: &[u8], what: &str| {
        let want = places_by_scan(text, pattern);
        let got = find(text, pattern).unwrap_or_else(|e| panic!("{name} {what}: {e}"));
        let case = || format!("{name} {what}: {:?} in a text of {}", show(pattern), text.len());
        assert!(got == want, "{}: {} places, not {}", case(), got.len(), want.len());
    };
    // All texts and patterns over two symbols, up to a length.
    for len in 0..=short {
        for bits in 0..1u32 << len {
            let text: Vec<u8> = (0..len).map(|i| (bits >> i) as u8 & 1).collect();
            for m in 0..=5.min(len + 1) {
                for bits in 0..1u32 << m {
                    let pattern: Vec<u8> = (0..m).map(|i| (bits >> i) as u8 & 1).collect();
                    check(&text, &pattern, "short");
                }
            }
        }
    }
    for &kind in TextKind::ALL {
        for &n in sizes {
            let text = kind.make(n, n as u64);
            let random = Random::new(n as u64, 6);
            for (i, m) in
                [0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 33, 64, 100, 257, n / 2, n - 1, n, n + 1].into_iter().enumerate()
            {
                // A piece of the text, wherever it is; then with its last, first or middle symbol changed.
                let start = random.below(i as u64, (n - m.min(n)) as u64 + 1) as usize;
                let mut pattern = text[start..n.min(start + m)].to_vec();
                pattern.resize(m, b'a');
                check(&text, &pattern, kind.name());
                for at in [m.wrapping_sub(1), 0, m / 2] {
                    if let Some(symbol) = pattern.get_mut(at) {
                        let kept = *symbol;
                        *symbol = symbol.wrapping_add(1);
                        check(&text, &pattern, kind.name());
                        pattern[at] = kept;
                    }
                }
            }
        }
    }
    // Periodic patterns in runs of their period, which are broken here and there.
    for period in [1, 2, 3, 5, 31, 1000] {
        let word: Vec<u8> = (0..period).map(|i| Random::new(period as u64, 7).bits(i as u64) as u8 & 3).collect();
        let mut text: Vec<u8> = word.iter().copied().cycle().take(40_000).collect();
        for i in 0..12 {
            text[Random::new(3, 8).below(i, 40_000) as usize] = 9;
        }
        for m in [period, 2 * period - 1, 2 * period, 2 * period + 1, 3 * period + period / 2, 7 * period] {
            let pattern: Vec<u8> = word.iter().copied().cycle().skip(period / 3).take(m).collect();
            check(&text, &pattern, "runs");
        }
    }
}

fn show(pattern: &[u8]) -> String {
    String::from_utf8_lossy(&pattern[..pattern.len().min(40)]).into_owned()
}
