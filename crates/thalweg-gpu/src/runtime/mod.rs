//! What the problems' engines stand on: devices, their memory, kernels, lists of commands and copies.
//!
//! Every file knows only those before it:
//!
//! - [`limits`]: what an adapter can hold and do; [`driver`] and [`adapter`]: the adapters of this machine.
//! - [`phases`]: where the time goes; [`copying`], `vulkan`, `imported` and [`host_memory`]: memory of the host, and what the device sees of it.
//! - [`pool`], [`kernel_cache`] and [`context`]: an open device as the driver sees it, its spare buffers, compiled kernels
//!   that are kept, and whether it has failed.
//! - [`memory`]: buffers, and how kernels see them; [`pinned`]: those that are arrays of the host; [`mapping`]: buffers seen by the host.
//! - [`coding`]: keys as words; [`kernel`]: kernels put together and compiled.
//! - [`clock`], [`scene`] and [`recorder`]: lists of commands, how long they took, and triangles for rays.
//! - [`device`]: all of this in one handle.
//! - [`transfer`], [`stream`], [`bad_row`], [`host_array`] and [`array`]: data between host and device, and arrays of either.
//! - [`bandwidth`]: what a device's memory can do.

pub(crate) mod adapter;
pub(crate) mod array;
pub(crate) mod bad_row;
pub(crate) mod bandwidth;
pub(crate) mod clock;
pub(crate) mod coding;
pub(crate) mod context;
mod copying;
pub(crate) mod device;
mod driver;
pub(crate) mod host_array;
mod host_memory;
#[cfg(any(target_os = "linux", target_os = "android", windows))]
mod imported;
pub(crate) mod kernel;
pub(crate) mod kernel_cache;
pub(crate) mod limits;
mod mapping;
pub(crate) mod memory;
pub(crate) mod phases;
mod pinned;
mod pool;
pub(crate) mod recorder;
pub(crate) mod scene;
pub(crate) mod stream;
#[cfg(test)]
mod tests;
pub(crate) mod transfer;
#[cfg(any(target_os = "linux", target_os = "android", windows))]
mod vulkan;
mod widths;
