//! Thalweg's engines on any GPU: kernels in WGSL, run through [wgpu] on Vulkan, Metal or DirectX 12.
//!
//! [`Device::open`] takes an adapter, [`Device::upload`] makes a [`DeviceArray`] of a slice, and the problems' modules
//! work on such arrays without a round trip through the host. Where a slice is enough, the engines plug into the front
//! doors of the `thalweg` crate and answer exactly as the CPU engines do: bit for bit, the leftmost position on ties.
//!
//! Nothing here assumes a subgroup of 32 threads, or that workgroups make progress while others wait. Arrays larger than
//! one binding are spread over several buffers.
#![deny(unsafe_code)]
#![warn(missing_debug_implementations)]

mod adapter;
pub mod ansv;
mod array;
mod card;
mod cartesian;
mod coding;
mod device;
mod driver;
mod inlabel;
mod kernel;
pub mod list;
mod memory;
pub mod primitives;
mod recorder;
pub mod rmq;
mod stream;
#[doc(hidden)]
pub mod testing;
pub mod text;
mod transfer;
pub mod tree;

pub use adapter::{Adapter, Choice, Kind, adapters, automatic, diagnosis};
pub use array::DeviceArray;
pub use card::{Card, measure, warm_up};
pub use device::{Device, Limits, Options};
pub use recorder::Timing;
