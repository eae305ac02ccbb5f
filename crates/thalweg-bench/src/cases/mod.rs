//! What engines are asked on whatever device, and the right answers.

pub mod changing;
pub mod fft;
pub mod hull;
pub mod in_order;
pub mod matching;
pub mod raster;
pub mod sudoku;
pub mod window;
