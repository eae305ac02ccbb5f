//! The conformance suites of transforms, convolutions and blurs.

pub mod blur;
pub mod convolution;
pub mod exact;
pub mod real;
pub mod transform;
