//! Layers of minima.
//!
//! *Problem.* Range minimum queries with little extra memory, by reading runs of neighbours instead of jumping about.
//!
//! *Idea.* Scanning is what machines do best, so scan, but not far. Over the array lies a layer with the minimum of
//! every chunk of c elements, over it one with the minima of its chunks, and so on until a layer has at most t chunks.
//! A query scans the chunks at its two ends, which it covers in part, and hands the whole chunks in between to the
//! layer above as a shorter query of the same kind. The top layer, or a layer where the rest is short, is scanned from
//! end to end. Layers above the array lie in one buffer, and beside every minimum lies its position in the array.
//!
//! *Ties.* What is scanned on the way up comes from the outside inwards on either side. So the left side keeps its
//! best unless it finds a better one, the right side takes an equal one too, and the left side wins the final.
//!
//! *Source.* Kreis, Henneberg, Henkys et al., *GPU-RMQ: accelerating range minimum queries on modern GPUs*, 2026,
//! section 4; this is its listing 2 for one thread.
//!
//! *Bounds.* Building: work O(n), span O(c log n). Query: at most ct + 2c log_c n elements, in O(log_c n) places.
#![allow(unsafe_code)]

use super::super::batch::CpuEngine;
#[cfg(feature = "file")]
use super::super::file::contents::{Contents, Sections};
use thalweg_core::bits::Bits;
use thalweg_core::coding::Ranking;
use thalweg_core::disjoint::Disjoint;
use thalweg_core::error::try_filled;
use thalweg_core::parallel::for_each_chunk;
use thalweg_core::storage::Storage;
use thalweg_core::{Error, Position, Rank, Result};

/// Elements of a chunk unless chosen otherwise: one cache line of 32-bit keys.
pub(in crate::rmq) const DEFAULT_CHUNK: usize = 16;

/// Chunks of the top layer unless chosen otherwise. A layer more costs up to two partial chunks, a top layer of t
/// chunks up to t whole ones. Measured with 2^22 keys of 32 bits on a busy machine: from 1 to 16 the differences drown in
/// the noise, 64 is slower for large ranges. Not measured on a quiet one.
pub(in crate::rmq) const DEFAULT_THRESHOLD: usize = 4;

/// Entries of a layer that one parallel task writes.
const ENTRIES_PER_TASK: usize = 1 << 12;

/// The layers. Work O(n) to build, O(ct + c log n) per query; extra memory n/(c-1) ranks and positions.
pub(in crate::rmq) struct Hierarchy<'a, R: Rank, P> {
    array: Storage<'a, R>,
    order: Ranking<R>,
    chunk: usize,
    #[cfg_attr(not(feature = "file"), allow(dead_code))]
    threshold: usize,
    /// The layers above the array, lowest first: best rank of every chunk below.
    minima: Storage<'a, R>,
    /// Where in the array it is.
    positions: Storage<'a, P>,
    /// Where each layer starts in these buffers; the last entry is their length.
    starts: Vec<usize>,
}

/// The best rank of a scan, and which places of which layer were scanned.
///
/// Where among them it is will be asked for the winner only: a plain minimum is faster to compute than its place.
#[derive(Clone, Copy)]
struct Best<R> {
    rank: R,
    layer: usize,
    from: usize,
    to: usize,
}

impl<'a, R: Rank, P: Position> Hierarchy<'a, R, P> {
    pub(in crate::rmq) fn new(
        array: Storage<'a, R>,
        order: Ranking<R>,
        chunk: Option<usize>,
        threshold: Option<usize>,
    ) -> Result<Self> {
        let (chunk, threshold) = (chunk.unwrap_or(DEFAULT_CHUNK), threshold.unwrap_or(DEFAULT_THRESHOLD));
        if chunk < 2 {
            let reason = format!("a chunk has at least 2 elements, not {chunk}: layers must shrink");
            return Err(Error::BadOption { option: "chunk", reason });
        }
        if threshold < 1 {
            let reason = "the top layer has at least 1 chunk, not 0".to_owned();
            return Err(Error::BadOption { option: "threshold", reason });
        }
        let starts = layer_starts(array.len(), chunk, threshold);
        let total = starts[starts.len() - 1];
        let mut minima = try_filled(total, R::WORST, "the minima of a hierarchy")?;
        let mut positions = try_filled(total, P::default(), "the positions of a hierarchy")?;
        for layer in 0..starts.len() - 1 {
            // Layers lie in order, so the one being written starts where the one being read ends.
            let (minima_below, minima) = minima[..starts[layer + 1]].split_at_mut(starts[layer]);
            let (positions_below, positions) = positions[..starts[layer + 1]].split_at_mut(starts[layer]);
            let below = layer.checked_sub(1).map(|b| (&minima_below[starts[b]..], &positions_below[starts[b]..]));
            let (len, minima, positions) = (minima.len(), Disjoint::new(minima), Disjoint::new(positions));
            for_each_chunk(len, ENTRIES_PER_TASK, &|range| {
                for i in range {
                    let first = i * chunk;
                    let (minimum, position) = match below {
                        None => {
                            let part = &array[first..array.len().min(first + chunk)];
                            let ranks = || part.iter().map(|key| key.ranked(order));
                            let best = best_of(ranks());
                            (best, P::new(first + place_of(best, ranks())))
                        }
                        Some((ranks, positions)) => {
                            let part = &ranks[first..ranks.len().min(first + chunk)];
                            let best = best_of(part.iter().copied());
                            (best, positions[first + place_of(best, part.iter().copied())])
                        }
                    };
                    // SAFETY: inside, and every entry has its own task.
                    unsafe {
                        minima.put(i, minimum);
                        positions.put(i, position);
                    }
                }
            });
        }
        Ok(Self { array, order, chunk, threshold, minima: minima.into(), positions: positions.into(), starts })
    }

