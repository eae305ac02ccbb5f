//! The smallest elements of many ranges. A workgroup walks down the layers for each, if few are asked for: it keeps in its
//! own memory the children of all nodes that it opens. Else all ranges walk together (`many.rs`).

use std::ops::Range;

use thalweg_arrays::rmq::{Engine, expect_rows};
use thalweg_core::bits::{Bits, BitsMut};
use thalweg_core::{Pairs, Position, PositionsMut, Result};

use super::super::Index;
use super::super::batch::PACKS;
use super::below::{Batch, longest};
use super::levels::{FAN, MOST};
use super::{position_of, reads_ranges};
use crate::array::Keys;
use crate::kernel::Source;
use crate::primitives::elementwise::Elementwise;

/// Threads of a workgroup. Not measured.
const THREADS: u32 = 32;
/// Elements of each range at most, for every kernel that there is. Not measured.
const EACH: [u32; 3] = [6, 14, 30];
/// Answers of one dispatch at most.
const ANSWERS: usize = 1 << 24;

impl Index {
    /// Nodes that a workgroup keeps, if it can.
    fn kept_for(&self, each: usize) -> Option<u32> {
        let kept = EACH.iter().find(|&&most| each <= most as usize)? + 2;
        let bytes = kept * (FAN as u32 * (4 * self.code().words + 8) + 4) + 64;
        (bytes <= self.keys().device().limits().workgroup_bytes).then_some(kept)
    }

    /// [`RmqEngine::smallest`](thalweg_arrays::rmq::RmqEngine::smallest), on the device. What it returns are the rows that it has not
    /// told, because they have more candidates than it takes at once.
    pub(in crate::rmq) fn smallest(
        &self,
        queries: Pairs<'_>,
        each: usize,
        out: &mut PositionsMut<'_>,
    ) -> Result<Vec<usize>> {
        expect_rows(queries, each, out)?;
        if each == 1 && self.engine() != Engine::Naive.name() {
            // The smallest alone is what every index answers, without layers.
            let out = match out {
                PositionsMut::U32(out) => PositionsMut::U32(out),
                PositionsMut::U64(out) => PositionsMut::U64(out),
            };
            self.positions(queries, out)?;
            return Ok(Vec::new());
        }
        self.expect_ranges(queries)?;
        match (queries, out) {
            (Pairs::U32(queries), PositionsMut::U32(out)) => self.tell(queries, each, out),
            (Pairs::U64(queries), PositionsMut::U64(out)) => self.tell(queries, each, out),
            _ => unreachable!("queries and positions have one width"),
        }
    }

    fn tell<P: Position>(&self, queries: &[[P; 2]], each: usize, out: &mut [P]) -> Result<Vec<usize>> {
        if each == 0 {
            return Ok(Vec::new());
        }
        let device = self.keys().device();
        let rows = (ANSWERS / each).min(self.in_order_room()).max(1);
        if self.kept_for(each).is_none() {
            return self.tell_many(queries, each, out, rows);
        }
        for (queries, out) in queries.chunks(rows).zip(out.chunks_mut(rows * each)) {
            let ranges = Keys::upload(device, Bits::of(queries.as_flattened()))?;
            self.smallest_on_device(&ranges, each)?.download(BitsMut::of(out))?;
        }
        Ok(Vec::new())
    }

    fn tell_many<P: Position>(
        &self,
        queries: &[[P; 2]],
        each: usize,
        out: &mut [P],
        room: usize,
    ) -> Result<Vec<usize>> {
        let (device, code) = (self.keys().device(), self.code());
        let most = self.most_nodes();
        if self.len() as u64 > 1 << 32 || each as u64 > most {
            return Ok((0..queries.len()).collect());
        }
        // A third of its first layer's children, for each that is asked for: most batches are not taken twice then.
        let room = room.min((most / 11) as usize / (each + 2)).max(1);
        let mut untold = Vec::new();
        let starts = (0..queries.len()).step_by(room).rev();
        // What comes first is on top.
        let mut parts: Vec<Range<usize>> = starts.map(|start| start..queries.len().min(start + room)).collect();
        while let Some(rows) = parts.pop() {
            let ranges = Keys::upload(device, Bits::of(queries[rows.clone()].as_flattened()))?;
            let bounds = Keys::new(device, rows.len() as u64, code.words)?;
            let mut commands = device.record();
            Elementwise::statement(device, bounds.len(), "rmq smallest", "bounds_put(i, WORST);")
                .declare(|source| source.keys(code), std::iter::empty())
                .writes("bounds", "Key", &bounds)
                .dispatch(&mut commands, &[])?;
            commands.submit()?;
            let longest = longest(&queries[rows.clone()]);
            let batch = Batch { ranges: &ranges, thresholds: &bounds, ranked: true, longest, most };
            match self.many_on_device(&batch, each as u32)? {
                Some(told) => told.download(BitsMut::of(&mut out[rows.start * each..rows.end * each]))?,
                None if rows.len() == 1 => untold.push(rows.start),
                None => {
                    let middle = rows.start + rows.len() / 2;
                    parts.extend([middle..rows.end, rows.start..middle]);
                }
            }
        }
        Ok(untold)
    }

    /// The smallest of ranges that are inside the array, row by row.
    fn smallest_on_device(&self, ranges: &Keys, each: usize) -> Result<Keys> {
        let (values, coding, levels) = (self.keys(), self.code(), self.levels()?);
        let device = values.device();
        let rows = ranges.len() / 2;
        let out = Keys::new(device, rows * each as u64, ranges.words())?;
        let (element, position) = position_of(&out);
        let source = Source::new("rmq smallest", include_str!("smallest.wgsl"), "smallest")
            .constant("THREADS", THREADS)
            .constant("KEPT", self.kept_for(each).unwrap_or(2))
            .constant("LEVELS", levels.starts().len() as u32)
            .keys(coding)
            .include(PACKS)
            .include(position)
            .reads_sharded("values", "Pack", values.packs().sharding)
            .reads_sharded("minima", "Pack", levels.minima().packs().sharding);
        let source = reads_ranges(source, ranges).writes_sharded("out", element, out.sharding());
        let bindings = values.bindings().chain(levels.minima().bindings()).chain(ranges.bindings());
        let bindings: Vec<_> = bindings.chain(out.bindings()).collect();
        let mut params = vec![rows as u32, each as u32];
        params.extend(levels.starts());
        params.resize(2 + MOST, 0);
        let mut commands = device.record();
        commands.dispatch(&*device.kernel(&source)?, rows, &bindings, &params)?;
        commands.submit()?;
        Ok(out)
    }
}
