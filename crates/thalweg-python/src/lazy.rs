//! What is made when it is first asked for, once, whoever asks.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use pyo3::prelude::*;

/// How often a call looks whether another has made it.
const LOOK: Duration = Duration::from_millis(1);
/// Nobody's process.
const NOBODY: u32 = 0;

/// A value that is made when it is first asked for.
///
/// Who finds another at work waits for its value. Not by a lock: a child that was forked meanwhile would find that locked
/// for ever, and a thread of the pool that waits might be the one that is waited for. So makers leave the number of
/// their process, and only callers wait, with the interpreter let go.
pub struct Lazy<T> {
    value: OnceLock<T>,
    maker: AtomicU32,
}

impl<T> Default for Lazy<T> {
    fn default() -> Self {
        Self { value: OnceLock::new(), maker: AtomicU32::new(NOBODY) }
    }
}

/// Lets others try, whatever has happened.
struct Making<'a>(&'a AtomicU32);

impl Drop for Making<'_> {
    fn drop(&mut self) {
        self.0.store(NOBODY, Ordering::Release);
    }
}

impl<T> Lazy<T> {
    /// The value, if it has been made.
    pub fn get(&self) -> Option<&T> {
        self.value.get()
    }

    /// The value, made now if it has not been. Errors are not kept: the next one tries again.
    pub fn get_or_make(&self, py: Python<'_>, make: impl FnOnce() -> PyResult<T>) -> PyResult<&T>
    where
        T: Sync,
    {
        let process = std::process::id();
        loop {
            if let Some(value) = self.value.get() {
                return Ok(value);
            }
            let maker = self.maker.load(Ordering::Acquire);
            if maker == process {
                py.check_signals()?;
                py.detach(|| std::thread::sleep(LOOK));
            } else if self.maker.compare_exchange(maker, process, Ordering::AcqRel, Ordering::Acquire).is_ok() {
                break;
            }
        }
        let _making = Making(&self.maker);
        if self.value.get().is_none() {
            let _ = self.value.set(make()?);
        }
        Ok(self.value.get().expect("it has been made"))
    }
}
