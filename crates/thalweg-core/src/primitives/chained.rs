//! The skeleton of the single-pass primitives: a chain of blocks.
//!
//! A scan or a compaction must know, for every block, what came before it. The textbook reads the array twice: once
//! for the blocks' totals, once for the answers. Here every thread claims the next block in order, reads it (now it
//! lies in the cache), waits until the previous block has handed over its carry, hands over its own and only then
//! finishes the block from the cache. Main memory is read once and written once.
//!
//! - **No deadlock**: blocks are claimed in order by tasks that already run, so the first unfinished block never waits.
//!   (That is why the caller's closures must not wait for other tasks of the pool: a thread that waits inside rayon
//!   may pick up a task of the same chain.)
//! - **Same results on any number of threads**: the cut into blocks depends on the length only, and carries are
//!   combined from left to right.
//! - **A panic ends the chain**: it marks the chain as broken, the waiting threads leave, the caller gets the panic.
//!
//! The idea is that of single-pass scans on GPUs (StreamScan, Yan et al. 2013; decoupled look-back, Merrill and
//! Garland 2016); with a few threads the plain chain is enough, because handing over a carry takes some hundred
//! nanoseconds and a block some ten microseconds.
#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Bytes of a block: its input and its output lie in the second-level cache together.
const BLOCK_BYTES: usize = 128 << 10;

/// Waits of this many steps are spun, longer ones give the processor away: the block's owner may need it.
const SPINS: u32 = 200;

/// Elements of a block whose input elements have `bytes` bytes each. Depends on nothing else, so results do not either.
pub(super) const fn block_len(bytes: usize) -> usize {
    let len = BLOCK_BYTES / if bytes == 0 { 1 } else { bytes };
    // Huge elements still come in groups: a hand-over has its price.
    if len < 256 { 256 } else { len }
}

/// How many threads a chain of `blocks` blocks can use.
pub(super) fn workers(blocks: usize) -> usize {
    rayon::current_num_threads().min(blocks).max(1)
}

/// Runs `work` for all of `0..tasks`, one thread per entry of `scratch`; each claims the next when it is free.
pub(super) fn claimed<S: Send>(scratch: &mut [S], tasks: usize, work: impl Fn(&mut S, usize) + Sync) {
    let next = AtomicUsize::new(0);
    on_each(scratch, |scratch| {
        loop {
            let task = next.fetch_add(1, Ordering::Relaxed);
            if task >= tasks {
                break;
            }
            work(scratch, task);
        }
    });
    assert!(next.into_inner() >= tasks, "somebody must do the work");
}

/// Runs `work` once for every entry of `scratch`, at the same time.
fn on_each<S: Send>(scratch: &mut [S], work: impl Fn(&mut S) + Sync) {
    let threads = scratch.len();
    let scratch = Mutex::new(scratch.iter_mut());
    on_threads(threads, &|| {
        // Released before the work begins; poisoned only if somebody panicked between two calls of `next`.
        let own = scratch.lock().unwrap_or_else(PoisonError::into_inner).next();
        if let Some(own) = own {
            work(own);
        }
    });
}

/// Runs `work` as `threads` tasks, one of them on this thread.
fn on_threads(threads: usize, work: &(dyn Fn() + Sync)) {
    if threads <= 1 {
        return work();
    }
    // `dyn`: rayon's machinery is compiled once, not for every caller's types.
    rayon::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|_| work());
        }
        work();
    });
}

/// Runs the chain, one task per entry of `scratch`, and returns the last carry.
///
/// For every block `i`: `load` reads it, `link` turns the carry before it into the carry after it (in order, one block
/// at a time), `finish` gets the carry before it. Loads and finishes of different blocks run at the same time, but
/// when block `i` is finished, all blocks up to `i` have been loaded.
pub(super) fn chained<S: Send, L, C: Copy + Send>(
    scratch: &mut [S],
    blocks: usize,
    first: C,
    load: impl Fn(&mut S, usize) -> L + Sync,
    link: impl Fn(C, &L) -> C + Sync,
    finish: impl Fn(&mut S, usize, L, C) + Sync,
) -> C {
    let chain = Chain {
        next: AtomicUsize::new(0),
        turn: Padded(AtomicUsize::new(0)),
        broken: AtomicBool::new(false),
        carry: UnsafeCell::new(first),
    };
    let work = |scratch: &mut S| {
        let alarm = BreakOnPanic(&chain.broken);
        loop {
            let block = chain.next.fetch_add(1, Ordering::Relaxed);
            if block >= blocks {
                break;
            }
            let loaded = load(scratch, block);
            let Some(before) = chain.hand_over(block, |carry| link(carry, &loaded)) else { break };
            finish(scratch, block, loaded, before);
        }
        std::mem::forget(alarm);
    };
    on_each(scratch, work);
    assert!(chain.next.into_inner() >= blocks, "somebody must do the work");
    chain.carry.into_inner()
}

/// A queue for the carry: block `i` may touch it when `turn` is `i`.
struct Chain<C> {
    next: AtomicUsize,
    turn: Padded<AtomicUsize>,
    broken: AtomicBool,
    carry: UnsafeCell<C>,
}

/// Alone on its cache lines: waiting threads read it all the time, and claims must not disturb them.
#[repr(align(128))]
struct Padded<T>(T);

// SAFETY: `carry` is touched only by the owner of the block whose turn it is, and turns are passed on with
// release and acquire.
unsafe impl<C: Send> Sync for Chain<C> {}

impl<C: Copy> Chain<C> {
    /// Waits for `block`'s turn, replaces the carry and passes the turn on. Returns the carry from before, or `None`
    /// if the chain is broken.
    fn hand_over(&self, block: usize, link: impl FnOnce(C) -> C) -> Option<C> {
        let mut spins = 0;
        while self.turn.0.load(Ordering::Acquire) != block {
            if self.broken.load(Ordering::Relaxed) {
                return None;
            }
            if spins < SPINS {
                spins += 1;
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
        // SAFETY: it is this block's turn, and only its owner gets here.
        let before = unsafe { *self.carry.get() };
        let after = link(before);
        // SAFETY: as above.
        unsafe { *self.carry.get() = after };
        self.turn.0.store(block + 1, Ordering::Release);
        Some(before)
    }
}

/// Marks the chain as broken when it is dropped by a panic; the worker forgets it when it leaves in order.
struct BreakOnPanic<'c>(&'c AtomicBool);

impl Drop for BreakOnPanic<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carries_arrive_in_order() {
        let seen: Vec<AtomicUsize> = (0..1000).map(|_| AtomicUsize::new(usize::MAX)).collect();
        let total = chained(
            &mut [(); 8],
            seen.len(),
            0,
            |_, block| block,
            |carry, &block| carry + block,
            |_, block, _, carry| seen[block].store(carry, Ordering::Relaxed),
        );
        assert_eq!(total, 999 * 1000 / 2);
        assert!(seen.iter().enumerate().all(|(i, sum)| sum.load(Ordering::Relaxed) == i * i.saturating_sub(1) / 2));
    }
}
