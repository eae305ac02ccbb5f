//! Many of the smallest elements of ranges: all ranges walk down the layers together, as for thresholds.
//!
//! A range has a bound, which is not below the last of the elements that it asks for: nothing at first, and then the largest
//! minimum of the nodes that it has kept. What is not above its bound is found in the next layer, as in `below.rs`; these
//! candidates are sorted by range and rank, stable, so that of equal ones the leftmost comes first, and the first of every
//! range are kept, and the nodes at its ends. (See `smallest.wgsl` for why that is right.) The last layer are the elements, and
//! sorting them is the answer.
//!
//! Positions of candidates have 32 bits.

use thalweg_core::Result;

use super::super::Index;
use super::below::{Batch, List, Opened};
use super::levels::{FAN, Levels};
use super::{position_of, reads_ranges};
use crate::array::{DeviceArray, Keys};
use crate::coding::KeyCode;
use crate::primitives::elementwise::Elementwise;
use crate::primitives::sort::{positions_in_order, sort_numbers};
use crate::primitives::{Op, exclusive_scan};

/// Candidates in order: of whom each place is, and of which row.
struct Sorted {
    order: DeviceArray<u32>,
    rows: DeviceArray<u32>,
    /// Where every row begins.
    starts: DeviceArray<u32>,
}

impl Index {
    /// The smallest of ranges that are inside the array, row by row; `None` if there are too many candidates for one time.
    pub(super) fn many_on_device(&self, batch: &Batch<'_>, each: u32) -> Result<Option<Keys>> {
        let levels = self.levels()?;
        let device = self.keys().device();
        let mut level = levels.level_for(batch.longest);
        let (list, opened) = self.begin(batch, level as u32 - 1)?;
        let mut list = self.write_nodes(&list, &opened, 0)?;
        loop {
            level -= 1;
            let opened = self.open(batch, levels, level, &list)?;
            if opened.total > batch.most {
                return Ok(None);
            }
            let candidates = self.write_nodes(&list, &opened, FAN.ilog2())?;
            let keys = self.keys_of(batch, levels, level, &candidates)?;
            let sorted = self.sorted(batch, &candidates, &keys)?;
            if level > 0 {
                list = self.kept(batch, level, &candidates, &keys, &sorted, each)?;
                continue;
            }
            let out = Keys::new(device, batch.ranges.len() / 2 * u64::from(each), batch.ranges.words())?;
            let (element, position) = position_of(out.words());
            let mut commands = device.record();
            let fill = "out_put(i, position_of(0xffffffffu, 0xffffffffu));";
            Elementwise::statement(device, out.len(), "rmq smallest", fill)
                .include(position)
                .writes("out", element, &out)
                .dispatch(&mut commands, &[])?;
            Elementwise::new(device, sorted.order.count(), "rmq smallest", include_str!("tell.wgsl"))
                .include(position)
                .reads("order", "u32", &sorted.order)
                .reads("rows", "u32", &sorted.rows)
                .reads("starts", "u32", &sorted.starts)
                .reads("nodes", "u32", &candidates.nodes)
                .writes("out", element, &out)
                .dispatch(&mut commands, &[each])?;
            commands.submit()?;
            return Ok(Some(out));
        }
    }

    /// The ranks that candidates are chosen by.
    fn keys_of(&self, batch: &Batch<'_>, levels: &Levels, level: usize, list: &List) -> Result<Keys> {
        let (values, coding) = (self.keys(), self.code());
        let device = values.device();
        let count = list.rows.count();
        let keys = Keys::new(device, count, coding.words)?;
        let (text, ranked, start) = match level {
            0 => (include_str!("keys_of_elements.wgsl"), values, 0),
            _ => (include_str!("keys_of_nodes.wgsl"), levels.minima(), levels.start(level)),
        };
        let mut commands = device.record();
        Elementwise::new(device, count, "rmq smallest", text)
            .declare(|source| source.keys(coding), std::iter::empty())
            .declare(|source| reads_ranges(source, batch.ranges), batch.ranges.bindings())
            .reads("ranked", "Key", ranked)
            .reads("rows", "u32", &list.rows)
            .reads("nodes", "u32", &list.nodes)
            .writes("keys", "Key", &keys)
            .dispatch(&mut commands, &[height(level), start])?;
        commands.submit()?;
        Ok(keys)
    }

    /// Candidates by row and rank, and by their places in the list, which are in order.
    fn sorted(&self, batch: &Batch<'_>, list: &List, keys: &Keys) -> Result<Sorted> {
        let device = keys.device();
        let (count, rows) = (keys.len(), batch.ranges.len() / 2);
        let by_rank = positions_in_order(keys, KeyCode::plain(keys.words()))?;
        let gather = "out_put(i, values_at(order_at(i)));";
        let gathered = |values: &DeviceArray<u32>, order: &DeviceArray<u32>| -> Result<DeviceArray<u32>> {
            let out = DeviceArray::new(device, count)?;
            let mut commands = device.record();
            Elementwise::statement(device, count, "rmq smallest", gather)
                .reads("values", "u32", values)
                .reads("order", "u32", order)
                .writes("out", "u32", &out)
                .dispatch(&mut commands, &[])?;
            commands.submit()?;
            Ok(out)
        };
        let (order, sorted_rows) = if rows == 1 {
            (by_rank, list.rows.clone())
        } else {
            let (sorted_rows, second) = sort_numbers(&gathered(&list.rows, &by_rank)?, rows)?;
            (gathered(&by_rank, &second)?, sorted_rows)
        };
        let starts = DeviceArray::new(device, rows)?;
        let begin = "if i == 0u || rows_at(i - 1u) != rows_at(i) { starts_put(rows_at(i), i); }";
        let mut commands = device.record();
        Elementwise::statement(device, count, "rmq smallest", begin)
            .reads("rows", "u32", &sorted_rows)
            .writes("starts", "u32", &starts)
            .dispatch(&mut commands, &[])?;
        commands.submit()?;
        Ok(Sorted { order, rows: sorted_rows, starts })
    }

    /// The nodes that are kept of a layer, and the bounds of their rows.
    fn kept(
        &self,
        batch: &Batch<'_>,
        level: usize,
        list: &List,
        keys: &Keys,
        sorted: &Sorted,
        each: u32,
    ) -> Result<List> {
        let device = keys.device();
        let count = keys.len();
        let flags = DeviceArray::<u32>::new(device, count)?;
        let mut commands = device.record();
        Elementwise::new(device, count, "rmq smallest", include_str!("keep.wgsl"))
            .declare(|source| source.keys(self.code()), std::iter::empty())
            .declare(|source| reads_ranges(source, batch.ranges), batch.ranges.bindings())
            .reads("order", "u32", &sorted.order)
            .reads("rows", "u32", &sorted.rows)
            .reads("starts", "u32", &sorted.starts)
            .reads("nodes", "u32", &list.nodes)
            .reads("keys", "Key", keys)
            .writes("flags", "u32", &flags)
            .writes("bounds", "Key", batch.thresholds)
            .dispatch(&mut commands, &[height(level), each])?;
        commands.submit()?;
        let (offsets, total) = exclusive_scan(&flags, Op::Sum)?;
        // A node with itself as its only child.
        let opened = Opened { masks: flags, offsets, total: total.into() };
        self.write_nodes(list, &opened, 0)
    }
}

/// The height of a layer, in bits above the first one.
fn height(level: usize) -> u32 {
    FAN.ilog2() * level.saturating_sub(1) as u32
}
