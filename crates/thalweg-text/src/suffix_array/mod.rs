//! The suffix array: all suffixes of a text in lexicographic order, a suffix that is a prefix of another before it.
//!
//! `sorting.rs` makes it, through libsais; [`SuffixArray::from_positions`] takes one that was made elsewhere. What it is
//! good for: the inverse here, common prefixes in `lcp.rs`, patterns in `patterns.rs`, the Burrows-Wheeler transform in
//! `bwt.rs`. Checks of foreign ones are in `check.rs`.
//!
//! The doors are generic over symbols, and what stands behind them is compiled here, for two types of symbols and two
//! widths of positions.
#![allow(unsafe_code)]

mod bwt;
mod check;
pub(crate) mod lcp;
mod patterns;
#[cfg(feature = "libsais")]
pub(crate) mod sorting;

use std::ops::Range;

use rayon::prelude::*;

use crate::permutation;
use crate::position_width::{by_position, expect_list};
use crate::symbol::Symbol;
use thalweg_core::error::{try_filled, try_with_capacity};
use thalweg_core::{Position, Positions, Result};

pub use bwt::{Bwt, inverse_bwt};

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

impl<'t, T: Symbol> SuffixArray<'t, T> {
    /// Suffixes that were sorted elsewhere, such as on another device. Nothing is trusted: positions beyond the text or
    /// twice, suffixes that are not in order, and another width than the text's length asks for (64 bits from
    /// [`WIDE`](crate::WIDE) on, 32 below) are errors.
    ///
    /// Work O(n), whatever the suffixes have in common (Burkhardt and Kärkkäinen 2003). Memory while it runs: ranks as large
    /// as the positions.
    ///
    /// ```
    /// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
    /// use thalweg::{Positions, text::SuffixArray};
    /// let of = |positions: [u32; 6]| SuffixArray::from_positions(b"banana", Positions::U32(positions.to_vec()));
    /// assert_eq!(of([5, 3, 1, 0, 4, 2])?.find(b"an"), 1..3);
    /// assert!(of([3, 5, 1, 0, 4, 2]).is_err());
    /// assert!(of([5, 5, 1, 0, 4, 2]).is_err());
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn from_positions(text: &'t [T], positions: Positions) -> Result<Self> {
        let suffixes = Self::from_sorted(text, positions)?;
        // SAFETY: `from_sorted` has checked that it is a permutation.
        unsafe { check::order(T::symbols(text), &suffixes.positions)? };
        Ok(suffixes)
    }

    /// The same for suffixes that are known to be in order, from a device of this library: that is trusted. Length, width
    /// and that every position occurs once are checked. Of suffixes in another order, everything that is derived may be wrong,
    /// or an error; nothing worse.
    ///
    /// Work O(n), at random places of n bits: a fraction of what [`SuffixArray::from_positions`] costs.
    ///
    /// ```
    /// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
    /// use thalweg::{Positions, text::SuffixArray};
    /// let suffixes = SuffixArray::from_sorted(b"banana", Positions::U32(vec![5, 3, 1, 0, 4, 2]))?;
    /// assert_eq!(suffixes.lcp()?.as_u32(), Some(&[0, 1, 3, 0, 0, 2][..]));
    /// assert!(SuffixArray::from_sorted(b"banana", Positions::U32(vec![5, 5, 1, 0, 4, 2])).is_err());
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn from_sorted(text: &'t [T], positions: Positions) -> Result<Self> {
        expect_list("suffix array", &positions, text.len())?;
        check::permutation(&positions)?;
        Ok(Self { text, positions })
    }

    /// The same for a suffix array that another device has made and checked. Length and width are checked again.
    ///
    /// # Safety
    /// Every position below the length occurs once. Of suffixes that are not in order, everything that is derived may be
    /// wrong, or an error; nothing worse.
    pub unsafe fn from_checked(text: &'t [T], positions: Positions) -> Result<Self> {
        expect_list("suffix array", &positions, text.len())?;
        Ok(Self { text, positions })
    }

    /// One that was sorted here, in either width.
    #[cfg(all(test, feature = "libsais"))]
    pub(crate) fn of_any_width(text: &'t [T], positions: Positions) -> Self {
        Self { text, positions }
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
        inverse(&self.positions)
    }

    /// How long the common prefix of every suffix with the one before it in the order is; 0 for the first.
    ///
    /// Work O(n); extra memory: as much as the result. See `lcp.rs` for the algorithm.
    pub fn lcp(&self) -> Result<Positions> {
        lcp::lcp(T::symbols(self.text), &self.positions)
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
        let mut symbols = try_filled(self.len(), T::default(), "the BWT")?;
        let primary = bwt::fill(T::symbols(self.text), &self.positions, T::symbols_mut(&mut symbols));
        Ok(Bwt { symbols, primary })
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
    pub fn find(&self, pattern: &[T]) -> Range<usize> {
        patterns::find(T::symbols(self.text), &self.positions, T::symbols(pattern))
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
    pub fn find_many<S: AsRef<[T]> + Sync>(&self, patterns: &[S]) -> Result<Vec<Range<usize>>> {
        let mut list = try_with_capacity::<&[T]>(patterns.len(), "patterns")?;
        list.extend(patterns.iter().map(AsRef::as_ref));
        patterns::find_many(T::symbols(self.text), &self.positions, T::patterns(&list))
    }

    /// Where the patterns of a range of suffixes begin, in the order of the text.
    ///
    /// # Panics
    /// If the range reaches beyond the suffixes, as a slice would.
    pub fn places(&self, range: Range<usize>) -> Vec<usize> {
        places(&self.positions, range)
    }
}

/// Inverse of positions that are a permutation: made here, or checked.
fn inverse(positions: &Positions) -> Result<Positions> {
    // SAFETY: a permutation, which nothing but a `SuffixArray` calls this with.
    by_position!(positions, sa => unsafe { permutation::inverse(sa) }.map(Position::list))
}

fn places(positions: &Positions, range: Range<usize>) -> Vec<usize> {
    let mut places: Vec<usize> = by_position!(positions, sa => sa[range].iter().map(|p| p.get()).collect());
    places.par_sort_unstable();
    places
}
