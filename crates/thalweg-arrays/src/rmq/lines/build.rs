//! The three levels of minima, a group at a time.
#![allow(unsafe_code)]

use std::ops::Range;

use super::lanes::{Machine, children, kernel};
use super::{BLOCK, FAN, GROUP, LINE};
use crate::rmq::stages::most;
use thalweg_core::coding::Ranking;
use thalweg_core::disjoint::Disjoint;
use thalweg_core::memory::Aligned;
use thalweg_core::parallel::for_each_chunk;
use thalweg_core::simd::prefetch_line;
use thalweg_core::storage::Storage;
use thalweg_core::{Rank, Result};

/// Groups that one task looks at: some 10 µs of work.
pub(super) const TASK: usize = 8;

/// Bytes between asking for memory and reading it. On a machine that reads 10 GB/s without asking, 2^26 `u32` are built at 6.5 GB/s
/// without it, and at 8.1; half and twice as far ahead are as fast.
const AHEAD: usize = 4096;

/// The three levels of minima, each filled up to whole nodes. Places outside the array count as the worst rank.
pub(super) struct Levels<'a, R> {
    pub(super) line: Storage<'a, R>,
    pub(super) line_offset: Storage<'a, u8>,
    pub(super) block: Storage<'a, R>,
    pub(super) block_offset: Storage<'a, u8>,
    pub(super) group: Storage<'a, R>,
    pub(super) group_offset: Storage<'a, u16>,
    pub(super) shape: Storage<'a, Shape>,
}

/// Whether the ranks of a whole group are in order.
pub(super) type Shape = u8;
pub(super) const MIXED: Shape = 0;
/// No rank is below the one before it: whichever part of the group is asked for, its first element is the answer.
pub(super) const ASCENDING: Shape = 1;
/// Every rank is below the one before it: the last element is the answer.
pub(super) const DESCENDING: Shape = 2;

impl<R: Rank> Levels<'_, R> {
    pub(super) fn new(array: &[R], order: Ranking<R>, shift: usize, groups: usize) -> Result<Self> {
        let mut room = Room::for_groups(groups)?;
        let places = room.places();
        for_each_chunk(groups, TASK, &|range| range.for_each(|g| places.fill(g, array, order, shift)));
        Ok(room.into())
    }
}

/// Levels to be.
pub(super) struct Room<R> {
    pub(super) line: Aligned<R>,
    pub(super) line_offset: Aligned<u8>,
    pub(super) block: Aligned<R>,
    pub(super) block_offset: Aligned<u8>,
    pub(super) group: Aligned<R>,
    pub(super) group_offset: Aligned<u16>,
    pub(super) shape: Aligned<Shape>,
}

impl<R: Rank> Room<R> {
    pub(super) fn for_groups(groups: usize) -> Result<Self> {
        Ok(Self {
            line: Aligned::zeroed(groups * (GROUP / LINE), "line minima")?,
            line_offset: Aligned::zeroed(groups * (GROUP / LINE), "line minima")?,
            block: Aligned::zeroed(groups * (GROUP / BLOCK), "block minima")?,
            block_offset: Aligned::zeroed(groups * (GROUP / BLOCK), "block minima")?,
            group: Aligned::zeroed(groups, "group minima")?,
            group_offset: Aligned::zeroed(groups, "group minima")?,
            shape: Aligned::zeroed(groups, "shapes of groups")?,
        })
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(&self.line[..])
            + size_of_val(&self.line_offset[..])
            + size_of_val(&self.block[..])
            + size_of_val(&self.block_offset[..])
            + size_of_val(&self.group[..])
            + size_of_val(&self.group_offset[..])
            + size_of_val(&self.shape[..])
    }

    /// Builds some groups, by all threads.
    pub(super) fn fill(&mut self, groups: Range<usize>, array: &[R], order: Ranking<R>, shift: usize) {
        let (places, first) = (self.places(), groups.start);
        for_each_chunk(groups.len(), TASK, &|range| range.for_each(|g| places.fill(first + g, array, order, shift)));
    }

