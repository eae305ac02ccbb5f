//! The width of keys, where types no longer tell it.

use thalweg_core::bits::Bits;
use thalweg_core::{Coding, Error, Result};

/// Checks that an array's keys have the width that their coding is for.
pub(crate) fn expect_width(bits: Bits<'_>, coding: Coding) -> Result<()> {
    let (expected, got) = (8 * coding.bytes() as u32, 8 * bits.width() as u32);
    if got == expected { Ok(()) } else { Err(Error::Bits { what: "the array's keys", expected, got }) }
}
