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
use super::{position_of, reads_ranges_of};
use crate::array::Keys;
use crate::kernel::Source;
use crate::memory::Binding;
use crate::primitives::elementwise::Elementwise;
use crate::recorder::Recorder;
use crate::stream::{Looks, stream_rows};

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
        if each == 0 || queries.is_empty() {
            return Ok(Vec::new());
        }
        let device = self.keys().device();
        let rows = (ANSWERS / each).min(self.in_order_room()).max(1);
        let Some(kept) = self.kept_for(each) else { return self.tell_many(queries, each, out, rows) };
        let answers_of_binding = device.limits().binding_bytes as usize / (each * size_of::<P>());
        let rows = rows.min(answers_of_binding).max(1);
        // Made before the batch is under way, if they are not there.
        self.levels()?;
        stream_rows(device, queries, out, each, (rows, Looks::Once), |commands, ranges, out, count| {
            let words = size_of::<P>() as u32 / 4;
            self.record_smallest(commands, [ranges, out], words, [count as u32, each as u32, kept])
        })?;
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

    /// The `each` smallest of `rows` ranges that are inside the array, row by row; bounds and positions have so many words.
    fn record_smallest(
        &self,
        commands: &mut Recorder<'_>,
        [ranges, out]: [Binding<'_>; 2],
        words: u32,
        [rows, each, kept]: [u32; 3],
    ) -> Result<()> {
        let (values, levels) = (self.keys(), self.levels()?);
        let (element, position) = position_of(words);
        let source = Source::new("rmq smallest", include_str!("smallest.wgsl"), "smallest")
            .constant("THREADS", THREADS)
            .constant("KEPT", kept)
            .constant("LEVELS", levels.starts().len() as u32)
            .keys(self.code())
            .include(PACKS)
            .include(position)
            .reads_sharded("values", "Pack", values.packs().sharding)
            .reads_sharded("minima", "Pack", levels.minima().packs().sharding);
        let source = reads_ranges_of(source, words, None).writes_sharded("out", element, None);
        let bindings: Vec<_> = values.bindings().chain(levels.minima().bindings()).chain([ranges, out]).collect();
        let mut params = vec![rows, each];
        params.extend(levels.starts());
        params.resize(2 + MOST, 0);
        commands.dispatch(&*values.device().kernel(&source)?, rows.into(), &bindings, &params)
    }
}
