//! How much memory the work takes, told before it begins: better a line at once than an end after minutes.
//!
//! Bounds from above for the CPU, beside what has been read already. Those of trees are measured: peaks of the process at 2^20
//! and 2^22 nodes, `--no-verify --threads 2`, in bytes a node with 32-bit numbers, were 36 for `forest` with everything (44 with
//! the engine pointer_jumping), 20 for roots and depths, 70 for `lca` (59 with euler_rmq), 54 to 62 for `subtree --what sum`, 36 for
//! `min`, 12 for `cartesian`. The tests measure them again.

use thalweg::Position;
use thalweg::rmq::Engine;
use thalweg_cli::device::DeviceArgs;
use thalweg_cli::failure::Outcome;
use thalweg_cli::memory;
use thalweg_cli::numbers::Bytes;

use super::Run;

impl Run {
    /// Fails if there is less memory than the work takes; what is done on a GPU takes the GPU's.
    pub fn require(&self, bytes: usize, what: &str, device: Option<&DeviceArgs>) -> Outcome {
        if device.is_some_and(DeviceArgs::is_gpu) {
            return Ok(());
        }
        match memory::available() {
            Some(free) => {
                self.progress.say(format_args!("memory: at most {}, of {}", Bytes(bytes as u64), Bytes(free)))
            }
            None => self.progress.say(format_args!("memory: at most {}", Bytes(bytes as u64))),
        }
        memory::require(bytes, what)
    }
}

/// An index for range minima.
pub fn rmq(engine: Option<Engine>, len: usize) -> usize {
    let position = if u32::fits(len) { 4 } else { 8 };
    let each = match engine {
        Some(Engine::SparseTable | Engine::PrefixSuffixTree) => position * len.max(2).ilog2() as usize + 1,
        Some(Engine::Inlabel) => 10 * position,
        // A few bits an element, and a few more while it is built.
        _ => 1,
    };
    len.saturating_mul(each)
}

/// Roots and depths of a forest, or sizes and numbers in both orders besides.
pub fn forest<P: Position>(nodes: usize, with_tour: bool) -> usize {
    numbers::<P>(nodes, if with_tour { 12 } else { 5 })
}

/// An index for lowest common ancestors, and the depths.
pub fn lca<P: Position>(nodes: usize) -> usize {
    numbers::<P>(nodes, 18)
}

/// A tour and what is asked of its subtrees.
pub fn subtree<P: Position>(nodes: usize) -> usize {
    numbers::<P>(nodes, 16)
}

/// A Cartesian tree.
pub fn cartesian(len: usize) -> usize {
    if u32::fits(len) { numbers::<u32>(len, 3) } else { numbers::<u64>(len, 3) }
}

fn numbers<P: Position>(len: usize, each: usize) -> usize {
    len.saturating_mul(size_of::<P>() * each)
}
