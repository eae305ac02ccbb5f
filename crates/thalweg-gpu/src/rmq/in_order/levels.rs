//! Layers of minima over an array, each of 32 of the one below.

use thalweg_core::{Error, Result};

use super::super::batch::PACKS;
use crate::array::Keys;
use crate::coding::KeyCode;
use crate::kernel::Source;

/// Children of a node: the bits of a word.
pub(super) const FAN: u64 = 32;
/// Threads of the kernels that build. Not measured.
const THREADS: u32 = 256;
/// Layers at most: the first has fewer than 2^29 nodes.
pub(super) const MOST: usize = 7;

/// Minima of 32 elements, of 32 of those and so on, up to a single one: a 31st of the array, as ranks.
#[derive(Debug)]
pub(in crate::rmq) struct Levels {
    /// All layers, the lowest first, each filled up to whole nodes of the next one with the worst rank.
    minima: Keys,
    /// Where they begin.
    starts: Vec<u64>,
}

impl Levels {
    pub(in crate::rmq) fn new(values: &Keys, coding: KeyCode) -> Result<Self> {
        let device = values.device();
        let (len, pack) = (values.len(), u64::from(4 / coding.words));
        if len / pack >= u64::from(u32::MAX) {
            return Err(Error::device_limit(format!("rmq: {len} elements are more than the layers number")));
        }
        let (mut starts, mut sizes, mut all, mut nodes) = (Vec::new(), Vec::new(), 0, len);
        while starts.is_empty() || nodes > 1 {
            nodes = nodes.div_ceil(FAN);
            starts.push(all);
            sizes.push(nodes.next_multiple_of(FAN));
            all += nodes.next_multiple_of(FAN);
        }
        let minima = Keys::new(device, all, coding.words)?;
        let source = |text, entry| {
            Source::new("rmq levels", text, entry)
                .constant("THREADS", THREADS)
                .constant("FAN", FAN as u32)
                .keys(coding)
                .include(PACKS)
        };
        let mut commands = device.record();
        let lowest = source(include_str!("lowest.wgsl"), "lowest")
            .reads_sharded("values", "Pack", values.packs().sharding)
            .writes_sharded("minima", "Key", minima.sharding());
        let bindings: Vec<_> = values.bindings().chain(minima.bindings()).collect();
        let params = [len / pack, len % pack, sizes[0]].map(|count| count as u32);
        let groups = (sizes[0] * FAN / pack).div_ceil(THREADS.into());
        commands.dispatch(&*device.kernel(&lowest)?, groups, &bindings, &params)?;
        let above = source(include_str!("above.wgsl"), "above").writes_sharded("minima", "Key", minima.sharding());
        let bindings: Vec<_> = minima.bindings().collect();
        for level in 1..starts.len() {
            let params = [starts[level - 1], sizes[level - 1], starts[level], sizes[level]].map(|count| count as u32);
            let groups = sizes[level].div_ceil(THREADS.into());
            commands.dispatch(&*device.kernel(&above)?, groups, &bindings, &params)?;
        }
        commands.submit()?;
        debug_assert!(starts.len() <= MOST);
        Ok(Self { minima, starts })
    }

    pub(in crate::rmq) fn bytes(&self) -> u64 {
        self.minima.len() * self.minima.bytes()
    }

    pub(super) fn minima(&self) -> &Keys {
        &self.minima
    }

    /// Where the layers begin, the lowest first, in packs.
    pub(super) fn starts(&self) -> impl ExactSizeIterator<Item = u32> {
        let pack = 16 / self.minima.bytes();
        self.starts.iter().map(move |start| (start / pack) as u32)
    }

    /// Where a layer begins; the first is 1.
    pub(super) fn start(&self, level: usize) -> u32 {
        self.starts[level - 1] as u32
    }

    /// The lowest layer in which a range of so many elements lies in at most two nodes; the first is 1.
    pub(super) fn level_for(&self, len: u64) -> usize {
        let level = (1..).find(|&level| FAN.checked_pow(level as u32).is_none_or(|nodes| nodes >= len));
        level.unwrap_or(1).min(self.starts.len())
    }
}
