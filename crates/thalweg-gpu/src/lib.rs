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

pub mod ansv;
mod cartesian;
#[cfg(feature = "fourier")]
pub mod fourier;
#[cfg(feature = "geometry")]
pub mod geometry;
#[cfg(feature = "graph")]
pub mod graph;
mod inlabel;
pub mod list;
pub mod primitives;
#[cfg(feature = "puzzle")]
pub mod puzzle;
pub mod rmq;
mod runtime;
pub mod testing;
pub mod text;
pub mod tree;
mod wgsl;
pub mod window;

use runtime::{array, bad_row, coding, device, kernel, memory, recorder, scene, stream, transfer};
use thalweg_core::Error;

pub use runtime::adapter::{Adapter, Choice, Kind, adapters, automatic, diagnosis};
pub use runtime::array::DeviceArray;
pub use runtime::bandwidth::{Card, measure, warm_up};
pub use runtime::clock::Timing;
pub use runtime::context::Options;
pub use runtime::device::Device;
pub use runtime::host_array::HostArray;
pub use runtime::kernel::KernelText;
pub use runtime::kernel_cache::{keep_in as keep_kernels_in, save as save_kernels};
pub use runtime::limits::Limits;
pub use runtime::phases::Phases;

/// The error for an engine that GPUs do not have; `known` names those that they have.
fn not_on_gpu(problem: &'static str, engine: &'static str, known: &str) -> Error {
    Error::NotOnDevice { problem, engine, reason: format!("GPUs have {known}; the CPU has '{engine}'") }
}
