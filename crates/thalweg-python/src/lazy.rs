//! What is made when it is first asked for, once.

use std::sync::{Mutex, OnceLock};
use std::thread::ThreadId;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::sync::MutexExt;

/// How often somebody looks whether another thread has made it.
const LOOK: Duration = Duration::from_millis(1);

/// Something that is made once. Other threads wait meanwhile, with the interpreter let go.
///
/// No lock is held while it is made: the process may be forked then, and a handler of a signal may ask for the same. A
/// child makes it anew, and so does such a handler.
pub struct Lazy<T> {
    made: OnceLock<T>,
    maker: Mutex<Option<(u32, ThreadId)>>,
}

impl<T> Default for Lazy<T> {
    fn default() -> Self {
        Self { made: OnceLock::new(), maker: Mutex::new(None) }
    }
}

impl<T> Lazy<T> {
    /// What was made, if it was.
    pub fn made(&self) -> Option<&T> {
        self.made.get()
    }

    /// Something that is there already. The first one stays.
    pub fn put(&self, value: T) {
        _ = self.made.set(value);
    }

    /// What was made; or makes it. An error is told to who asked, and the next one may try again.
    pub fn get(&self, py: Python<'_>, make: impl FnOnce() -> PyResult<T>) -> PyResult<&T> {
        loop {
            if let Some(made) = self.made.get() {
                return Ok(made);
            }
            if self.claim(py) {
                break;
            }
            py.detach(|| std::thread::sleep(LOOK));
            py.check_signals()?;
        }
        let made = make();
        *self.maker.lock_py_attached(py).unwrap_or_else(|e| e.into_inner()) = None;
        let made = made?;
        Ok(self.made.get_or_init(|| made))
    }

    /// Becomes its maker, unless another thread of this process is.
    fn claim(&self, py: Python<'_>) -> bool {
        let me = (std::process::id(), std::thread::current().id());
        let mut maker = self.maker.lock_py_attached(py).unwrap_or_else(|e| e.into_inner());
        let free = maker.is_none_or(|(process, thread)| process != me.0 || thread == me.1);
        if free {
            *maker = Some(me);
        }
        free
    }
}
