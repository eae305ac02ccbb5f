//! What engines are asked on whatever device, and the right answers.

pub mod fft;
pub mod hull;
pub mod matching;
pub mod raster;
pub mod sudoku;
pub mod window;
