//! String matching: all occurrences of a pattern in a text.
//!
//! Overlapping occurrences count, and places come in increasing order. An empty pattern occurs at every position, the end of
//! the text included, as it is a prefix of every suffix. [`find_all`] serves the common case, [`find_all_with`] takes an engine, [`count`]
//! tells only how many there are:
//!
//! | engine | idea | work | threads | source |
//! |---|---|---|---|---|
//! | `blocks` (default) | a vectorised search in overlapping blocks | O(n + m) | all | memchr's `memmem` (Two-Way with a prefilter) |
//! | `duel` | witnesses let one of two places survive, without reading the pattern there | O(n + m) | all | Vishkin 1985, JáJá 1992 |
//! | `boyer_moore` | compares from the pattern's end and skips | O(n + m) | one | Boyer, Moore 1977; Galil 1979 |
//! | `kmp` | never reads a symbol of the text twice | O(n + m) | one | Knuth, Morris, Pratt 1977 |
//! | `naive` | compares everywhere | O(n m) | one | the oracle |
//!
//! 64 MB of mixed text, two threads, patterns of 1 to 200 bytes, compared with memchr's `memmem` on one thread: `blocks` is 1.5
//! to 4.5 times as fast (1.5 where the places are millions), `duel` takes 2 to 11 times as long; on one thread `boyer_moore`
//! takes 2 to 13 times as long (the longer the pattern, the less), `kmp` 4 to 18 times, `naive` 5 to 22 times.
//!
//! For many patterns in one text, sort its suffixes and use [`SuffixArray::find_many`](crate::SuffixArray::find_many).

mod blocks;
mod boyer_moore;
mod duel;
mod kmp;
mod naive;
mod period;

use std::ops::Range;

use thalweg_core::error::try_with_capacity;
use thalweg_core::memory::computed;
use thalweg_core::{Position, Positions, Result, engine_names};

pub use period::agreements;

engine_names! {
    /// The engines of string matching. See the [module's table](self).
    #[derive(Default)]
    "search": Engine {
        /// A vectorised search in overlapping blocks, on all threads. The default.
        #[default]
        Blocks = "blocks",
        /// Witnesses and duels, on all threads.
        Duel = "duel",
        /// Compares from the pattern's end and skips; sequential.
        BoyerMoore = "boyer_moore",
        /// A failure function; sequential.
        Kmp = "kmp",
        /// Compares everywhere; sequential. The oracle of the tests.
        Naive = "naive",
    }
}

/// All places where `pattern` occurs in `text`, with the default engine.
///
/// Work O(n + m), on all threads of the current rayon pool. Memory: the result, twice.
///
/// ```
/// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
/// use thalweg::text::find_all;
/// assert_eq!(find_all(b"banana", b"ana")?.as_u32(), Some(&[1, 3][..]));
/// assert_eq!(find_all(b"ab", b"")?.as_u32(), Some(&[0, 1, 2][..]));
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn find_all(text: &[u8], pattern: &[u8]) -> Result<Positions> {
    find_all_with(text, pattern, Engine::default())
}

/// [`find_all`] with a choice of engine.
///
/// ```
/// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
/// use thalweg::text::search::{Engine, find_all_with};
/// let places = find_all_with(b"aaaa", b"aa", Engine::Duel)?;
/// assert_eq!(places.as_u32(), Some(&[0, 1, 2][..]));
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn find_all_with(text: &[u8], pattern: &[u8], engine: Engine) -> Result<Positions> {
    if u32::fits(text.len()) {
        run::<Vec<u32>>(text, pattern, engine).map(Positions::U32)
    } else {
        run::<Vec<u64>>(text, pattern, engine).map(Positions::U64)
    }
}

/// How many places there are, with the default engine, without a list of them.
///
/// ```
/// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
/// assert_eq!(thalweg::text::search::count(b"aaaa", b"aaa")?, 2);
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn count(text: &[u8], pattern: &[u8]) -> Result<usize> {
    count_with(text, pattern, Engine::default())
}

/// [`count`] with a choice of engine.
///
/// `duel` lists the places of a part of the pattern, if that is periodic: that memory may be refused.
pub fn count_with(text: &[u8], pattern: &[u8], engine: Engine) -> Result<usize> {
    run::<Count>(text, pattern, engine).map(|count| count.0)
}

fn run<F: Found>(text: &[u8], pattern: &[u8], engine: Engine) -> Result<F> {
    if pattern.is_empty() {
        return in_blocks(split(text.len() + 1, 0), |block| {
            let mut found = F::default();
            block.for_each(|place| found.push(place));
            found
        });
    }
    if pattern.len() > text.len() {
        return Ok(F::default());
    }
    let mut found = F::default();
    match engine {
        Engine::Blocks => return blocks::find(text, pattern),
        Engine::Duel => return duel::find(text, pattern),
        Engine::BoyerMoore => boyer_moore::find(text, pattern, &mut |place| found.push(place)),
        Engine::Kmp => kmp::find(text, pattern, &mut |place| found.push(place)),
        Engine::Naive => naive::find(text, pattern, &mut |place| found.push(place)),
    }
    Ok(found)
}

/// What becomes of the places found.
trait Found: Default + Send + Sync {
    fn push(&mut self, place: usize);
    /// All of them, in order.
    fn merge(parts: Vec<Self>) -> Result<Self>;
}

impl<P: Position> Found for Vec<P> {
    #[inline(always)]
    fn push(&mut self, place: usize) {
        self.push(P::new(place));
    }

    fn merge(mut parts: Vec<Self>) -> Result<Self> {
        if parts.len() == 1 {
            return Ok(parts.remove(0));
        }
        let mut all = try_with_capacity(parts.iter().map(Vec::len).sum(), "places")?;
        for part in parts {
            all.extend_from_slice(&part);
        }
        Ok(all)
    }
}

/// Only their number.
#[derive(Default)]
struct Count(usize);

impl Found for Count {
    #[inline(always)]
    fn push(&mut self, _place: usize) {
        self.0 += 1;
    }

    fn merge(parts: Vec<Self>) -> Result<Self> {
        Ok(Self(parts.iter().map(|part| part.0).sum()))
    }
}

/// Looks into all blocks, on all threads, and merges what is found.
fn in_blocks<F: Found>(blocks: Vec<Range<usize>>, find: impl Fn(Range<usize>) -> F + Sync) -> Result<F> {
    F::merge(computed(blocks.len(), 1, "blocks of places", |i| find(blocks[i].clone()))?)
}

/// Places of a block at least: the blocks' overlaps, of the pattern's length, must be small against them.
const BLOCK: usize = 1 << 18;

/// Cuts `0..places` into blocks for the threads, for a pattern of length `m`: each reads `m - 1` symbols beyond its end.
fn split(places: usize, m: usize) -> Vec<Range<usize>> {
    let block = places.div_ceil(4 * rayon::current_num_threads()).clamp(BLOCK, 16 * BLOCK).max(8 * m);
    (0..places.div_ceil(block)).map(|i| i * block..places.min((i + 1) * block)).collect()
}
