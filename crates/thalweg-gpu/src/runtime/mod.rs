//! What the problems' engines stand on: devices, their memory, kernels, lists of commands and copies.
//!
//! Every file knows only those before it:
//!
//! - [`limits`]: what an adapter can hold and do; [`driver`] and [`adapter`]: the adapters of this machine.
//! - [`pool`] and [`context`]: an open device as the driver sees it, its spare buffers, and whether it has failed.
//! - [`memory`]: buffers, and how kernels see them; [`mapping`]: buffers seen by the host.
//! - [`coding`]: keys as words; [`kernel`]: kernels put together and compiled.
//! - [`clock`] and [`recorder`]: lists of commands and how long they took.
//! - [`device`]: all of this in one handle.
//! - [`transfer`], [`stream`] and [`array`]: data between host and device, and arrays on it.
//! - [`bandwidth`]: what a device's memory can do.

pub(crate) mod adapter;
pub(crate) mod array;
pub(crate) mod bandwidth;
pub(crate) mod clock;
pub(crate) mod coding;
pub(crate) mod context;
pub(crate) mod device;
mod driver;
pub(crate) mod kernel;
pub(crate) mod limits;
mod mapping;
pub(crate) mod memory;
mod pool;
pub(crate) mod recorder;
pub(crate) mod stream;
#[cfg(test)]
mod tests;
pub(crate) mod transfer;
