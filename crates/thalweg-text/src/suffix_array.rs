//! The suffix array: all suffixes of a text in lexicographic order.
//!
//! Sorted by libsais (Grebnov; induced sorting after Nong, Zhang and Chan 2009), a C library that is built with this
//! crate and runs on OpenMP's threads, as many as the current rayon pool has. Work O(n); a suffix that is a prefix of
//! another comes first.
//!
//! OpenMP's threads spin while they wait for each other. That is a disaster where the cores have other work as well: two busy
//! cores took 47 s for what takes them 2.7 s alone. The variable `GOMP_SPINCOUNT=1000` in the program's environment avoids
//! it (8.4 and 2.5 s) at no cost; it is read when the program starts, so a library cannot set it. The command `thalweg` does.
//!
//! The inverse is a scatter to random places: the next ones are asked for ahead of time.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;

use super::lcp::lcp_as;
use super::width::{WIDE, by_width};
use super::{Symbol, find};
use thalweg_core::error::{expect_len, try_with_capacity};
use thalweg_core::memory::{large_zeroed, try_with_large_capacity};
use thalweg_core::primitives::disjoint::Disjoint;
use thalweg_core::simd::prefetch_line;
use thalweg_core::{Error, Position, Positions, Result};

/// Suffixes that a task handles.
pub(super) const GRAIN: usize = 1 << 16;

/// How far ahead random places are asked for. Not measured closely: 16 to 64 did about the same.
pub(super) const AHEAD: usize = 32;

/// A text and its suffixes in order.
///
/// ```
/// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
/// let suffixes = thalweg::text::suffix_array(b"banana")?;
/// assert_eq!(suffixes.positions().as_u32(), Some(&[5, 3, 1, 0, 4, 2][..]));
/// assert_eq!(suffixes.lcp()?.as_u32(), Some(&[0, 1, 3, 0, 0, 2][..]));
/// assert_eq!(suffixes.inverse()?.as_u32(), Some(&[3, 2, 5, 1, 4, 0][..]));
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SuffixArray<'t, T: Symbol> {
    text: &'t [T],
    /// A permutation: made here, or checked.
    positions: Positions,
}

/// The Burrows-Wheeler transform of a text: the symbol before every suffix, in the order of the suffixes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bwt<T> {
    /// The text's last symbol, as the empty suffix is the first of all, then the symbols before the others. The suffix
    /// that is the whole text has no symbol before it and is left out.
    pub symbols: Vec<T>,
    /// Where it was left out: the rank of the whole text among the suffixes, the empty one included. 0 if there is no text.
    pub primary: usize,
}

/// The suffixes of a text in order.
///
/// Work O(n), on all threads of the current rayon pool (on Linux; elsewhere libsais is built without OpenMP and sorts
/// on one). On a machine that has other work, set `GOMP_SPINCOUNT=1000` in the environment, or OpenMP's threads burn their time
/// waiting for each other. Memory: the result, 4 bytes a symbol below 2 GiB; for `u32` symbols a copy of the text besides.
///
/// ```
/// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
/// use thalweg::text::suffix_array;
/// assert_eq!(suffix_array(b"abab")?.positions().as_u32(), Some(&[2, 0, 3, 1][..]));
/// assert_eq!(suffix_array(&[70_000u32, 5, 70_000])?.positions().as_u32(), Some(&[1, 2, 0][..]));
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn suffix_array<T: Symbol>(text: &[T]) -> Result<SuffixArray<'_, T>> {
    let len = text.len();
    let positions = if len < WIDE {
        let mut list = large_zeroed::<u32>(len, "the suffix array")?;
        if len > 0 {
            T::sort32(text, bytemuck::cast_slice_mut(&mut list))?;
        }
        Positions::U32(list)
    } else {
        let mut list = large_zeroed::<u64>(len, "the suffix array")?;
        T::sort64(text, bytemuck::cast_slice_mut(&mut list))?;
        Positions::U64(list)
    };
    Ok(SuffixArray { text, positions })
}

impl<'t, T: Symbol> SuffixArray<'t, T> {
    /// Suffixes that were sorted elsewhere, such as on another device. Every one is checked: positions beyond the text or
    /// twice, and suffixes that are not in order, are errors.
    ///
    /// Work O(n), whatever the suffixes have in common: two that begin with the same symbol are in order if the suffixes
    /// behind that are (Burkhardt and Karkkainen 2003). Memory: ranks of 4 bytes a symbol while it runs.
    ///
    /// ```
    /// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
    /// use thalweg::text::SuffixArray;
    /// assert_eq!(SuffixArray::from_positions(b"banana", vec![5, 3, 1, 0, 4, 2])?.find(b"an"), 1..3);
    /// assert!(SuffixArray::from_positions(b"banana", vec![3, 5, 1, 0, 4, 2]).is_err());
    /// assert!(SuffixArray::from_positions(b"banana", vec![5, 5, 1, 0, 4, 2]).is_err());
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn from_positions(text: &'t [T], positions: Vec<u32>) -> Result<Self> {
        let len = text.len();
        expect_len("suffix array", positions.len(), len)?;
        if len >= WIDE {
            return Err(Error::Width { len, got: "u32" });
        }
        let ranks = ranks_of(&positions)?;
        let rank = |position: usize| ranks.get(position).map_or(0, |rank| rank.load(Relaxed) + 1);
        let in_order = |rank_here: usize| {
            let (a, b) = (positions[rank_here - 1] as usize, positions[rank_here] as usize);
            text[a] < text[b] || text[a] == text[b] && rank(a + 1) < rank(b + 1)
        };
        match (1..len).into_par_iter().with_min_len(GRAIN).find_first(|&rank| !in_order(rank)) {
            None => Ok(Self { text, positions: Positions::U32(positions) }),
            Some(rank) => Err(bad(format!("the suffixes of rank {} and {rank} are not in order", rank - 1))),
        }
    }