    /// The best rank of places `from..to` of a layer; the array is layer 0. The range must not be empty.
    #[inline]
    fn scan(&self, layer: usize, from: usize, to: usize) -> Best<R> {
        let rank = match layer.checked_sub(1) {
            None => best_of(self.array[from..to].iter().map(|key| key.ranked(self.order))),
            Some(above) => best_of(self.minima[self.starts[above] + from..self.starts[above] + to].iter().copied()),
        };
        Best { rank, layer, from, to }
    }

    /// The leftmost position in the array that a scan's best rank comes from.
    #[inline]
    fn position_of(&self, best: Best<R>) -> usize {
        let Best { rank, layer, from, to } = best;
        match layer.checked_sub(1) {
            None => from + place_of(rank, self.array[from..to].iter().map(|key| key.ranked(self.order))),
            Some(above) => {
                let entries = self.starts[above] + from..self.starts[above] + to;
                let place = place_of(rank, self.minima[entries.clone()].iter().copied());
                // A file may hold anything: the position stays inside the array whatever it says.
                self.positions[entries.start + place].get().min(self.array.len() - 1)
            }
        }
    }
}

#[cfg(feature = "file")]
impl<R: Rank, P: Position> Hierarchy<'static, R, P> {
    /// The layers from a file.
    pub(in crate::rmq) fn load(from: &mut Sections<'_>, order: Ranking<R>) -> Result<Self> {
        let chunk = from.option("chunk", 2..=usize::MAX)?;
        let threshold = from.option("threshold", 1..=usize::MAX)?;
        let starts = layer_starts(from.len(), chunk, threshold);
        let total = starts[starts.len() - 1];
        let (minima, positions) = (from.part("minima", total)?, from.part("positions", total)?);
        Ok(Self { array: from.array()?, order, chunk, threshold, minima, positions, starts })
    }
}

/// The best of some ranks, as a loop that compilers turn into vector instructions.
#[inline(always)]
fn best_of<R: Rank>(ranks: impl Iterator<Item = R>) -> R {
    ranks.fold(R::WORST, |best, rank| if rank < best { rank } else { best })
}

/// The first place of a rank that is there.
#[inline(always)]
fn place_of<R: Rank>(rank: R, mut ranks: impl Iterator<Item = R>) -> usize {
    ranks.position(|other| other == rank).expect("the best of some ranks is one of them")
}

/// Where the layers above an array of `len` elements start, and the length of them all.
fn layer_starts(mut len: usize, chunk: usize, threshold: usize) -> Vec<usize> {
    let mut starts = vec![0];
    while len.div_ceil(chunk) > threshold {
        len = len.div_ceil(chunk);
        starts.push(starts[starts.len() - 1] + len);
    }
    starts
}

impl<R: Rank, P: Position> CpuEngine for Hierarchy<'_, R, P> {
    fn name(&self) -> &'static str {
        "hierarchy"
    }

    fn len(&self) -> usize {
        self.array.len()
    }

    fn array(&self) -> Option<Bits<'_>> {
        Some(R::erase(&self.array))
    }

    fn extra_bytes(&self) -> usize {
        self.minima.held_bytes() + self.positions.held_bytes() + size_of_val(&self.starts[..])
    }

    #[cfg(feature = "file")]
    fn contents(&self) -> Result<Contents<'_>> {
        let options = Contents::new().option("chunk", self.chunk).option("threshold", self.threshold);
        Ok(options.part("minima", &self.minima).part("positions", &self.positions).array(&self.array, 0))
    }

    #[inline]
    fn position(&self, left: usize, right: usize) -> usize {
        let (chunk, top) = (self.chunk, self.starts.len() - 1);
        let (mut layer, mut from, mut to) = (0, left, right + 1);
        let (mut best_left, mut best_right): (Option<Best<_>>, Option<Best<_>>) = (None, None);
        // Longer than two chunks: at least one whole chunk remains for the layer above.
        while layer < top && to - from > chunk.saturating_mul(2) {
            let whole = from.div_ceil(chunk)..to / chunk;
            if from < whole.start * chunk {
                let found = self.scan(layer, from, whole.start * chunk);
                best_left = Some(best_left.filter(|best| best.rank <= found.rank).unwrap_or(found));
            }
            if whole.end * chunk < to {
                let found = self.scan(layer, whole.end * chunk, to);
                best_right = Some(best_right.filter(|best| best.rank < found.rank).unwrap_or(found));
            }
            (layer, from, to) = (layer + 1, whole.start, whole.end);
        }
        let middle = self.scan(layer, from, to);
        let mut best = best_left.filter(|best| best.rank <= middle.rank).unwrap_or(middle);
        if let Some(right) = best_right.filter(|right| right.rank < best.rank) {
            best = right;
        }
        self.position_of(best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_stop_at_the_threshold_and_shrink_by_the_chunk() {
        assert_eq!(layer_starts(0, 2, 1), [0]);
        assert_eq!(layer_starts(2, 2, 1), [0]);
        assert_eq!(layer_starts(3, 2, 1), [0, 2]);
        assert_eq!(layer_starts(16, 2, 1), [0, 8, 12, 14]);
        assert_eq!(layer_starts(1000, 10, 10), [0, 100]);
        assert_eq!(layer_starts(1001, 10, 10), [0, 101, 112]);
        let starts = layer_starts(1 << 20, 16, 1);
        assert!(starts[starts.len() - 1] <= (1 << 20) / 15);
    }
}
