//! The two widths of positions in a text.

use bytemuck::Pod;

use crate::ansv::OutputPosition;
use crate::rmq::QueryPosition;
use crate::{Key, Positions};

/// Texts of so many symbols or more have 64-bit positions: libsais counts with signed integers.
pub const WIDE: usize = i32::MAX as usize;

/// A width that everything here is compiled for.
pub(super) trait Width: Key + OutputPosition + QueryPosition + Pod {
    /// A list of this width, for the outside.
    fn positions(list: Vec<Self>) -> Positions;
}

impl Width for u32 {
    fn positions(list: Vec<u32>) -> Positions {
        Positions::U32(list)
    }
}

impl Width for u64 {
    fn positions(list: Vec<u64>) -> Positions {
        Positions::U64(list)
    }
}

/// Runs an expression for the width of a list: `by_width!(positions, list => f(list))`.
macro_rules! by_width {
    ($positions:expr, $list:ident => $body:expr) => {
        match $positions {
            $crate::Positions::U32($list) => $body,
            $crate::Positions::U64($list) => $body,
        }
    };
}
pub(super) use by_width;
