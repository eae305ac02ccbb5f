//! LZ77: the greedy factorisation of a text into phrases that occurred before.
//!
//! From left to right, the next phrase is the longest prefix of the rest that also begins at an earlier position (the two
//! may overlap), or a single literal where there is none. This is Lempel and Ziv's (1976) factorisation with unlimited
//! window, as the textbooks and bioinformatics have it, not the approximation of a compressor: all engines find exactly
//! the same phrases, on any number of threads.
//!
//! The longest earlier match of position p is with one of two suffixes: of those that begin before p, the nearest one
//! below p's suffix in lexicographic order, and the nearest above. These are the *nearest smaller values* of the suffix
//! array (Crochemore and Ilie 2008). [`lz77()`](fn@lz77) serves the common case, [`factorise`] takes [`Options`]:
//!
//! | engine | idea | work | source |
//! |---|---|---|---|
//! | `starts` (default) | compares only where a phrase begins; many chains at once | O(n) | Kärkkäinen, Kempa, Puglisi 2013 (KKP3), and this project |
//! | `lpf` | the longest previous factor of every position first, then jumps | O(n) | Crochemore, Ilie 2008; Shun, Zhao 2013 |
//! | `naive` | compares with every earlier position | O(n²) and more | the oracle |
//!
//! **Memory.** At most 21 bytes for every byte of a text below 2 GiB, the text itself counted; 41 above. It is 17 while the
//! neighbours are brought into text order: the text, the suffix array (4), both sides of its nearest smaller values (8) and
//! half of the pairs (4). Later the phrases take the place of what is no longer needed. With certain sources ([`Source`])
//! inverse and LCP array come in. Only where phrases are hardly longer than a byte, as in random texts of some hundred bytes,
//! is it more. A test measures it.

mod chain;
mod decode;
mod factors;
mod lpf;
mod naive;
mod neighbours;
mod sources;
mod starts;

use crate::position_width::{WIDE, by_position, expect_list};
use crate::stage::{Stage, Watcher};
use crate::suffix_array::SuffixArray;
#[cfg(feature = "libsais")]
use crate::suffix_array::sorting::suffix_array;
#[cfg(feature = "libsais")]
use thalweg_core::Position;
use thalweg_core::error::expect_len;
use thalweg_core::{Error, Positions, Result, engine_names};

use factors::{Entries, Entry, Store};
use neighbours::Neighbours;

pub use factors::{Factors, Iter, Phrase};
pub use lpf::Lpf;

engine_names! {
    /// The engines of the factorisation. See the [module's table](self).
    #[derive(Default)]
    "lz77": Engine {
        /// Compares only where a phrase begins. The default.
        #[default]
        Starts = "starts",
        /// Longest previous factors of all positions, then jumps from phrase to phrase.
        Lpf = "lpf",
        /// Compares with every earlier position. The oracle of the tests.
        Naive = "naive",
    }
}

/// Which of the earlier occurrences of a phrase is its source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Source {
    /// One of the two that the engines compare with: the cheapest. Of equal ones, that below in lexicographic order.
    #[default]
    Any,
    /// The first in the text.
    Leftmost,
    /// The last before the phrase: distances are as small as can be.
    Nearest,
}

impl Source {
    /// Every choice.
    pub const ALL: &'static [Self] = &[Self::Any, Self::Leftmost, Self::Nearest];

    /// The choice's name, as the command line takes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Leftmost => "leftmost",
            Self::Nearest => "nearest",
        }
    }
}

/// The LZ77 factorisation of a text, with the default engine.
///
/// Work O(n), on all threads of the current rayon pool; at most 21 bytes of memory for every byte of the text, below
/// 2 GiB.
///
/// ```
/// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
/// use thalweg::text::{Phrase::*, lz77};
/// let factors = lz77(b"abababbb")?;
/// let phrases: Vec<_> = factors.iter().collect();
/// assert_eq!(phrases, [
///     Literal(b'a'),
///     Literal(b'b'),
///     Copy { source: 0, length: 4 },
///     Copy { source: 5, length: 2 },
/// ]);
/// assert_eq!(factors.decode()?, b"abababbb");
/// # Ok::<(), thalweg::Error>(())
/// ```
#[cfg(feature = "libsais")]
pub fn lz77(text: &[u8]) -> Result<Factors> {
    factorise(text, &Options::default())
}

/// What [`factorise`] can be told.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'w> {
    /// The engine.
    pub engine: Engine,
    /// Which earlier occurrence of a phrase is its source.
    pub source: Source,
    /// Who is told when a stage of the work begins.
    pub watcher: Watcher<'w>,
}

