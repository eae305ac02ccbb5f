//! Sliding windows: the minimum or maximum of every window of an array, and where it is.
//!
//! Filters of signals and pictures, running extremes of time series, minimizers of texts. Range queries answer these, too, but
//! a window has most elements in common with the next, and an array is read once and an answer written once:
//!
//! | engine | idea | work | source |
//! |---|---|---|---|
//! | `blocks` (default) | ends and beginnings of blocks, in vector lanes | O(n) | van Herk 1992; Gil, Werman 1993 |
//! | `naive` | looks at every element of every window | O(n w) | the oracle |
//!
//! [`Shape`] says which windows: of one width at every position or at every so many-th ([`Windows`]), by bounds that ascend, or
//! of rows and columns of a picture. [`solve_bits`] checks and runs an engine of any device.

mod blocks;
mod choices;
mod far;
mod grid;
mod lanes;
mod leaps;
mod line;
mod naive;
mod near;
mod past;
mod ragged;
mod rows;
mod shape;
mod task;

use std::fmt;

use self::shape::bound;
pub use self::shape::{Align, Border, Plan, Shape, Windows};
use thalweg_core::bits::{Bits, BitsMut};
use thalweg_core::error::expect_len;
use thalweg_core::parallel::find_first;
use thalweg_core::{Coding, Error, Key, Order, Position, PositionsMut, Rank, Result, by_width, engine_names};

engine_names! {
    /// The window engines. See the [module's table](self).
    #[derive(Default)]
    "window": Engine {
        /// Ends and beginnings of blocks, in vector lanes. The default.
        #[default]
        Blocks = "blocks",
        /// Looks at every element of every window. The oracle of the tests.
        Naive = "naive",
    }
}

/// Where the answers go: one entry a window. What is left out is not computed.
#[derive(Debug, Default)]
pub struct Outputs<'o> {
    /// The best element's bits.
    pub values: Option<BitsMut<'o>>,
    /// Its position, the leftmost on ties; [`Position::NONE`] where there is none.
    pub positions: Option<PositionsMut<'o>>,
}

impl Outputs<'_> {
    /// The same buffers, for a shorter time.
    pub fn reborrow(&mut self) -> Outputs<'_> {
        let values = self.values.as_mut().map(|values| match values {
            BitsMut::U8(words) => BitsMut::U8(words),
            BitsMut::U16(words) => BitsMut::U16(words),
            BitsMut::U32(words) => BitsMut::U32(words),
            BitsMut::U64(words) => BitsMut::U64(words),
        });
        let positions = self.positions.as_mut().map(|positions| match positions {
            PositionsMut::U32(positions) => PositionsMut::U32(positions),
            PositionsMut::U64(positions) => PositionsMut::U64(positions),
        });
        Outputs { values, positions }
    }
}

