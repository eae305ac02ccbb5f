//! Answers of residues that were convolved elsewhere: on a device.
#![allow(unsafe_code)]

use super::Task;
use super::answers::Answers;
use super::garner::Garner;
use super::integer::{Kind, Numbers, Wide};
use super::plan::{Block, Plan};
use super::sink;
use crate::Result;

/// Takes the residues of a plan's blocks, one block after the other.
#[allow(missing_debug_implementations)]
pub struct Assembly<'a> {
    answers: Answers<'a>,
    plan: Plan,
    next: usize,
}

impl Assembly<'_> {
    /// The block whose residues are to be put next.
    pub fn next_block(&self) -> Option<Block> {
        (self.next < self.plan.blocks()).then(|| self.plan.block(self.next))
    }

    /// Takes the residues of the next block's answers, for every prime of [`Garner::primes`]; they are lost.
    ///
    /// # Panics
    /// If there is no such block, or not a residue for every answer and prime.
    pub fn put(&mut self, residues: &mut [&mut [u32]]) {
        let block = self.next_block().expect("one of the plan's blocks");
        // SAFETY: one block at a time, and each once.
        unsafe { self.answers.put(&block, residues, true) };
        self.next += 1;
    }
}

/// The answers of a task whose residues come from `run`, which puts all blocks of the plan.
///
/// # Errors
/// That of `run`; [`Error::Overflow`](crate::Error::Overflow); [`Error::OutOfMemory`](crate::Error::OutOfMemory).
///
/// # Panics
/// If `run` says that all is done, and there are blocks left.
pub fn assembled(
    task: &Task<'_>,
    plan: &Plan,
    garner: &Garner,
    kind: Kind,
    run: &mut dyn FnMut(&mut Assembly<'_>) -> Result<()>,
) -> Result<Numbers> {
    match kind {
        Kind::I64 => assembled_as::<i64>(task, plan, garner, run),
        Kind::U64 => assembled_as::<u64>(task, plan, garner, run),
        Kind::I128 => assembled_as::<i128>(task, plan, garner, run),
    }
}

fn assembled_as<R: Wide>(
    task: &Task<'_>,
    plan: &Plan,
    garner: &Garner,
    run: &mut dyn FnMut(&mut Assembly<'_>) -> Result<()>,
) -> Result<Numbers> {
    let [rows, columns] = task.problem.result_sizes();
    let fill = |sink: &dyn sink::Sink| {
        let answers = Answers::new(*plan, &task.problem, garner, &task.bound, sink);
        let mut assembly = Assembly { answers, plan: *plan, next: 0 };
        run(&mut assembly)?;
        assert!(assembly.next_block().is_none(), "a block was left out");
        Ok(())
    };
    // SAFETY: all blocks have been put.
    Ok(R::numbers(unsafe { sink::filled::<R>(rows * columns, fill) }?))
}
