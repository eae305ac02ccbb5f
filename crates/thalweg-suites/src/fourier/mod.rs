//! The conformance suites of convolutions and blurs.

pub mod blur;
pub mod convolution;
