//! Graphs on the device.
//!
//! | problem | what it finds | engines |
//! |---|---|---|
//! | [`matching`] | a maximum matching, and its proof | `tutte` |

pub mod matching;
