//! Where work runs: on threads of our own, with the interpreter let go, and so that Ctrl-C ends it.
//!
//! The pool belongs to the process that made it. After `os.fork()` the child has none of the parent's threads, and a call
//! into its pool would wait for ever; so the child makes a new one. OpenMP, which sorts suffixes, does not survive a fork
//! at all: such work gets one thread in a child ([`Threads::OneAfterFork`]). Nor do drivers of GPUs ([`is_forked`]).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use pyo3::sync::{MutexExt, PyOnceLock};
use rayon::{ThreadPool, ThreadPoolBuilder};
use thalweg::Result;

use crate::errors::{bad_input, internal, to_python};

/// How often a call that works looks for signals.
const LOOK: Duration = Duration::from_millis(50);
/// How long a call that was interrupted waits for its work to notice.
const PATIENCE: Duration = Duration::from_millis(500);
/// More threads than any machine has use for.
const MOST_THREADS: usize = 1024;

/// The pool, and the process it is of.
struct Pool {
    process: u32,
    /// Threads that were asked for; 0 for one a core, or as many as `RAYON_NUM_THREADS` says.
    asked: usize,
    threads: Option<Arc<ThreadPool>>,
}

// Only ever locked by who is attached to the interpreter, and never while waiting: so it is free when the interpreter forks.
static POOL: Mutex<Pool> = Mutex::new(Pool { process: 0, asked: 0, threads: None });
/// The process that has imported the module.
static IMPORTED_BY: PyOnceLock<u32> = PyOnceLock::new();

/// To be called when the module is imported.
pub fn imported(py: Python<'_>) {
    IMPORTED_BY.get_or_init(py, std::process::id);
}

/// Whether this is a child of the process that imported the module, made by `os.fork()`.
pub fn is_forked(py: Python<'_>) -> bool {
    IMPORTED_BY.get(py).is_some_and(|&process| process != std::process::id())
}

fn build(threads: usize) -> PyResult<Arc<ThreadPool>> {
    let named = |i| format!("thalweg-{i}");
    let pool = ThreadPoolBuilder::new().num_threads(threads).thread_name(named).build();
    pool.map(Arc::new).map_err(|error| bad_input(format!("threads: {error}")))
}

/// What is this process's: nothing yet, after a fork.
fn own(py: Python<'_>) -> MutexGuard<'static, Pool> {
    let mut pool = POOL.lock_py_attached(py).unwrap_or_else(|e| e.into_inner());
    if pool.process != std::process::id() {
        // Not dropped: that would wake threads which do not exist here.
        std::mem::forget(pool.threads.take());
        pool.process = std::process::id();
    }
    pool
}

fn pool(py: Python<'_>) -> PyResult<Arc<ThreadPool>> {
    let mut pool = own(py);
    if let Some(threads) = &pool.threads {
        return Ok(threads.clone());
    }
    let threads = build(pool.asked)?;
    pool.threads = Some(threads.clone());
    Ok(threads)
}

/// Leaves the pool to whatever runs on it; the next call makes a new one.
fn abandon(py: Python<'_>) {
    own(py).threads = None;
}

/// Sets the number of threads that calls use.
///
/// Args:
///     n: How many; `None` for one a core, or what the variable `RAYON_NUM_THREADS` says.
///
/// >>> import thalweg
/// >>> thalweg.set_threads(1)
/// >>> thalweg.info()["threads"]
/// 1
/// >>> thalweg.set_threads(None)
#[pyfunction]
pub fn set_threads(py: Python<'_>, n: Option<usize>) -> PyResult<()> {
    let asked = match n {
        Some(n) if n == 0 || n > MOST_THREADS => {
            return Err(bad_input(format!("threads: {n} is not between 1 and {MOST_THREADS}")));
        }
        n => n.unwrap_or(0),
    };
    let mut pool = own(py);
    (pool.asked, pool.threads) = (asked, None);
    Ok(())
}

/// How many threads calls use.
pub fn threads(py: Python<'_>) -> PyResult<usize> {
    Ok(pool(py)?.current_num_threads())
}

/// Which threads a piece of work may have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Threads {
    /// All of the pool.
    All,
    /// All of the pool, but a single one in a process that was forked: what calls OpenMP.
    OneAfterFork,
}

/// Tells work that nobody waits for it any more.
#[derive(Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Whether it may end.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Runs work on the pool while others may use the interpreter. Ctrl-C ends the call: the work, if it looks at [`Stop`],
/// and otherwise it is left to run to its end with nobody waiting, on threads that are then given up. Therefore it owns
/// what it works on.
pub fn call<T: Send + 'static>(
    py: Python<'_>,
    threads: Threads,
    work: impl FnOnce(&Stop) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    start(py, threads, true, work)
}

/// The same for work that writes into arrays of the caller: an interrupted call waits until it has ended. It should look
/// at [`Stop`].
pub fn call_to_the_end<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&Stop) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    start(py, Threads::All, false, work)
}

fn start<T: Send + 'static>(
    py: Python<'_>,
    threads: Threads,
    may_leave: bool,
    work: impl FnOnce(&Stop) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    let pool = if threads == Threads::OneAfterFork && is_forked(py) { build(1)? } else { pool(py)? };
    let stop = Stop::default();
    let (tell, told) = channel();
    let seen = stop.clone();
    pool.spawn(move || {
        let done = catch_unwind(AssertUnwindSafe(|| work(&seen)));
        let _ = tell.send(done);
    });
    let told = Mutex::new(told); // which may be borrowed while the interpreter is let go; a receiver itself may not
    let wait = || told.lock().unwrap_or_else(|e| e.into_inner()).recv_timeout(LOOK);
    let mut interrupted: Option<(PyErr, Instant)> = None;
    loop {
        match (py.detach(wait), &interrupted) {
            (Ok(Ok(result)), None) => return result.map_err(to_python),
            (Ok(Err(panic)), None) => return Err(internal(&message_of(&*panic))),
            (Err(RecvTimeoutError::Disconnected), None) => return Err(internal("a thread has ended")),
            (Err(RecvTimeoutError::Timeout), None) => {
                if let Err(error) = py.check_signals() {
                    stop.0.store(true, Ordering::Relaxed);
                    interrupted = Some((error, Instant::now()));
                }
            }
            (Err(RecvTimeoutError::Timeout), Some((_, since))) if !may_leave || since.elapsed() < PATIENCE => {}
            (answer, Some((error, _))) => {
                if matches!(answer, Err(RecvTimeoutError::Timeout)) {
                    abandon(py);
                }
                return Err(error.clone_ref(py));
            }
        }
    }
}

/// What a panic said.
fn message_of(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic".to_owned())
}