/// LZ77 with a choice of engine and sources.
///
/// ```
/// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
/// use thalweg::text::lz77::{Engine, Options, Source, factorise};
/// use thalweg::text::Phrase;
/// let leftmost = Options { engine: Engine::Lpf, source: Source::Leftmost, ..Options::default() };
/// assert_eq!(factorise(b"xyxyzxy", &leftmost)?.iter().last(), Some(Phrase::Copy { source: 0, length: 2 }));
/// let nearest = Options { source: Source::Nearest, ..Options::default() };
/// assert_eq!(factorise(b"xyxyzxy", &nearest)?.iter().last(), Some(Phrase::Copy { source: 2, length: 2 }));
/// # Ok::<(), thalweg::Error>(())
/// ```
#[cfg(feature = "libsais")]
pub fn factorise(text: &[u8], options: &Options<'_>) -> Result<Factors> {
    if options.engine == Engine::Naive {
        return Ok(naively(text, options.source));
    }
    options.watcher.enter(Stage::SuffixArray);
    factorise_suffixes(suffix_array(text)?, options)
}

/// The same for a text whose suffixes are sorted already.
///
/// ```
/// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
/// use thalweg::text::{lz77::{Options, factorise_suffixes}, suffix_array};
/// let factors = factorise_suffixes(suffix_array(b"aaaa")?, &Options::default())?;
/// assert_eq!(factors.len(), 2);
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn factorise_suffixes(suffixes: SuffixArray<'_, u8>, options: &Options<'_>) -> Result<Factors> {
    let text = suffixes.text();
    if options.engine == Engine::Naive {
        return Ok(naively(text, options.source));
    }
    by_position!(suffixes.into_positions(), sa => factorise_as(text, sa, options))
}

fn naively(text: &[u8], source: Source) -> Factors {
    if text.len() < WIDE {
        Factors::from_trusted(text.len(), naive::factorise::<u32>(text, source))
    } else {
        Factors::from_trusted(text.len(), naive::factorise::<u64>(text, source))
    }
}

/// The suffix array is that of a [`SuffixArray`], so a permutation.
#[allow(unsafe_code)]
fn factorise_as<P: Store>(text: &[u8], sa: Vec<P>, options: &Options<'_>) -> Result<Factors> {
    let watcher = options.watcher;
    let Neighbours { near, sa } = neighbours::in_text_order(sa, options.source != Source::Any, watcher)?;
    let mut phrases = match options.engine {
        Engine::Lpf => {
            watcher.enter(Stage::LongestPrevious);
            let lengths = lpf::lengths(text, &near)?;
            watcher.enter(Stage::Factors);
            chain::phrases(text.len(), &lpf::Jumps { text, near: &near, lengths: &lengths })?
        }
        _ => {
            watcher.enter(Stage::Factors);
            chain::phrases(text.len(), &starts::Starts { text, near: &near })?
        }
    };
    drop(near);
    let Some(sa) = sa else { return Ok(Factors::from_trusted(text.len(), phrases)) };
    // SAFETY: a permutation.
    unsafe { sources::choose(text, &sa, None, &mut phrases, options.source, watcher)? };
    // An order that was trusted may not be that of the text.
    Factors::from_arrays(text.len(), phrases)
}

/// The factorisation from the longest previous factors of all positions, with sources: what another device finds, or
/// [`lpf_with_sources`]. The result is that of [`lz77()`](fn@lz77), phrase for phrase and source for source.
///
/// Trusted is that they are those of the text: of others, the phrases stand for another text. Whatever they say, sources
/// lie before their phrases, or it is an error; and so are arrays that have not one entry for every symbol, in the width
/// of the text's positions (64 bits from [`WIDE`] on, 32 below).
///
/// Work O(z) for z phrases, one random place each.
///
/// ```
/// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
/// use thalweg::text::lz77::{factors_from_lpf, lpf_with_sources, lz77};
/// let text = b"abababbb";
/// assert_eq!(factors_from_lpf(text, &lpf_with_sources(text)?)?, lz77(text)?);
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn factors_from_lpf(text: &[u8], lpf: &Lpf) -> Result<Factors> {
    expect_list("longest previous factors", &lpf.lengths, text.len())?;
    expect_list("sources of longest previous factors", &lpf.sources, text.len())?;
    fn run<P: Store>(text: &[u8], lengths: &[P], sources: &[P]) -> Result<Factors> {
        let phrases: Vec<Entry<P>> = chain::phrases(text.len(), &lpf::Given { text, lengths, sources })?;
        Factors::from_arrays(text.len(), phrases)
    }
    match (&lpf.lengths, &lpf.sources) {
        (Positions::U32(lengths), Positions::U32(sources)) => run(text, lengths, sources),
        (Positions::U64(lengths), Positions::U64(sources)) => run(text, lengths, sources),
        _ => unreachable!("both have the width of the text's positions"),
    }
}

