//! The elements of a range in order, as many as are wanted: the smallest first, or all that are not above a threshold.
//!
//! Both need nothing but range minima and the array. Where the least element of a range is known, the others lie to the
//! left and to the right of it, and of those the least are known again by two queries (Gagie, Navarro and Nekrich's
//! "range top-k"; the same walk lists documents in Muthukrishnan 2002). Here a query answers for a *block*, not for an
//! element: the elements beside the one that was found lie in its cache line, so they are looked at there, and only what
//! lies outside the block is asked for.
//!
//! | | order of the answer | queries | other work |
//! |---|---|---|---|
//! | [`Smallest`] | by value, the leftmost first on ties | at most 2k | O(k log k), a block each |
//! | [`Below`] | by position | at most 2m + 1 for m positions | a block each |
//!
//! A whole range that is asked for in order costs one query in a block, not two an element.
//!
//! A batch walks many ranges beside each other, and asks for the minima that they need next by one batch of the engine's:
//! misses in memory overlap there.

mod below;
mod below_each;
mod ranks;
mod smallest;
mod smallest_each;

pub use self::below::Below;
pub use self::below_each::{Listed, below_each};
pub(super) use self::ranks::Ranks;
pub use self::smallest::Smallest;
pub use self::smallest_each::smallest_each;
use super::engine::{RmqEngine, first_bad_query};
use thalweg_core::{Coding, Error, Pairs, Position, Result};

/// Ranges that are walked beside each other on one thread, so that their misses in memory overlap.
pub(super) const PORTION: usize = 64;

/// What every batch begins with: the array by its ranks, if all ranges are inside of it.
fn ranks_of<'e>(engine: &'e dyn RmqEngine, coding: Coding, queries: Pairs<'_>) -> Result<Ranks<'e>> {
    let array = engine.array().ok_or(Error::NoValues { engine: engine.name() })?;
    let ranks = Ranks::new(array, coding)?;
    let len = engine.len();
    if matches!(queries, Pairs::U32(_)) && !u32::fits(len) {
        // The last position would be that of nothing.
        return Err(Error::Width { len, got: "u32" });
    }
    first_bad_query(queries, len).map_or(Ok(ranks), Err)
}
