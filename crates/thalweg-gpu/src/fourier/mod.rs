//! Fourier transforms on the device.
//!
//! | problem | what it finds | how |
//! |---|---|---|
//! | [`transform`] | complex and real transforms of any length, along axes | passes that fit a workgroup's memory; Bluestein |

pub mod transform;
