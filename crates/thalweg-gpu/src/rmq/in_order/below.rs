//! What is not above its threshold, in many ranges: all of them walk down the layers together.
//!
//! The nodes that may hold something, of all ranges, are a list, by rows and from left to right. Every node of it is opened,
//! which gives a mask of those of its 32 children that go on; a scan of the masks' counts tells where these belong in the
//! next list. So the last list, of elements, is in order by itself. A node inside its range that is opened has something in
//! it; of those at the two ends there is one a layer.
//!
//! How much there is nobody knows before. A list that would be longer than it may be is not made: then half of the ranges
//! is asked for first, and then the other half, or half of a range where there is only one.

use std::ops::Range;

use thalweg_arrays::rmq::expect_thresholds;
use thalweg_core::bits::{Bits, BitsMut};
use thalweg_core::error::try_filled;
use thalweg_core::{Error, Pairs, Position, Positions, Result, by_width};

use super::super::Index;
use super::super::batch::PACKS;
use super::levels::{FAN, Levels};
use super::{position_of, reads_ranges};
use crate::array::{DeviceArray, Keys};
use crate::kernel::Source;
use crate::primitives::elementwise::Elementwise;
use crate::primitives::{Op, exclusive_scan};

/// Threads of the kernel that writes. Not measured.
const THREADS: u32 = 256;
/// Nodes of a list at most, whatever is asked for: the counts of their children add up in 32 bits.
const MOST: u64 = 1 << 26;
const POSITIONS: &str = "positions of a batch";

/// Ranges that are asked for together.
pub(super) struct Batch<'a> {
    pub(super) ranges: &'a Keys,
    /// One for all, or one each.
    pub(super) thresholds: &'a Keys,
    /// They are ranks, not keys.
    pub(super) ranked: bool,
    /// Elements of the longest range.
    pub(super) longest: u64,
    /// Elements of a list at most.
    pub(super) most: u64,
}

/// Nodes that may hold something, with their rows.
pub(super) struct List {
    pub(super) rows: DeviceArray<u32>,
    pub(super) nodes: DeviceArray<u32>,
}

/// Which children of the nodes of a list go on, and where they belong in the next one.
pub(super) struct Opened {
    pub(super) masks: DeviceArray<u32>,
    pub(super) offsets: DeviceArray<u32>,
    pub(super) total: u64,
}

/// Where the elements of every row begin and end, and all positions, in the ranges' width.
struct Found {
    ends: DeviceArray<u32>,
    positions: Keys,
}

impl Index {
    /// [`RmqEngine::below`](thalweg_arrays::rmq::RmqEngine::below), on the device.
    pub(in crate::rmq) fn below(&self, queries: Pairs<'_>, thresholds: Bits<'_>) -> Result<[Positions; 2]> {
        expect_thresholds(queries, thresholds, self.coding().bytes())?;
        self.expect_ranges(queries)?;
        match queries {
            Pairs::U32(queries) => self.list(queries, thresholds),
            Pairs::U64(queries) => self.list(queries, thresholds),
        }
    }

    fn list<P: Position>(&self, queries: &[[P; 2]], thresholds: Bits<'_>) -> Result<[Positions; 2]> {
        let mut lengths = try_filled(queries.len(), P::default(), "lengths of lists")?;
        let mut positions = Vec::new();
        let room = self.in_order_room();
        // Rows, and of a single one the part of its range; what comes first is on top.
        let mut parts: Vec<(Range<usize>, Option<[P; 2]>)> = Vec::new();
        for start in (0..queries.len()).step_by(room).rev() {
            parts.push((start..queries.len().min(start + room), None));
        }
        while let Some((rows, range)) = parts.pop() {
            let ranges = range.as_ref().map_or(&queries[rows.clone()], std::slice::from_ref);
            let of_rows = if thresholds.len() == 1 { thresholds } else { slice(thresholds, rows.clone()) };
            if let Some(found) = self.found(ranges, of_rows)? {
                let ends = found.ends.to_vec()?;
                for (length, ends) in lengths[rows].iter_mut().zip(ends.chunks_exact(2)) {
                    *length = P::new(length.get() + (ends[1] - ends[0]) as usize);
                }
                append(&mut positions, &found.positions)?;
                continue;
            }
            if rows.len() > 1 {
                let middle = rows.start + rows.len() / 2;
                parts.extend([(middle..rows.end, None), (rows.start..middle, None)]);
            } else {
                // More than one element: one is never too many.
                let [left, right] = ranges[0];
                let middle = left.get() + (right.get() - left.get()) / 2;
                parts.push((rows.clone(), Some([P::new(middle + 1), right])));
                parts.push((rows, Some([left, P::new(middle)])));
            }
        }
        Ok([P::list(lengths), P::list(positions)])
    }

