//! The thread pool.

use std::sync::Mutex;
use std::thread;

use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::memory;
use thalweg_cli::numbers::parse_count;
use thalweg_cli::openmp;

/// More threads than this, and than eight a core, are taken for a slip of the keyboard: thousands take minutes to start.
const MOST: usize = 256;

/// Parses `--threads`.
pub fn parse_threads(text: &str) -> Result<usize, String> {
    let most = MOST.max(8 * cores());
    match parse_count(text)? {
        n if (1..=most).contains(&n) => Ok(n),
        n => Err(format!("{n} threads: expected 1 to {most}")),
    }
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// What the environment asks for, in the variable that rayon reads.
fn from_environment() -> Outcome<Option<usize>> {
    const VARIABLE: &str = "RAYON_NUM_THREADS";
    match std::env::var(VARIABLE) {
        // 0 is rayon's word for the default.
        Ok(text) if !text.is_empty() && text != "0" => {
            parse_threads(&text).map(Some).map_err(|e| Failure::at(VARIABLE, e))
        }
        _ => Ok(None),
    }
}

/// Starts the pool that all parallel work runs on, and returns its size: as many threads as are asked for, or one per
/// logical core, or as many as the system allows.
///
/// Done explicitly, and after a look at what is allowed, because a pool that starts itself panics when the system
/// refuses a thread, and OpenMP ends the program.
pub fn start(threads: Option<usize>) -> Outcome<usize> {
    let wish = match threads {
        None => from_environment()?,
        some => some,
    };
    let wanted = wish.unwrap_or_else(cores);
    let threads = affordable(wanted);
    if wish.is_some() && threads < wanted {
        let text = format!("the system allows {threads} here (ulimit -u, ulimit -v)");
        return Err(Failure::at(format_args!("cannot start {wanted} threads"), text));
    }
    let mut pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    // One that works alone need not be started.
    if threads == 1 && possible(1, 0) == 0 {
        pool = pool.use_current_thread();
    }
    pool.build_global().map_err(|e| Failure::at("cannot start the threads", e))?;
    Ok(rayon::current_num_threads())
}

/// How many of `wanted` threads there can be, OpenMP's as well where they will be needed; 1 at least.
fn affordable(wanted: usize) -> usize {
    let others = openmp::threads_besides(wanted);
    let possible = possible(wanted, others);
    if possible == wanted + others {
        return wanted;
    }
    // As many of either kind, but for one: OpenMP works on the thread that calls it, too.
    if others == 0 { possible.max(1) } else { possible.div_ceil(2).max(1) }
}

/// How many threads the system lets us have at a time, up to `own` of ours and then OpenMP's. They are all started,
/// and ended when the last has been.
fn possible(own: usize, openmps: usize) -> usize {
    let gate = Mutex::new(());
    let running = thread_count();
    let started = thread::scope(|scope| {
        let closed = gate.lock();
        let start = |stack: Option<usize>| {
            let builder = stack.into_iter().fold(thread::Builder::new(), thread::Builder::stack_size);
            memory::has_room_for_thread(stack) && builder.spawn_scoped(scope, || drop(gate.lock())).is_ok()
        };
        let ours = (0..own).take_while(|_| start(None)).count();
        let stack = openmp::stack_bytes();
        let others = if ours == own { openmps } else { 0 };
        let started = ours + (0..others).take_while(|_| start(Some(stack))).count();
        drop(closed);
        started
    });
    // A thread counts for some microseconds after it has been waited for.
    for _ in 0..100 {
        if thread_count() <= running {
            break;
        }
        thread::sleep(std::time::Duration::from_micros(200));
    }
    started
}

/// Threads of this process, where the system says.
fn thread_count() -> Option<usize> {
    std::fs::read_dir("/proc/self/task").ok().map(Iterator::count)
}