/// Replaces the sources of a factorisation, whoever made it, by the leftmost or the nearest ones. With [`Source::Any`] they
/// stay as they are.
///
/// The LCP array is made unless it is given. Trusted is that phrases, suffixes and LCP array are of one text; whatever they
/// say, sources lie before their phrases, or it is an error. Work: see [`Source`]; memory: inverse and LCP array.
///
/// ```
/// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
/// use thalweg::text::lz77::{Options, Source, choose_sources, factorise, lz77};
/// use thalweg::text::{Watcher, suffix_array};
/// let (text, source) = (b"xyxyzxy", Source::Nearest);
/// let factors = choose_sources(lz77(text)?, &suffix_array(text)?, None, source, Watcher::default())?;
/// assert_eq!(factors, factorise(text, &Options { source, ..Options::default() })?);
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn choose_sources(
    factors: Factors,
    suffixes: &SuffixArray<'_, u8>,
    lcp: Option<&Positions>,
    source: Source,
    watcher: Watcher<'_>,
) -> Result<Factors> {
    expect_len("text of a factorisation", suffixes.len(), factors.text_len())?;
    if let Some(lcp) = lcp {
        expect_list("LCP array", lcp, suffixes.len())?;
    }
    if source == Source::Any {
        return Ok(factors);
    }
    match (factors.into_entries(), suffixes.positions(), lcp) {
        (Entries::U32(list), Positions::U32(sa), None) => choose_as(suffixes.text(), sa, None, list, source, watcher),
        (Entries::U32(list), Positions::U32(sa), Some(Positions::U32(lcp))) => {
            choose_as(suffixes.text(), sa, Some(lcp), list, source, watcher)
        }
        (Entries::U64(list), Positions::U64(sa), None) => choose_as(suffixes.text(), sa, None, list, source, watcher),
        (Entries::U64(list), Positions::U64(sa), Some(Positions::U64(lcp))) => {
            choose_as(suffixes.text(), sa, Some(lcp), list, source, watcher)
        }
        _ => {
            Err(Error::BadOption { option: "phrases", reason: "they have another width than the suffixes".to_owned() })
        }
    }
}

/// The suffix array is that of a [`SuffixArray`], so a permutation.
#[allow(unsafe_code)]
fn choose_as<P: Store>(
    text: &[u8],
    sa: &[P],
    lcp: Option<&[P]>,
    mut list: Vec<Entry<P>>,
    source: Source,
    watcher: Watcher<'_>,
) -> Result<Factors> {
    // SAFETY: a permutation.
    unsafe { sources::choose(text, sa, lcp, &mut list, source, watcher)? };
    Factors::from_arrays(text.len(), list)
}

/// The longest previous factor of every position: how long the longest match with a suffix that begins earlier is.
///
/// Work O(n). The memory of [`lz77()`](fn@lz77).
///
/// ```
/// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
/// let lengths = thalweg::text::lpf(b"abaabab")?;
/// assert_eq!(lengths.as_u32(), Some(&[0, 0, 1, 3, 2, 2, 1][..]));
/// # Ok::<(), thalweg::Error>(())
/// ```
#[cfg(feature = "libsais")]
pub fn lpf(text: &[u8]) -> Result<Positions> {
    by_position!(suffix_array(text)?.into_positions(), sa => {
        let near = neighbours::in_text_order(sa, false, Watcher::default())?.near;
        lpf::lengths(text, &near).map(Position::list)
    })
}

/// [`lpf()`](fn@lpf) with the place of every factor.
///
/// ```
/// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
/// let found = thalweg::text::lz77::lpf_with_sources(b"abaabab")?;
/// assert_eq!(found.sources.as_u32(), Some(&[u32::MAX, u32::MAX, 0, 0, 1, 0, 1][..]));
/// # Ok::<(), thalweg::Error>(())
/// ```
#[cfg(feature = "libsais")]
pub fn lpf_with_sources(text: &[u8]) -> Result<Lpf> {
    lpf_from_suffixes(suffix_array(text)?)
}

/// The same for a text whose suffixes are sorted already.
pub fn lpf_from_suffixes(suffixes: SuffixArray<'_, u8>) -> Result<Lpf> {
    let text = suffixes.text();
    by_position!(suffixes.into_positions(), sa => {
        lpf::with_sources(text, &neighbours::in_text_order(sa, false, Watcher::default())?.near)
    })
}
