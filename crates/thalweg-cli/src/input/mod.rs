//! What comes in: arrays, tables, archives and raw little-endian binary, from files, pipes and standard input.
//!
//! Regular files are mapped, not read: data in this machine's byte order is used where it lies. Nobody may change or
//! cut the file meanwhile; the system would end the process with SIGBUS, as it does to every program that maps files.
//! Pipes are read to memory, and packed files are unpacked there.
//!
//! How a file is understood: by the ending of its name ([`format`](mod@crate::format)), and where that says nothing, or for standard
//! input (`-`), by its content: `.npy` and `.npz` by their magic, text if nothing else is in it. Anything else is raw and needs
//! its type from an option.

pub mod array;
mod bytes;
#[cfg(feature = "columnar")]
mod columnar;
pub mod edges;
pub mod integers;
mod layout;
pub mod links;
mod loaded;
pub mod maps;
pub mod ndarray;
pub mod npy;
pub mod npz;
pub mod points;
pub mod puzzles;
pub mod queries;
mod read_all;
pub mod routes;
pub mod rows;
mod seed;
pub mod segments;
mod table;
pub mod text;
mod unpack;

pub use bytes::Bytes;
pub use layout::Layout;
pub use loaded::{EmptyArgs, Loaded};
pub use seed::SeedArgs;
pub use table::{Names, is_overflown};

pub use crate::format::name_of;

/// Elements that a thread converts at a time ...
const GRAIN: usize = 1 << 14;
/// ... and those of a task whose part of the file is asked for at once.
const TASK: usize = 1 << 17;
