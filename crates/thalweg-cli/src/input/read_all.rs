//! Pipes, and what is packed, to memory.

use std::io::Read;

use crate::failure::{Failure, Outcome};
use crate::memory;

/// Reads to the end, with memory that may be refused.
pub(super) fn read_all(from: &mut dyn Read, name: &str) -> Outcome<Vec<u8>> {
    const STEP: usize = 1 << 16;
    let mut bytes = Vec::new();
    loop {
        if bytes.capacity() - bytes.len() < STEP {
            let more = STEP.max(bytes.len());
            memory::reserve(&mut bytes, more, name)?;
        }
        // Within the capacity: reading does not grow the vector.
        let room = bytes.capacity() - bytes.len();
        let read = from.take(room as u64).read_to_end(&mut bytes).map_err(|e| Failure::io(name, &e))?;
        if read < room {
            return Ok(bytes);
        }
    }
}
