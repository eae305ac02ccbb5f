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

mod below;
mod ranks;
mod smallest;

pub use self::below::Below;
pub(super) use self::ranks::Ranks;
pub use self::smallest::Smallest;
