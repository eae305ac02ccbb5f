//! Graphs on the device.
//!
//! | problem | what it finds | engines |
//! |---|---|---|
//! | [`matching`] | a maximum matching, and its proof | `tutte` |
//! | [`path`] | shortest paths on grids | `buckets` |

pub mod matching;
pub mod path;
