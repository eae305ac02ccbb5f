//! Fourier transforms and convolutions on the device.
//!
//! | problem | what it finds | how |
//! |---|---|---|
//! | [`transform`] | complex and real transforms of any length, along axes | passes that fit a workgroup's memory; Bluestein |
//! | [`convolution`] | convolutions and correlations in one and two dimensions | transforms, a product, transforms back |

pub mod convolution;
pub mod transform;
