//! How long a device worked, by its own clock.

use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use thalweg_core::Result;

use super::context::Context;
use super::mapping::read_mapped;
use super::memory::Buffer;

/// How long the device worked, by its own clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// From the first command's start to the last one's end.
    pub device: Duration,
}

/// How long a list of commands took.
#[derive(Debug)]
pub(crate) enum Watched {
    /// By two readings of the device's clock, once the commands are done.
    Ticks(Buffer),
    /// As somebody has found out already.
    Time(Duration),
}

impl Watched {
    /// The time, once the commands are done.
    pub(crate) fn time(&self, device: &Context) -> Result<Duration> {
        match self {
            Self::Ticks(ticks) => between(device, ticks),
            Self::Time(time) => Ok(*time),
        }
    }
}

/// The time between two readings of the clock. The commands that wrote them must be done.
pub(crate) fn between(device: &Context, ticks: &Buffer) -> Result<Duration> {
    let mut read = [0u64; 2];
    read_mapped(device, ticks, 16, None, |bytes| bytemuck::cast_slice_mut(&mut read).copy_from_slice(bytes))?;
    let period = f64::from(device.queue.get_timestamp_period());
    Ok(Duration::from_nanos((read[1].wrapping_sub(read[0]) as f64 * period) as u64))
}

/// How long every list of commands took, while somebody wants to know.
#[derive(Debug, Default)]
pub(crate) struct Watch(Mutex<Option<Vec<Watched>>>);

impl Watch {
    fn lock(&self) -> MutexGuard<'_, Option<Vec<Watched>>> {
        self.0.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Whether somebody wants to know.
    pub(crate) fn runs(&self) -> bool {
        self.lock().is_some()
    }

    /// Starts a list of readings, or goes back to an earlier one. Returns the list until now.
    pub(crate) fn swap(&self, list: Option<Vec<Watched>>) -> Option<Vec<Watched>> {
        std::mem::replace(&mut *self.lock(), list)
    }

    /// Keeps a time, if somebody still wants it.
    pub(crate) fn note(&self, time: Watched) {
        if let Some(list) = &mut *self.lock() {
            list.push(time);
        }
    }
}
