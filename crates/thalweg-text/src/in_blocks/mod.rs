//! The suffix array of a text that is larger than memory.
//!
//! *Problem.* Sorting suffixes in memory takes five bytes and more a byte, at random places. How are the suffixes of a text sorted whose
//! suffix array is not even to be held?
//!
//! *Idea.* Cut the text into blocks, and take them from the last to the first. Let `e` be the end of a block and the *tail* all
//! that follows.
//!
//! 1. The suffixes that *begin* in the block are sorted in memory (`block.rs`). They go on in the tail, but two of them that agree
//!    up to the end of the block are told apart by one bit: whether the suffix that begins where one of them has got to
//!    is greater than the tail. For positions of the block these bits come from matching it with the tail's first bytes, and those
//!    of the tail have been found before.
//! 2. How many of the block's suffixes are smaller than a suffix of the tail is found by backward search in the block's
//!    Burrows-Wheeler transform, from the last suffix of the tail to the first, a step each (`stream.rs`). All that is kept is how many
//!    suffixes of the tail fall between two neighbours of the block's, its *gaps*. The same number tells the bits for the next block:
//!    whether a suffix is greater than that which begins with the block.
//! 3. In the end the blocks' sorted suffixes are merged, as the gaps say (`merge.rs`).
//!
//! Blocks' suffixes and gaps lie in a [`Store`], a file, and are written and read from first to last. The tail is gone through in
//! several places at once, each of which begins with a binary search among the block's suffixes; a thread goes on in
//! sixteen of them in turn, so that it does not wait for memory.
//!
//! *Source.* Kärkkäinen, Kempa and Puglisi, *Parallel external memory suffix sorting*, 2015 (pSAscan); Gonnet, Baeza-Yates and Snider, 1992,
//! for the gaps; Crauser and Ferragina, 2002, for sorting with bits.
//!
//! *Bounds.* With blocks of m bytes: work O(n²/m + n), all of it independent of how the text repeats itself but for the searches,
//! O(m log m) each at worst; n/8 bytes of memory and 8 bytes a byte of a block ([`Plan::bytes`]), 14 where the text has all 256 bytes.
//! The store takes 4 bytes a byte of the text and its gaps, mostly one byte each; one more with BWT.

mod bits;
mod block;
mod lcp;
mod merge;
mod rank;
mod stream;

use std::ops::Range;

use self::bits::Bits;
pub use self::lcp::CommonPrefixes;
use crate::Error;

/// Lists for which there is no memory: bytes, one behind the other.
pub trait Store<E> {
    /// Adds bytes at the end.
    ///
    /// # Errors
    /// Those of the file.
    fn append(&mut self, bytes: &[u8]) -> Result<(), E>;

    /// Reads bytes that were added, from here on.
    ///
    /// # Errors
    /// Those of the file.
    fn read(&self, at: u64, bytes: &mut [u8]) -> Result<(), E>;
}

impl<E> Store<E> for Vec<u8> {
    fn append(&mut self, bytes: &[u8]) -> Result<(), E> {
        self.extend_from_slice(bytes);
        Ok(())
    }

    fn read(&self, at: u64, bytes: &mut [u8]) -> Result<(), E> {
        bytes.copy_from_slice(&self[at as usize..][..bytes.len()]);
        Ok(())
    }
}

/// How a text is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Bytes of a block, a multiple of [`Plan::UNIT`] and fewer than 2^31.
    pub block: usize,
}

impl Plan {
    /// Blocks begin at multiples of this.
    pub const UNIT: usize = 64;

    /// The plan for a text of `len` bytes, of so many different ones, that takes no more memory than this, if there is one.
    pub fn within(memory: usize, len: usize, symbols: usize) -> Option<Self> {
        let left = memory.checked_sub(len / 8 + besides())?;
        let block = (left / Self::each(symbols)).min(len.next_multiple_of(Self::UNIT)).min((1 << 31) - Self::UNIT);
        let block = block / Self::UNIT * Self::UNIT;
        // Each block has buffers of its own while blocks are merged.
        (block >= LEAST.min(len) && len.div_ceil(block.max(1)) <= left / merge::LEAST)
            .then_some(Self { block: block.max(Self::UNIT) })
    }

