//! What the programs of this project share: the command `thalweg` (this package's binary) and the benchmarks
//! (`thalweg-bench`).
//!
//! For these programs, not for others: it changes with them. The algorithms are in the library `thalweg`.
//!
//! - [`input`]: arrays, tables, archives, texts, FASTA, and data that is generated; [`dtype`]: types by name;
//!   [`mod@format`]: what names of files say.
//! - [`output`]: files that appear whole or not at all ([`interrupt`]), and text on stdout.
//! - [`choice`], [`numbers`], [`rmq_engine`], [`device`], [`instruction_set`]: options.
//! - [`failure`]: one line and an exit code; [`memory`]: what the system refuses is a failure, too, and so is what
//!   happens below us ([`allocator`], [`ending`]).
//! - [`budget`], [`spill`]: work on what is larger than memory.
//! - [`picture`]: pictures of the plane; [`raster`]: pictures of pixels.
//! - [`verify`]: a sample of the answers is checked. - [`progress`]: what is going on; [`openmp`]: libsais's threads; [`kernels`]: those of GPUs, kept between runs.

pub mod allocator;
pub mod budget;
pub mod choice;
pub mod device;
pub mod dtype;
pub mod ending;
pub mod failure;
pub mod format;
pub mod input;
pub mod instruction_set;
pub mod interrupt;
pub mod kernels;
pub mod memory;
pub mod numbers;
pub mod openmp;
pub mod output;
pub mod picture;
pub mod progress;
pub mod raster;
pub mod rmq_engine;
pub mod spill;
pub mod verify;

// Files are little-endian and used as they lie in memory.
#[cfg(target_endian = "big")]
compile_error!("big-endian machines are not supported: nobody has tested one");
