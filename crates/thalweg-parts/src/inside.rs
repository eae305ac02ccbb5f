//! Ranks that are threads of this process: for tests, and to try things without a transport.
//!
//! ```
//! use thalweg_parts::{Ranks, inside, ranks::gather_one};
//! let sums = inside::run(3, usize::MAX, |ranks| {
//!     gather_one(ranks, ranks.rank() as u64).map(|all| all.iter().sum::<u64>())
//! });
//! assert_eq!(sums, [Ok(3), Ok(3), Ok(3)]);
//! ```

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::Ranks;
use thalweg_core::{Error, Result};

/// Runs `work` as `size` ranks, a thread each, whose messages have at most `limit` bytes. What each returns, in order.
///
/// # Panics
/// If a rank does, when all have ended: the others are told that it left.
pub fn run<T: Send>(size: usize, limit: usize, work: impl Fn(&dyn Ranks) -> T + Sync) -> Vec<T> {
    let shared = Shared {
        state: Mutex::new(State { slots: vec![Vec::new(); size * size], arrived: 0, round: 0, left: None }),
        changed: Condvar::new(),
        size,
        limit,
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..size)
            .map(|rank| {
                let (shared, work) = (&shared, &work);
                scope.spawn(move || {
                    let own = Inside { shared, rank };
                    work(&own)
                })
            })
            .collect();
        let ended: Vec<_> = threads.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
        ended.into_iter().map(|result| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    })
}

struct State {
    /// The message from `a` to `b` is slot `a * size + b`.
    slots: Vec<Vec<u8>>,
    arrived: usize,
    round: u64,
    /// A rank that has ended.
    left: Option<usize>,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    size: usize,
    limit: usize,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until all ranks are here.
    fn meet(&self) -> Result<()> {
        let mut state = self.state();
        state.arrived += 1;
        if state.arrived == self.size {
            state.arrived = 0;
            state.round += 1;
            self.changed.notify_all();
            return Ok(());
        }
        let round = state.round;
        while state.round == round {
            if let Some(left) = state.left {
                return Err(Error::Library {
                    library: "ranks",
                    reason: format!("rank {left} left the others waiting"),
                });
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        Ok(())
    }
}

struct Inside<'s> {
    shared: &'s Shared,
    rank: usize,
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.shared.state().left.get_or_insert(self.rank);
        self.shared.changed.notify_all();
    }
}

impl Ranks for Inside<'_> {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.shared.size
    }

    fn limit(&self) -> usize {
        self.shared.limit
    }

    fn round(&self, out: &[&[u8]], into: &mut [&mut [u8]]) -> Result<()> {
        let size = self.shared.size;
        assert!(out.len() == size && into.len() == size, "a message for each rank");
        assert!(
            out.iter().all(|message| message.len() <= self.shared.limit),
            "messages have at most the limit's bytes"
        );
        for (to, message) in out.iter().enumerate() {
            let copy = message.to_vec();
            self.shared.state().slots[self.rank * size + to] = copy;
        }
        self.shared.meet()?;
        for (from, room) in into.iter_mut().enumerate() {
            let message = std::mem::take(&mut self.shared.state().slots[from * size + self.rank]);
            assert_eq!(message.len(), room.len(), "rank {from} sends {} what it expects", self.rank);
            room.copy_from_slice(&message);
        }
        self.shared.meet()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranks::{agree, exchange, smallest};

    #[test]
    fn messages_of_any_length_arrive_in_rounds_of_the_limit() {
        for size in [1, 2, 3, 7] {
            for limit in [1, 10, 1000, usize::MAX] {
                let text = |from: usize, to: usize| vec![(16 * from + to) as u8; 13 * from + 40 * to];
                let done = run(size, limit, |ranks| {
                    let got = exchange(ranks, &(0..size).map(|to| text(ranks.rank(), to)).collect::<Vec<_>>())?;
                    assert!(got.iter().enumerate().all(|(from, message)| *message == text(from, ranks.rank())));
                    Ok::<_, Error>(())
                });
                assert!(done.into_iter().all(|done| done.is_ok()));
            }
        }
    }

    #[test]
    fn a_rank_that_leaves_does_not_leave_others_waiting() {
        let ended = run(4, 100, |ranks| match ranks.rank() {
            2 => Ok(None),
            _ => smallest(ranks, Some(1)),
        });
        assert_eq!(ended[2], Ok(None));
        for rank in [0, 1, 3] {
            assert!(matches!(&ended[rank], Err(Error::Library { reason, .. }) if reason.contains("rank 2")));
        }
    }

    #[test]
    fn all_agree_on_the_lowest_failure() {
        let ended = run(3, 1000, |ranks| {
            let own = match ranks.rank() {
                0 => Ok(()),
                rank => Err(Error::Node { row: rank, node: 7, len: 5 }),
            };
            agree(ranks, own).map_err(|error| error.to_string())
        });
        assert!(
            ended
                .iter()
                .all(|ended| ended.as_ref().is_err_and(|text| text.ends_with("query 1: there is no node 7, only 5")))
        );
    }
}
