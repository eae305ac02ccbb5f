//! `--memory`: work on files that are larger than memory, part by part, within a limit.
//!
//! What counts is what the process holds: memory that it allocates, and the pages of mapped files that it has touched and not
//! given back. What the system keeps of files besides is the system's, which takes it back when anybody needs it.

use crate::failure::{Failure, Outcome};
use crate::memory;
use crate::numbers::{parse_count, show_bytes};

/// How much memory a run may take
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct MemoryArgs {
    /// Take no more memory than this, such as 8Gi or 512M: files are read and written part by part, where they lie
    #[arg(long, value_name = "SIZE", value_parser = parse_count, help_heading = "Running")]
    memory: Option<usize>,
}

/// For stacks of threads, buffers of writers, and what the allocator keeps.
const BESIDES: usize = 24 << 20;
/// Less than this is no memory to work with.
const LEAST: usize = 16 << 20;

/// Memory that a run may take.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// All of it.
    pub limit: usize,
    /// What is left for the work.
    pub left: usize,
}

impl MemoryArgs {
    /// Whether there is a limit.
    pub fn is_limited(self) -> bool {
        self.memory.is_some()
    }

    /// The budget, if there is a limit: what the program itself takes is gone already.
    pub fn budget(self) -> Outcome<Option<Budget>> {
        let Some(limit) = self.memory else { return Ok(None) };
        let taken = memory::held().map_or(32 << 20, |bytes| bytes as usize) + BESIDES;
        match limit.checked_sub(taken).filter(|&left| left >= LEAST) {
            Some(left) => Ok(Some(Budget { limit, left })),
            None => {
                let [limit, least] = [limit, taken + LEAST].map(|bytes| show_bytes(bytes as u64));
                Err(Failure::at("--memory", format_args!("{limit} is too little, {least} are needed at least")))
            }
        }
    }
}

impl Budget {
    /// A failure if so many bytes are more than is left.
    pub fn require(&self, bytes: usize, what: &str) -> Outcome {
        if bytes <= self.left {
            return Ok(());
        }
        let [limit, needed] = [self.limit, bytes + self.limit - self.left].map(|bytes| show_bytes(bytes as u64));
        Err(Failure::at("--memory", format_args!("{limit} is too little: {what} takes {needed}")))
    }
}