    /// What is found in ranges that are inside the array; `None` if it is too much for one time.
    fn found<P: Position>(&self, ranges: &[[P; 2]], thresholds: Bits<'_>) -> Result<Option<Found>> {
        let device = self.keys().device();
        let longest = longest(ranges);
        let (ranges, thresholds) =
            (Keys::upload(device, Bits::of(ranges.as_flattened()))?, Keys::upload(device, thresholds)?);
        let most = self.most_nodes();
        self.found_on_device(&Batch { ranges: &ranges, thresholds: &thresholds, ranked: false, longest, most })
    }

    /// Nodes of a list at most.
    pub(super) fn most_nodes(&self) -> u64 {
        (4 * self.in_order_room() as u64).clamp(4 * FAN, MOST)
    }

    fn found_on_device(&self, batch: &Batch<'_>) -> Result<Option<Found>> {
        let levels = self.levels()?;
        let mut level = levels.level_for(batch.longest);
        let (mut list, mut opened) = self.begin(batch, level as u32 - 1)?;
        let mut up = 0;
        loop {
            if opened.total > batch.most {
                return Ok(None);
            }
            list = self.write_nodes(&list, &opened, up)?;
            up = FAN.ilog2();
            level -= 1;
            opened = self.open(batch, levels, level, &list)?;
            if level == 0 {
                // Positions only, which are streamed to the host: four times as many.
                return if opened.total > 4 * batch.most {
                    Ok(None)
                } else {
                    self.write(batch, &list, &opened).map(Some)
                };
            }
        }
    }

    /// Every range with the nodes over it, of which there are at most two, in place of a node and its children.
    pub(super) fn begin(&self, batch: &Batch<'_>, height: u32) -> Result<(List, Opened)> {
        let device = self.keys().device();
        let rows = batch.ranges.len() / 2;
        let list = List { rows: DeviceArray::new(device, rows)?, nodes: DeviceArray::new(device, rows)? };
        let (masks, counts) = (DeviceArray::<u32>::new(device, rows)?, DeviceArray::<u32>::new(device, rows)?);
        let mut commands = device.record();
        Elementwise::new(device, rows, "rmq below", include_str!("begin.wgsl"))
            .declare(|source| reads_ranges(source, batch.ranges), batch.ranges.bindings())
            .writes("rows", "u32", &list.rows)
            .writes("nodes", "u32", &list.nodes)
            .writes("masks", "u32", &masks)
            .writes("counts", "u32", &counts)
            .dispatch(&mut commands, &[FAN.ilog2() * height])?;
        commands.submit()?;
        let (offsets, total) = exclusive_scan(&counts, Op::Sum)?;
        Ok((list, Opened { masks, offsets, total: total.into() }))
    }

    /// Opens all nodes of a list, whose children are in this layer; the elements are layer 0.
    pub(super) fn open(&self, batch: &Batch<'_>, levels: &Levels, level: usize, list: &List) -> Result<Opened> {
        let (values, coding) = (self.keys(), self.code());
        let device = values.device();
        let count = list.rows.count();
        let (masks, counts) = (DeviceArray::<u32>::new(device, count)?, DeviceArray::<u32>::new(device, count)?);
        let (children, text, start) = match level {
            0 => (values, "fn children_of(i: u32) -> Pack { return pack_ranks(children_at(i)); }\n", 0),
            _ => {
                let start = levels.starts().nth(level - 1).unwrap_or_default();
                (levels.minima(), "fn children_of(i: u32) -> Pack { return children_at(i); }\n", start)
            }
        };
        let mut commands = device.record();
        Elementwise::new(device, count, "rmq below", include_str!("open.wgsl"))
            .constant("NODE_PACKS", FAN as u32 * coding.words / 4)
            .flag("ONE_THRESHOLD", batch.thresholds.len() == 1)
            .flag("RANKED", batch.ranked)
            .include(text)
            .declare(|source| source.keys(coding).include(PACKS), std::iter::empty())
            .declare(|source| reads_ranges(source, batch.ranges), batch.ranges.bindings())
            .reads("thresholds", "Key", batch.thresholds)
            .declare(|source| source.reads_sharded("children", "Pack", children.packs().sharding), children.bindings())
            .reads("rows", "u32", &list.rows)
            .reads("nodes", "u32", &list.nodes)
            .writes("masks", "u32", &masks)
            .writes("counts", "u32", &counts)
            .dispatch(&mut commands, &[FAN.ilog2() * level as u32, start])?;
        commands.submit()?;
        let (offsets, total) = exclusive_scan(&counts, Op::Sum)?;
        Ok(Opened { masks, offsets, total: total.into() })
    }

