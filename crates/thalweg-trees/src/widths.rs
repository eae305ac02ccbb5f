//! Positions without their type: the step from generic doors to code that is compiled here, once for each width.
//!
//! A generic function is compiled again in every crate that calls it. So the public ones do nothing but turn slices of
//! `P` into [`Slices`], call a function that is not generic, and turn lists of its width back into vectors of `P`.

use thalweg_core::{Position, Positions, PositionsRef};

/// Slices of positions of the same width.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Slices<'a, const N: usize = 1> {
    U32([&'a [u32]; N]),
    U64([&'a [u64]; N]),
}

impl<'a, const N: usize> Slices<'a, N> {
    pub(crate) fn of<P: Position>(slices: [&'a [P]; N]) -> Self {
        let (mut narrow, mut wide) = ([&[][..]; N], [&[][..]; N]);
        for (k, slice) in slices.into_iter().enumerate() {
            match P::view(slice) {
                PositionsRef::U32(slice) => narrow[k] = slice,
                PositionsRef::U64(slice) => wide[k] = slice,
            }
        }
        if size_of::<P>() == size_of::<u32>() { Self::U32(narrow) } else { Self::U64(wide) }
    }
}

/// Runs an expression for the width of [`Slices`]: `by_width!(slices, [a, b] => f(a, b))`.
macro_rules! by_width {
    ($slices:expr, $names:pat => $body:expr) => {
        match $slices {
            $crate::widths::Slices::U32($names) => $body,
            $crate::widths::Slices::U64($names) => $body,
        }
    };
}
pub(crate) use by_width;

/// Lists of the width of `P`, as vectors.
pub(crate) fn typed<P: Position, const N: usize>(lists: [Positions; N]) -> [Vec<P>; N] {
    lists.map(|list| P::from_list(list).expect("lists have the width of what they are made from"))
}
