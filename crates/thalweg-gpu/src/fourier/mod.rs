//! Fourier transforms and convolutions on the device.
//!
//! | problem | what it finds | how |
//! |---|---|---|
//! | [`exact`] | convolutions of integers | transforms modulo primes in passes that fit a workgroup's memory |
//! | [`transform`] | complex and real transforms of any length, along axes | passes that fit a workgroup's memory; Bluestein |
//! | [`convolution`] | convolutions and correlations in one and two dimensions | transforms, a product, transforms back |

pub mod convolution;
pub mod exact;
pub mod transform;
