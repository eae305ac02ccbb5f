//! The two widths of positions in a text.

use thalweg_core::{Error, Positions, Result};

/// Texts of so many symbols or more have 64-bit positions: libsais counts with signed integers.
pub const WIDE: usize = i32::MAX as usize;

/// Runs an expression for the width of a list: `by_position!(positions, list => f(list))`.
macro_rules! by_position {
    ($positions:expr, $list:ident => $body:expr) => {
        match $positions {
            ::thalweg_core::Positions::U32($list) => $body,
            ::thalweg_core::Positions::U64($list) => $body,
        }
    };
}
pub(crate) use by_position;

/// Checks a list with one entry for every symbol of a text of `len` symbols, which tells its width, too.
pub(crate) fn expect_list(what: &'static str, list: &Positions, len: usize) -> Result<()> {
    thalweg_core::error::expect_len(what, list.len(), len)?;
    match list {
        Positions::U32(_) if len >= WIDE => Err(Error::Width { len, got: "u32" }),
        Positions::U64(_) if len < WIDE => {
            let reason = format!("a text of {len} symbols has 32-bit positions, and these have 64 bits");
            Err(Error::BadOption { option: what, reason })
        }
        _ => Ok(()),
    }
}