    /// The list of the nodes that were found, `up` bits below those of this one.
    pub(super) fn write_nodes(&self, list: &List, opened: &Opened, up: u32) -> Result<List> {
        let device = self.keys().device();
        let next =
            List { rows: DeviceArray::new(device, opened.total)?, nodes: DeviceArray::new(device, opened.total)? };
        let source = writer(list, opened, include_str!("write_nodes.wgsl"))
            .writes_sharded("next_rows", "u32", next.rows.sharding())
            .writes_sharded("next_nodes", "u32", next.nodes.sharding());
        let bindings = bindings(list, opened).chain(next.rows.bindings()).chain(next.nodes.bindings());
        let (count, mut commands) = (list.rows.count(), device.record());
        let bindings: Vec<_> = bindings.collect();
        commands.dispatch(&*device.kernel(&source)?, count.div_ceil(THREADS.into()), &bindings, &[count as u32, up])?;
        commands.submit()?;
        Ok(next)
    }

    /// The elements that were found.
    fn write(&self, batch: &Batch<'_>, list: &List, opened: &Opened) -> Result<Found> {
        let device = self.keys().device();
        let ends = DeviceArray::<u32>::new(device, batch.ranges.len())?;
        let positions = Keys::new(device, opened.total, batch.ranges.words())?;
        let (element, position) = position_of(positions.words());
        let source = writer(list, opened, include_str!("write_elements.wgsl"))
            .include(position)
            .writes_sharded("ends", "u32", ends.sharding())
            .writes_sharded("positions", element, positions.sharding());
        let bindings = bindings(list, opened).chain(ends.bindings()).chain(positions.bindings());
        let (count, mut commands) = (list.rows.count(), device.record());
        let bindings: Vec<_> = bindings.collect();
        for (start, end, piece) in ends.pieces() {
            commands.clear(piece, 4 * (end - start));
        }
        commands.dispatch(&*device.kernel(&source)?, count.div_ceil(THREADS.into()), &bindings, &[count as u32, 0])?;
        commands.submit()?;
        Ok(Found { ends, positions })
    }
}

/// Elements of the longest range.
pub(super) fn longest<P: Position>(ranges: &[[P; 2]]) -> u64 {
    ranges.iter().map(|[left, right]| right.get() - left.get() + 1).max().unwrap_or(0) as u64
}

/// The kernel that writes children.
fn writer(list: &List, opened: &Opened, text: &str) -> Source {
    Source::new("rmq below", include_str!("write.wgsl"), "write_children")
        .constant("THREADS", THREADS)
        .include(text)
        .reads_sharded("rows", "u32", list.rows.sharding())
        .reads_sharded("nodes", "u32", list.nodes.sharding())
        .reads_sharded("masks", "u32", opened.masks.sharding())
        .reads_sharded("offsets", "u32", opened.offsets.sharding())
}

fn bindings<'a>(list: &'a List, opened: &'a Opened) -> impl Iterator<Item = crate::memory::Binding<'a>> {
    let List { rows, nodes } = list;
    rows.bindings().chain(nodes.bindings()).chain(opened.masks.bindings()).chain(opened.offsets.bindings())
}

fn slice(bits: Bits<'_>, rows: Range<usize>) -> Bits<'_> {
    by_width!(Bits, bits, bits => Bits::of(&bits[rows]))
}

/// Puts positions behind those that are there.
fn append<P: Position>(positions: &mut Vec<P>, more: &Keys) -> Result<()> {
    let (start, count) = (positions.len(), more.len() as usize);
    if start == 0 {
        *positions = thalweg_core::memory::filled(count, P::default(), POSITIONS)?;
    } else {
        let bytes = (start + count).saturating_mul(size_of::<P>());
        positions.try_reserve(count).map_err(|_| Error::OutOfMemory { bytes, what: POSITIONS })?;
        positions.resize(start + count, P::default());
    }
    more.download(BitsMut::of(&mut positions[start..]))
}