    /// Memory that a text takes, at most.
    pub fn bytes(&self, len: usize, symbols: usize) -> usize {
        len / 8 + besides() + self.block * Self::each(symbols)
    }

    /// Bytes a byte of a block: its suffixes, and twice the symbols that are sorted; then a counter, a symbol and a count each.
    const fn each(symbols: usize) -> usize {
        if symbols < 256 { 8 } else { 14 }
    }
}

/// Pages of the tail that are looked at, and buffers.
fn besides() -> usize {
    (4 << 20) + 2 * rayon::current_num_threads() * stream::TOGETHER * stream::PAGES
}

/// Blocks that are shorter take longer than anybody waits.
const LEAST: usize = 1 << 20;

/// What is done, for who watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The suffixes of a block are sorted.
    Sorting,
    /// The tail is gone through.
    Searching,
    /// Blocks are merged.
    Merging,
}

/// A text in a file.
#[derive(Clone, Copy)]
pub struct Text<'t> {
    /// Its bytes.
    pub bytes: &'t [u8],
    /// Is told which of them are not looked at for the time being: their pages may go.
    pub done: &'t (dyn Fn(Range<usize>) + Sync),
    /// Is told what is done, and how much of all it is by now, from 0 to 1.
    pub watch: &'t (dyn Fn(Step, f64) + Sync),
}

impl std::fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Text").field("len", &self.bytes.len()).finish_non_exhaustive()
    }
}

/// Takes a run of suffixes: where they begin, and the bytes before them.
pub type Each<'e, E> = dyn FnMut(&[u64], &[u8]) -> Result<(), E> + 'e;