    /// The text.
    pub fn text(&self) -> &'t [T] {
        self.text
    }

    /// Where the suffixes begin, from the smallest to the largest. Every position occurs once.
    pub fn positions(&self) -> &Positions {
        &self.positions
    }

    /// [`SuffixArray::positions`], for good.
    pub fn into_positions(self) -> Positions {
        self.positions
    }

    /// How many suffixes there are: the length of the text.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Whether the text is empty.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The rank of every suffix, by position. Work O(n).
    pub fn inverse(&self) -> Result<Positions> {
        by_width!(&self.positions, sa => inverse_as(sa).map(Position::list))
    }

    /// How long the common prefix of every suffix with the one before it in the order is; 0 for the first.
    ///
    /// Work O(n); extra memory: as much as the result. See `lcp.rs` for the algorithm.
    pub fn lcp(&self) -> Result<Positions> {
        by_width!(&self.positions, sa => lcp_as(self.text, sa).map(Position::list))
    }

    /// The Burrows-Wheeler transform.
    ///
    /// ```
    /// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
    /// let bwt = thalweg::text::suffix_array(b"banana")?.bwt()?;
    /// assert_eq!((&bwt.symbols[..], bwt.primary), (&b"annbaa"[..], 4)); // annb$aa
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn bwt(&self) -> Result<Bwt<T>> {
        by_width!(&self.positions, sa => bwt_as(self.text, sa))
    }

    /// The suffixes that begin with `pattern`, as a range of [`SuffixArray::positions`]. Work O(m log n).
    ///
    /// An empty pattern begins them all.
    ///
    /// ```
    /// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
    /// let suffixes = thalweg::text::suffix_array(b"banana")?;
    /// assert_eq!(suffixes.find(b"an"), 1..3); // at 3 and 1
    /// assert!(suffixes.find(b"nab").is_empty());
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn find(&self, pattern: &[T]) -> std::ops::Range<usize> {
        by_width!(&self.positions, sa => find::find(self.text, sa, pattern))
    }

    /// [`SuffixArray::find`] for many patterns, on all threads; the binary searches of a thread are interleaved, so that
    /// they do not wait for memory one after the other.
    ///
    /// ```
    /// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
    /// let suffixes = thalweg::text::suffix_array(b"banana")?;
    /// assert_eq!(suffixes.find_many(&[&b"a"[..], b"na", b"x"])?, [0..3, 4..6, 6..6]);
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn find_many<S: AsRef<[T]> + Sync>(&self, patterns: &[S]) -> Result<Vec<std::ops::Range<usize>>> {
        by_width!(&self.positions, sa => find::find_many(self.text, sa, patterns))
    }

    /// Where the patterns of a range of suffixes begin, in the order of the text.
    ///
    /// # Panics
    /// If the range reaches beyond the suffixes, as a slice would.
    pub fn places(&self, range: std::ops::Range<usize>) -> Vec<usize> {
        by_width!(&self.positions, sa => {
            let mut places: Vec<usize> = sa[range].iter().map(|p| p.get()).collect();
            places.par_sort_unstable();
            places
        })
    }
}

/// `out[place(i)] = value(i)` for all of `0..len`, where `place` is a permutation of as many places.
///
/// # Safety
/// `place` is a permutation of `0..len`.
pub(super) unsafe fn scatter<V: Copy + Send + Sync>(
    len: usize,
    what: &'static str,
    place: impl Fn(usize) -> usize + Sync,
    value: impl Fn(usize) -> V + Sync,
) -> Result<Vec<V>> {
    let mut out = try_with_large_capacity::<V>(len, what)?;
    let spare = &mut out.spare_capacity_mut()[..len];
    let shared = Disjoint::uninit(spare);
    (0..len.div_ceil(GRAIN)).into_par_iter().for_each(|task| {
        let end = len.min((task + 1) * GRAIN);
        for i in task * GRAIN..end {
            if i + AHEAD < end {
                prefetch_line(shared.as_ptr().wrapping_add(place(i + AHEAD)));
            }
            // SAFETY: a place of a permutation is inside, and nobody else's.
            unsafe { shared.put(place(i), value(i)) };
        }
    });
    // SAFETY: a permutation reaches every place.
    unsafe { out.set_len(len) };
    Ok(out)
}

