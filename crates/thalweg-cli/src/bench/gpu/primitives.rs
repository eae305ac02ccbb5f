//! `thalweg bench primitives --device gpu`.

use rayon::prelude::*;
use thalweg::{Key, Order};
use thalweg_gpu::primitives::Op as Combine;
use thalweg_gpu::primitives::tuning;
use thalweg_gpu::{DeviceArray, Timing};

use super::super::report::{Adapter, Row};
use super::super::table::{self, Table};
use super::super::{Bench, Case, Common, check, drive, timed_types};
use super::{Gpu, race, row};
use crate::failure::Outcome;
use crate::memory;

/// Runs the benchmark.
pub fn run(common: &Common) -> Outcome {
    drive(&GpuPrimitives { gpu: Gpu::open(&common.device)? }, common)
}

struct GpuPrimitives {
    gpu: Gpu,
}

/// What is timed, the bytes that it moves at least, and how it is checked.
struct Task<'t, K: Key> {
    name: &'static str,
    bytes: usize,
    run: Box<dyn FnMut() -> Outcome<Timing> + 't>,
    check: Box<dyn FnMut(&str) -> Outcome + 't>,
    key: std::marker::PhantomData<K>,
}