    /// Makes a group one that has no elements yet.
    pub(super) fn clear(&mut self, g: usize) {
        self.line[g * (GROUP / LINE)..][..GROUP / LINE].fill(R::WORST);
        self.line_offset[g * (GROUP / LINE)..][..GROUP / LINE].fill(0);
        self.block[g * (GROUP / BLOCK)..][..GROUP / BLOCK].fill(R::WORST);
        self.block_offset[g * (GROUP / BLOCK)..][..GROUP / BLOCK].fill(0);
        (self.group[g], self.group_offset[g], self.shape[g]) = (R::WORST, 0, MIXED);
    }

    /// Copies so many groups from elsewhere.
    pub(super) fn copy(&mut self, from: &Self, groups: usize) {
        let (lines, blocks) = (groups * (GROUP / LINE), groups * (GROUP / BLOCK));
        self.line[..lines].copy_from_slice(&from.line[..lines]);
        self.line_offset[..lines].copy_from_slice(&from.line_offset[..lines]);
        self.block[..blocks].copy_from_slice(&from.block[..blocks]);
        self.block_offset[..blocks].copy_from_slice(&from.block_offset[..blocks]);
        self.group[..groups].copy_from_slice(&from.group[..groups]);
        self.group_offset[..groups].copy_from_slice(&from.group_offset[..groups]);
        self.shape[..groups].copy_from_slice(&from.shape[..groups]);
    }

    /// The same for all threads: a group is filled by one of them.
    pub(super) fn places(&mut self) -> Places<'_, R> {
        Places {
            line: Disjoint::new(&mut self.line),
            line_offset: Disjoint::new(&mut self.line_offset),
            block: Disjoint::new(&mut self.block),
            block_offset: Disjoint::new(&mut self.block_offset),
            group: Disjoint::new(&mut self.group),
            group_offset: Disjoint::new(&mut self.group_offset),
            shape: Disjoint::new(&mut self.shape),
        }
    }
}

impl<R: Rank> From<Room<R>> for Levels<'_, R> {
    fn from(room: Room<R>) -> Self {
        Self {
            line: room.line.into(),
            line_offset: room.line_offset.into(),
            block: room.block.into(),
            block_offset: room.block_offset.into(),
            group: room.group.into(),
            group_offset: room.group_offset.into(),
            shape: room.shape.into(),
        }
    }
}

/// Where the entries of the groups go.
#[derive(Clone, Copy)]
pub(super) struct Places<'b, R> {
    pub(super) line: Disjoint<'b, R>,
    pub(super) line_offset: Disjoint<'b, u8>,
    pub(super) block: Disjoint<'b, R>,
    pub(super) block_offset: Disjoint<'b, u8>,
    pub(super) group: Disjoint<'b, R>,
    pub(super) group_offset: Disjoint<'b, u16>,
    pub(super) shape: Disjoint<'b, Shape>,
}

impl<R: Rank> Places<'_, R> {
    /// Fills the entries of one group. No two threads may fill the same.
    pub(super) fn fill(&self, g: usize, array: &[R], order: Ranking<R>, shift: usize) {
        // Only the first and the last group have places outside the array.
        let start = (g * GROUP).saturating_sub(shift);
        let end = ((g + 1) * GROUP - shift).min(array.len());
        let children = |size: usize| g * (GROUP / size)..(g + 1) * (GROUP / size);
        // SAFETY: inside, and every group has its own.
        unsafe {
            let lines = (self.line.slice_mut(children(LINE)), self.line_offset.slice_mut(children(LINE)));
            let blocks = (self.block.slice_mut(children(BLOCK)), self.block_offset.slice_mut(children(BLOCK)));
            let (rank, offset, shape) = fill_group(&array[start..end], order, start + shift - g * GROUP, lines, blocks);
            self.group.put(g, rank);
            self.group_offset.put(g, offset);
            self.shape.put(g, shape);
        }
    }
}

