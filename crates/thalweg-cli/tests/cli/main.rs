//! The command over real files: what it writes, what it says, and how it fails.
//!
//! Files are written and read back with the crate `npyz`, which shares no code with the command; what NumPy itself
//! wrote lies in `tests/fixtures`.

mod ansv;
mod bad_input;
mod bench;
mod blur;
mod columnar;
mod convolve;
mod envelope;
mod formats;
mod fourier;
mod generate;
#[cfg(feature = "gpu")]
mod gpu;
mod hull;
mod in_order;
mod info;
#[cfg(unix)]
mod interrupt;
#[cfg(unix)]
mod large;
#[cfg(target_os = "linux")]
#[path = "../shared/limit.rs"]
mod limit;
#[cfg(target_os = "linux")]
mod limits;
mod matching;
#[cfg(target_os = "linux")]
mod memory;
mod path;
mod pipes;
mod rmq;
mod sandbox;
mod saved;
mod strangers;
mod sudoku;
mod tables;
mod text;
mod trees;
mod view;
mod window;
mod words;