pub(super) fn inverse_as<P: Position>(sa: &[P]) -> Result<Vec<P>> {
    // SAFETY: a suffix array is a permutation.
    unsafe { scatter(sa.len(), "the inverse suffix array", |rank| sa[rank].get(), P::new) }
}

fn bad(reason: String) -> Error {
    Error::BadOption { option: "suffix array", reason }
}

/// The ranks of positions that may not be a permutation: then an error.
fn ranks_of(positions: &[u32]) -> Result<Vec<AtomicU32>> {
    let len = positions.len();
    let mut ranks = try_with_capacity(len, "ranks of suffixes")?;
    ranks.resize_with(len, || AtomicU32::new(u32::MAX));
    let wrong = positions.par_iter().with_min_len(GRAIN).enumerate().find_first(|&(rank, &position)| {
        ranks.get(position as usize).is_none_or(|slot| slot.swap(rank as u32, Relaxed) != u32::MAX)
    });
    match wrong {
        None => Ok(ranks),
        Some((rank, &to)) if to as usize >= len => {
            Err(Error::Link { what: "suffix", element: rank, to: to.into(), len })
        }
        Some((_, position)) => Err(bad(format!("position {position} occurs twice"))),
    }
}

fn bwt_as<T: Symbol, P: Position>(text: &[T], sa: &[P]) -> Result<Bwt<T>> {
    let mut symbols = try_with_capacity(text.len(), "the BWT")?;
    let Some(&last) = text.last() else { return Ok(Bwt { symbols, primary: 0 }) };
    let whole = sa.par_iter().position_any(|p| p.get() == 0).expect("the whole text is a suffix");
    // The empty suffix comes first; the suffixes up to the whole text move up by one.
    (0..text.len())
        .into_par_iter()
        .map(|i| match i {
            0 => last,
            i if i <= whole => text[sa[i - 1].get() - 1],
            i => text[sa[i].get() - 1],
        })
        .collect_into_vec(&mut symbols);
    Ok(Bwt { symbols, primary: whole + 1 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LceBuilder, lz77};
    use thalweg_data::TextKind;

    /// A suffix array as a text of 2 GiB would have it.
    fn wide<T: Symbol>(text: &[T]) -> SuffixArray<'_, T> {
        let mut list = vec![0u64; text.len()];
        if !text.is_empty() {
            T::sort64(text, bytemuck::cast_slice_mut(&mut list)).unwrap();
        }
        SuffixArray { text, positions: Positions::U64(list) }
    }

    fn same(narrow: &Positions, wide: &Positions) -> bool {
        wide.as_u64().is_some() && narrow.as_u32().is_some() && narrow.iter().eq(wide.iter())
    }

    #[test]
    fn both_widths_give_the_same() {
        for kind in [TextKind::Mixed, TextKind::Periodic, TextKind::Equal, TextKind::Random] {
            for n in [0, 1, 2, 1000, 70_000] {
                let text = kind.make(n, 2);
                let (narrow, wide) = (suffix_array(&text).unwrap(), wide(&text));
                assert!(same(narrow.positions(), wide.positions()));
                assert!(same(&narrow.inverse().unwrap(), &wide.inverse().unwrap()));
                assert!(same(&narrow.lcp().unwrap(), &wide.lcp().unwrap()));
                assert_eq!(narrow.bwt().unwrap(), wide.bwt().unwrap());
                assert_eq!(narrow.longest_repeat().unwrap(), wide.longest_repeat().unwrap());
                assert_eq!(
                    narrow.find_many(&[&b"a"[..], b"er"]).unwrap(),
                    wide.find_many(&[&b"a"[..], b"er"]).unwrap()
                );
                let lce = [&narrow, &wide].map(|suffixes| LceBuilder::new().build_on(suffixes).unwrap());
                let pairs: Vec<[u32; 2]> = (1..n.min(500) as u32).map(|i| [i, i * 97 % n as u32]).collect();
                let mut lengths = [vec![0; pairs.len()], vec![0; pairs.len()]];
                lce[0].batch(&pairs, &mut lengths[0]).unwrap();
                lce[1].batch(&pairs, &mut lengths[1]).unwrap();
                assert_eq!(lengths[0], lengths[1]);
                for engine in [lz77::Engine::Starts, lz77::Engine::Lpf] {
                    for &source in lz77::Source::ALL {
                        let builder = lz77::Builder::new().engine(engine).source(source);
                        let [one, two] = [&narrow, &wide].map(|s| builder.run_on(s.clone()).unwrap());
                        assert!(one.iter().eq(&two), "{kind:?} {n} {engine} {source:?}");
                        assert!(two.decode_sequential().unwrap() == text && two.decode_parallel().unwrap() == text);
                    }
                }
            }
        }
        let symbols = [7u32, 1 << 30, 7, 0, u32::MAX, 7, 1 << 30];
        assert!(same(suffix_array(&symbols).unwrap().positions(), wide(&symbols).positions()));
    }
}