/// Sorts the suffixes of a text. `each` gets where they begin, in order, in many runs, and, `with_bwt`, the byte before each of them; before that
/// which is the whole text a zero.
///
/// ```
/// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
/// use thalweg::{Error, text::in_blocks::{Plan, Text, sort}};
/// let (bytes, mut sorted) = (b"mississippi".repeat(20), Vec::new());
/// let text = Text { bytes: &bytes, done: &|_| (), watch: &|_, _| () };
/// sort::<Error>(text, Plan { block: 64 }, &mut Vec::new(), false, &mut |positions, _| {
///     sorted.extend_from_slice(positions);
///     Ok(())
/// })?;
/// let whole = thalweg::text::suffix_array(&bytes)?;
/// assert!(sorted.iter().map(|&p| Some(p as usize)).eq(whole.positions().iter()));
/// # Ok::<(), thalweg::Error>(())
/// ```
///
/// # Errors
/// [`Error::OutOfMemory`], and those of the store and of `each`.
pub fn sort<E: From<Error>>(
    text: Text<'_>,
    plan: Plan,
    store: &mut dyn Store<E>,
    with_bwt: bool,
    each: &mut Each<'_, E>,
) -> Result<(), E> {
    let len = text.bytes.len();
    assert!(plan.block.is_multiple_of(Plan::UNIT) && (1..1 << 31).contains(&plan.block), "blocks of {}", plan.block);
    let greater = Bits::zeroed(len + 1)?;
    let count = len.div_ceil(plan.block);
    let mut end = 0;
    let mut blocks = Vec::new();
    // Steps of the searches, of which every block takes the length of its tail, and so many for sorting.
    const SORTING: f64 = 4.0;
    let all = (len as f64) * (count as f64 / 2.0 + SORTING);
    let mut done = 0.0;
    for k in (0..count).rev() {
        let range = k * plan.block..len.min((k + 1) * plan.block);
        (text.watch)(Step::Sorting, done / all);
        let sorted = block::Sorted::new(text, range.clone(), &greater)?;
        done += SORTING * range.len() as f64;
        (text.watch)(Step::Searching, done / all);
        let mut lists = merge::Block { first: range.start, len: range.len(), ..Default::default() };
        lists.suffixes = end;
        store.append(sorted.bytes())?;
        end += 4 * range.len() as u64;
        let search = sorted.into_search(text, &greater)?;
        if with_bwt {
            lists.before = end;
            search.write_bwt(text, store)?;
            end += range.len() as u64;
        }
        lists.gaps = end;
        lists.gap_bytes = search.write_gaps(text, &greater, store)?;
        end += lists.gap_bytes;
        done += (len - range.end) as f64;
        blocks.push(lists);
    }
    drop(greater);
    blocks.reverse();
    (text.watch)(Step::Merging, 1.0);
    merge::merge(&blocks, store, with_bwt, each)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::suffix_array;

    fn check(bytes: &[u8], block: usize) {
        let text = Text { bytes, done: &|range| assert!(range.end <= bytes.len()), watch: &|_, _| () };
        let (mut sorted, mut before) = (Vec::new(), Vec::new());
        let mut each = |positions: &[u64], symbols: &[u8]| {
            sorted.extend_from_slice(positions);
            before.extend_from_slice(symbols);
            Ok::<(), Error>(())
        };
        sort(text, Plan { block }, &mut Vec::new(), true, &mut each).unwrap();
        let want: Vec<u64> = suffix_array(bytes).unwrap().positions().iter().flatten().map(|p| p as u64).collect();
        let shown = &bytes[..bytes.len().min(200)];
        assert!(sorted == want, "blocks of {block}: {shown:?}: {sorted:?}, not {want:?}");
        for memory in [9_000, 60_000, 1 << 20] {
            let Some(mut prefixes) = CommonPrefixes::within(memory, text) else { continue };
            let (mut store, mut lcp) = (Vec::new(), Vec::new());
            want.chunks(77).for_each(|run| prefixes.add::<Error>(run, &mut store).unwrap());
            let mut each = |values: &[u64]| {
                lcp.extend_from_slice(values);
                Ok::<(), Error>(())
            };
            prefixes.finish(&mut store, &mut each).unwrap();
            let want = suffix_array(bytes).unwrap().lcp().unwrap();
            let same = lcp.iter().map(|&value| Some(value as usize)).eq(want.iter());
            assert!(same, "in {memory} bytes: {shown:?}: {lcp:?}, not {want:?}");
        }
        let symbols: Vec<u8> = want.iter().map(|&p| p.checked_sub(1).map_or(0, |at| bytes[at as usize])).collect();
        assert!(before == symbols, "blocks of {block}: {shown:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn few_symbols(bytes in prop::collection::vec(0u8..2, 0..500)) {
            check(&bytes, 64);
        }

        #[test]
        fn all_symbols(bytes in prop::collection::vec(any::<u8>(), 0..700)) {
            check(&bytes, 64);
            check(&bytes, 192);
        }

        #[test]
        fn periods(word in prop::collection::vec(97u8..100, 1..9), times in 1usize..90, end in 0usize..9) {
            let mut bytes = word.repeat(times);
            bytes.truncate(bytes.len() - end.min(word.len() - 1));
            check(&bytes, 64);
            check(&bytes, 128);
        }
    }

    /// Texts that go on in many places at once, and those that repeat themselves as much as can be.
    #[test]
    fn long_ones() {
        let n = 60_000;
        let mut fibonacci = (b"a".to_vec(), b"ab".to_vec());
        while fibonacci.1.len() < n {
            let next = [&fibonacci.1[..], &fibonacci.0].concat();
            fibonacci = (fibonacci.1, next);
        }
        let all: Vec<u8> = (0..n as u64).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect();
        let blocks = all.iter().map(|&byte| byte % 4).collect();
        let last_is_largest = (0..n).map(|i| if i % 1000 == 999 { 255 } else { (i % 256) as u8 }).collect();
        let texts: [Vec<u8>; 7] = [
            vec![b'a'; n],
            fibonacci.1[..n].to_vec(),
            all.clone(),
            blocks,
            last_is_largest,
            [vec![0; n / 2], vec![255; n / 2]].concat(),
            all[..n / 7].repeat(7),
        ];
        for text in &texts {
            check(text, 20_032);
            check(text, 6_400);
        }
        check(&texts[0], 65_536);
        check(&texts[2], 59_968);
    }

    #[test]
    fn plans_stay_within_their_memory() {
        for (memory, len, symbols) in
            [(1 << 30, 1 << 32, 4), (1 << 28, 1 << 28, 256), (1 << 40, 1000, 256), (1 << 33, 1 << 34, 100)]
        {
            let plan = Plan::within(memory, len, symbols).unwrap();
            assert!(plan.bytes(len, symbols) <= memory && plan.block.is_multiple_of(Plan::UNIT), "{plan:?}");
        }
        assert_eq!(Plan::within(1 << 20, 1 << 30, 4), None);
    }
}