kernel! {
    /// Lines and blocks of one group, whose elements begin at place `first` of the group: their minima, and the offsets of
    /// these. Returns the group's minimum, its offset and the group's shape.
    fill_group, fill_group_body<R: Rank>(
        elements: &[R], order: Ranking<R>, first: usize, lines: (&mut [R], &mut [u8]), blocks: (&mut [R], &mut [u8]),
    ) -> (R, u16, Shape) = fill_group_on::<M, R>(elements, order, first, lines, blocks), up to most::<R>()
}

#[inline(always)]
fn fill_group_on<M: Machine, R: Rank>(
    elements: &[R],
    order: Ranking<R>,
    first: usize,
    (line, line_offset): (&mut [R], &mut [u8]),
    (block, block_offset): (&mut [R], &mut [u8]),
) -> (R, u16, Shape) {
    // Asked here and not for every line, where compilers take a line's first element out of its load.
    match order.float {
        true => fill_lines::<M, R>(elements, Ranking { float: true, ..order }, first, line, line_offset),
        false => fill_lines::<M, R>(elements, Ranking { float: false, ..order }, first, line, line_offset),
    }
    for b in 0..FAN {
        let offset;
        (block[b], offset) = M::leftmost_min(children(line, b * FAN));
        block_offset[b] = (offset * LINE) as u8 + line_offset[b * FAN + offset];
    }
    let (rank, offset) = M::leftmost_min(children(block, 0));
    let offset = (offset * BLOCK) as u16 + u16::from(block_offset[offset]);
    (rank, offset, shape_of(elements, order, usize::from(offset) - first))
}

/// Line minima and their offsets for the elements of one group, which begin at place `first` of the group.
#[inline(always)]
fn fill_lines<M: Machine, R: Rank>(
    elements: &[R],
    order: Ranking<R>,
    first: usize,
    line: &mut [R],
    line_offset: &mut [u8],
) {
    let (whole, rest) = if first == 0 { elements.as_chunks::<LINE>() } else { ([].as_slice(), elements) };
    for (elements, (line, offset)) in whole.iter().zip(line.iter_mut().zip(&mut *line_offset)) {
        for at in (0..size_of_val(elements)).step_by(64) {
            prefetch_line(elements.as_ptr().wrapping_byte_add(AHEAD + at));
        }
        let mut ranks = [R::WORST; LINE];
        R::rank_all(elements, order, &mut ranks);
        let lane;
        (*line, lane) = M::leftmost_min(&ranks);
        *offset = lane as u8;
    }
    // The first and the last group: element by element.
    let start = first + whole.len() * LINE;
    line[start / LINE..].fill(R::WORST);
    let mut started = usize::MAX;
    for (place, key) in (start..).zip(rest) {
        let (index, rank) = (place / LINE, key.ranked(order));
        // The first element of a line counts even if its rank is the worst: the offset must name an element.
        if index != started || rank < line[index] {
            (line[index], line_offset[index]) = (rank, (place % LINE) as u8);
            started = index;
        }
    }
}

/// The shape of a group whose leftmost minimum is element `best`.
#[inline(always)]
fn shape_of<R: Rank>(elements: &[R], order: Ranking<R>, best: usize) -> Shape {
    // The minimum's place rules out nearly all groups that are not in order.
    if best == 0 && all_pairs(elements, |a, b| a.ranked(order) <= b.ranked(order)) {
        ASCENDING
    } else if best == elements.len() - 1 && all_pairs(elements, |a, b| a.ranked(order) > b.ranked(order)) {
        DESCENDING
    } else {
        MIXED
    }
}

/// Whether all neighbours are in a relation. Without an early exit, so that it becomes vector instructions.
#[inline(always)]
fn all_pairs<R: Rank>(elements: &[R], related: impl Fn(R, R) -> bool) -> bool {
    elements.iter().zip(&elements[1..]).fold(true, |all, (&a, &b)| all & related(a, b))
}