/// What every window engine provides, on whatever device. It sees the bits of keys and knows no key type.
///
/// [`solve_bits`] has checked before calling: buffers have the shape's length and width, bounds ascend and are inside.
pub trait WindowEngine: fmt::Debug + Send + Sync {
    /// The engine's name.
    fn name(&self) -> &'static str;
    /// Bytes of scratch memory needed for an array of `len` elements of `width` bytes, outputs not counted.
    fn extra_bytes(&self, len: usize, width: usize, shape: &Shape<'_>) -> usize;
    /// Finds every window's leftmost element of the smallest rank by the coding. A window without one has the value `fill`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::Bits`] if the coding is for another width, and those of the device.
    fn solve(&self, bits: Bits<'_>, coding: Coding, shape: Shape<'_>, fill: u64, outputs: Outputs<'_>) -> Result<()>;
}

/// The minima of all windows of `width` elements, centred, shrunk at the ends; `Order::Max` finds the maxima.
///
/// Work O(n), on all threads of the current rayon pool.
///
/// ```
/// # use thalweg_arrays as thalweg;
/// let lowest = thalweg::window::values(&[3, 1, 4, 1, 5, 9], 3, thalweg::Order::Min)?;
/// assert_eq!(lowest, [1, 1, 1, 1, 1, 5]);
/// # Ok::<(), thalweg::Error>(())
/// ```
///
/// # Errors
/// [`Error::BadOption`] for a width of 0; [`Error::OutOfMemory`].
pub fn values<K: Key>(array: &[K], width: usize, order: Order) -> Result<Vec<K>> {
    let mut values = thalweg_core::memory::filled(array.len(), K::default(), "minima of windows")?;
    let outputs = Outputs { values: Some(BitsMut::of(&mut values)), positions: None };
    let shape = Shape::Regular(Windows::new(width));
    solve_bits(Bits::of(array), Coding::of::<K>(order), shape, 0, &blocks::Blocks, outputs)?;
    Ok(values)
}

/// An engine of the CPU, ready to be passed to [`solve_bits`] or to a test suite.
pub fn engine(engine: Engine) -> Box<dyn WindowEngine> {
    match engine {
        Engine::Blocks => Box::new(blocks::Blocks),
        Engine::Naive => Box::new(naive::Naive),
    }
}

/// Runs an engine of any device on the bits of an array, of keys that the coding tells the order of. Windows that have no
/// answer get the value `fill`.
///
/// # Errors
/// What is wrong with the shape: [`Error::BadOption`], [`Error::Shape`], [`Error::Window`]; [`Error::Length`] or
/// [`Error::Bits`] for a buffer of another length or width, [`Error::Width`] if positions do not fit theirs; and those of the
/// engine.
pub fn solve_bits(
    bits: Bits<'_>,
    coding: Coding,
    shape: Shape<'_>,
    fill: u64,
    engine: &dyn WindowEngine,
    outputs: Outputs<'_>,
) -> Result<()> {
    let len = bits.len();
    let count = shape.count(len)?;
    if let Shape::Ragged { .. } = shape {
        check_bounds(&shape, len)?;
    }
    if let Some(values) = &outputs.values {
        expect_len("values of windows", values.len(), count)?;
        let (expected, got) = (
            8 * bits.width() as u32,
            by_width!(BitsMut, values, words => 8 * size_of_val(&words[..1.min(words.len())]) as u32),
        );
        if got != expected && !values.is_empty() {
            return Err(Error::Bits { what: "values of windows", expected, got });
        }
    }
    if let Some(positions) = &outputs.positions {
        expect_len("positions of windows", positions.len(), count)?;
        if matches!(positions, PositionsMut::U32(_)) && !u32::fits(len) {
            return Err(Error::Width { len, got: u32::NAME });
        }
    }
    if count == 0 {
        return Ok(());
    }
    engine.solve(bits, coding, shape, fill, outputs)
}

/// Whether bounds ascend and are inside.
fn check_bounds(shape: &Shape<'_>, len: usize) -> Result<()> {
    let Shape::Ragged { starts, ends } = *shape else { return Ok(()) };
    let is_wrong = |&j: &usize| {
        let (start, end) = (bound(starts, j), bound(ends, j));
        start > end || end > len as u64 || j > 0 && (bound(starts, j - 1) > start || bound(ends, j - 1) > end)
    };
    match find_first(starts.len(), 1 << 16, &|mut range| range.find(is_wrong)) {
        None => Ok(()),
        Some(row) => {
            let (start, end) = (bound(starts, row), bound(ends, row));
            let reason = if start > end {
                "it ends before it starts"
            } else if end > len as u64 {
                "it ends behind the array"
            } else {
                "bounds must ascend, and one of the window before is larger"
            };
            Err(Error::Window { row, start, end, len, reason })
        }
    }
}

/// Writes one answer.
fn put(outputs: &mut Outputs<'_>, bits: Bits<'_>, fill: u64, j: usize, found: Option<usize>) {
    if let Some(values) = &mut outputs.values {
        let value = found.map_or(fill, |at| by_width!(Bits, bits, keys => keys[at].to_u64()));
        by_width!(BitsMut, values, values => values[j] = Rank::from_u64(value));
    }
    match &mut outputs.positions {
        Some(PositionsMut::U32(positions)) => positions[j] = found.map_or(u32::NONE, u32::new),
        Some(PositionsMut::U64(positions)) => positions[j] = found.map_or(u64::NONE, u64::new),
        None => {}
    }
}
