//! Where the time of a device's owner goes.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long the host was at what, since the device was opened: for those who ask where the time went. Phases exclude each
/// other; what several threads do at once counts as often.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Phases {
    /// Finding the adapter and opening the device.
    pub opening: Duration,
    /// Making kernels of their text.
    pub compiling: Duration,
    /// Taking memory from the driver.
    pub allocating: Duration,
    /// Copying to the device.
    pub up: Duration,
    /// Waiting for kernels.
    pub kernels: Duration,
    /// Copying from the device.
    pub down: Duration,
    /// Batches that go up, are answered and come back in pieces, all at once.
    pub streaming: Duration,
}

impl Phases {
    /// All of them under their names, in the order in which they come.
    pub fn named(&self) -> [(&'static str, Duration); 7] {
        [
            ("opening", self.opening),
            ("compiling", self.compiling),
            ("allocating", self.allocating),
            ("up", self.up),
            ("kernels", self.kernels),
            ("down", self.down),
            ("streaming", self.streaming),
        ]
    }
}

/// What the host is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Opening,
    Compiling,
    Allocating,
    Up,
    Kernels,
    Down,
    Streaming,
}

/// Nanoseconds by phase.
#[derive(Debug, Default)]
pub(crate) struct Tally([AtomicU64; 7]);

thread_local! {
    /// The phase that this thread is in, and since when.
    static NOW: Cell<Option<(Phase, Instant)>> = const { Cell::new(None) };
}

/// A phase that ends when this is dropped. The phase that it began in goes on then.
#[derive(Debug)]
pub(crate) struct Entered<'t> {
    tally: &'t Tally,
    outer: Option<Phase>,
}

impl Tally {
    /// Begins a phase on this thread.
    pub(crate) fn enter(&self, phase: Phase) -> Entered<'_> {
        Entered { tally: self, outer: self.switch(Some(phase)) }
    }

    /// Counts time that was measured elsewhere.
    pub(crate) fn add(&self, phase: Phase, time: Duration) {
        self.0[phase as usize].fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
    }

    /// Ends the phase of this thread and begins another: the one that ended.
    fn switch(&self, next: Option<Phase>) -> Option<Phase> {
        let now = Instant::now();
        let ended = NOW.replace(next.map(|phase| (phase, now)));
        ended.map(|(phase, since)| {
            self.add(phase, now - since);
            phase
        })
    }

    pub(crate) fn read(&self) -> Phases {
        let time = |phase: Phase| Duration::from_nanos(self.0[phase as usize].load(Ordering::Relaxed));
        Phases {
            opening: time(Phase::Opening),
            compiling: time(Phase::Compiling),
            allocating: time(Phase::Allocating),
            up: time(Phase::Up),
            kernels: time(Phase::Kernels),
            down: time(Phase::Down),
            streaming: time(Phase::Streaming),
        }
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        self.tally.switch(self.outer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inner_phase_is_not_counted_twice() {
        let tally = Tally::default();
        let nap = Duration::from_millis(30);
        let start = Instant::now();
        let up = tally.enter(Phase::Up);
        std::thread::sleep(nap);
        {
            let _inner = tally.enter(Phase::Allocating);
            std::thread::sleep(nap);
        }
        std::thread::sleep(nap);
        drop(up);
        let all = start.elapsed();
        std::thread::sleep(nap);
        tally.add(Phase::Opening, nap);
        let phases = tally.read();
        assert!(phases.up >= 2 * nap && phases.allocating >= nap && phases.opening == nap, "{phases:?}");
        assert!(phases.up + phases.allocating <= all, "{phases:?} in {all:?}");
        assert_eq!(phases.down, Duration::ZERO);
    }
}
