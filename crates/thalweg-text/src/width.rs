//! The two widths of positions in a text.

/// Texts of so many symbols or more have 64-bit positions: libsais counts with signed integers.
pub const WIDE: usize = i32::MAX as usize;

/// Runs an expression for the width of a list: `by_width!(positions, list => f(list))`.
macro_rules! by_width {
    ($positions:expr, $list:ident => $body:expr) => {
        match $positions {
            ::thalweg_core::Positions::U32($list) => $body,
            ::thalweg_core::Positions::U64($list) => $body,
        }
    };
}
pub(super) use by_width;
