//! An index that owns its array and follows its changes.
//!
//! An element that is set can change the minimum of its line, and a line's change that of its block, and so on; but hardly
//! ever does: of random elements one in eight changes a line, one in a hundred a block, and one in two thousand a group.
//! So an update is one write to the array and one look at its line. Where the minimum itself has been overwritten by
//! something worse, its node is searched anew, which is a cache line.
//!
//! A group whose minimum has changed changes the entries of the table whose windows it lies in, up to twice as many as
//! there are groups. They are made anew at the end of a batch, row by row, for as long as a row has an entry that changes.
//!
//! A batch goes through the array in portions, as queries do: what a portion will touch is asked of the memory before it
//! begins. Large batches are cut into buckets of neighbouring groups first ([`super::buckets`]), in order, so that threads have
//! groups of their own and the last one of several updates of an element wins on any number of threads. A bucket looks at
//! blocks once, after all of its lines. A batch that is not much smaller than the array writes its elements and builds the
//! groups anew.
//!
//! What binds is memory: 2^20 random elements of 2^26 lie in a quarter of the array's cache lines. To write them, sorted and
//! asked for beforehand, and to do nothing else, takes a third of a build on one thread.
//!
//! Appended elements go to the room behind the array. Where there is none, array and index move to memory half as large
//! again, so that appending takes constant time an element, over many.
#![allow(unsafe_code)]

use std::ops::Range;
use std::sync::Mutex;

use super::buckets::{AHEAD, Buckets, Update, write_all};
use super::build::{ASCENDING, DESCENDING, MIXED, Places, Room};
use super::lanes::{AnyMachine, Machine, children};
use super::query::{self, View};
use super::{BLOCK, FAN, GROUP, LINE, MONOTONE_SHARE, groups};
use crate::rmq::batch::CpuEngine;
use crate::rmq::engine::{ChangingEngine, bad_change, expect_changes};
use crate::rmq::stages::{PORTION, most};
use crate::rmq::table::Table;
use thalweg_core::bits::{Bits, BitsMut};
use thalweg_core::coding::Ranking;
use thalweg_core::disjoint::Disjoint;
use thalweg_core::dispatch;
use thalweg_core::memory::Aligned;
use thalweg_core::parallel::{chunk_range, find_first, for_each_chunk};
use thalweg_core::simd::prefetch_line;
use thalweg_core::{Error, Pairs, Position, PositionsMut, PositionsRef, Rank, Result};

/// Updates of a batch that is cut into buckets for several threads: fewer take less time than waking them.
const PARALLEL: usize = 1 << 14;
/// Buckets at most.
const BUCKETS: usize = 1 << 8;
/// One update in fewer elements than this, and the groups are built anew: at 2^22 of 2^26 either way takes as long.
const DENSE: usize = 16;
/// Appended elements that are put into the levels one by one, at most; more, and the last group is built anew.
const ONE_BY_ONE: usize = 64;

/// The index. See the module's text.
pub(in crate::rmq) struct ChangingLines<R: Rank> {
    array: Elements<R>,
    order: Ranking<R>,
    shift: usize,
    groups: usize,
    levels: Room<R>,
    table: Table<'static, R>,
    /// Groups whose elements are in order.
    monotone: usize,
}

impl<R: Rank> ChangingLines<R> {
    pub(in crate::rmq) fn new(array: Vec<R>, order: Ranking<R>) -> Result<Self> {
        let shift = (array.as_ptr() as usize % (LINE * size_of::<R>())) / size_of::<R>();
        let groups = groups(array.len(), shift);
        let mut levels = Room::for_groups(groups)?;
        levels.fill(0..groups, &array, order, shift);
        let table = Table::with_room(&levels.group, groups, groups)?;
        let monotone = monotone(&levels.shape[..groups]);
        Ok(Self { array: Elements::of(array), order, shift, groups, levels, table, monotone })
    }

    fn view(&self) -> View<'_, R> {
        View {
            array: self.array.slice(),
            order: self.order,
            shift: self.shift,
            line: &self.levels.line,
            line_offset: &self.levels.line_offset,
            block: &self.levels.block,
            block_offset: &self.levels.block_offset,
            group: &self.levels.group,
            group_offset: &self.levels.group_offset,
            shape: &self.levels.shape,
            ask_shapes: self.monotone * MONOTONE_SHARE > self.groups,
            table: &self.table.entries,
            width: self.table.width,
        }
    }

    fn changes(&mut self) -> Changes<'_, R> {
        let array = Disjoint::new(self.array.slice_mut());
        Changes { array, levels: self.levels.places(), order: self.order, shift: self.shift }
    }

    /// Sets elements, in this order: the last one of several at a position wins.
    fn set_all<P: Position>(&mut self, positions: &[P], values: &[R]) -> Result<()> {
        let len = self.array.len;
        let bad = |range: Range<usize>| {
            let worst = positions[range.clone()].iter().fold(0, |most, position| position.get().max(most));
            if worst < len { None } else { range.into_iter().find(|&row| positions[row].get() >= len) }
        };
        if let Some(row) = find_first(positions.len(), 1 << 14, &bad) {
            return Err(bad_change(row, positions[row], len));
        }
        let changed = if positions.len() < PARALLEL {
            let mut changed = Changed::default();
            apply(self.changes(), positions, values, &mut changed);
            changed
        } else {
            self.set_in_buckets(positions, values)?
        };
        self.monotone = self.monotone + changed.ordered - changed.broken;
        let mut dirty = changed.groups;
        dirty.sort_unstable();
        dirty.dedup();
        self.table.refresh(&self.levels.group, self.groups, &dirty);
        Ok(())
    }

    /// The same for many, by all threads. Tells what has changed of the groups.
    fn set_in_buckets<P: Position>(&mut self, positions: &[P], values: &[R]) -> Result<Changed> {
        let dense = positions.len() > self.array.len / DENSE;
        let bucket_groups = self.groups.div_ceil(BUCKETS).next_power_of_two();
        let count = self.groups.div_ceil(bucket_groups);
        let buckets = Buckets::new(positions, values, count, (self.shift, (bucket_groups * GROUP).ilog2()))?;
        let groups = self.groups;
        let changes = self.changes();
        let all = Mutex::new(Changed::default());
        let bucket = |bucket: usize| {
            let updates = buckets.get(bucket);
            if updates.is_empty() {
                return;
            }
            let mut changed = Changed::default();
            let groups = bucket * bucket_groups..groups.min((bucket + 1) * bucket_groups);
            if dense {
                // SAFETY: every bucket has groups of its own, and positions are inside the array.
                unsafe { changes.rewrite(updates, groups, &mut changed) };
            } else {
                apply_bucket(changes, updates, groups, &mut changed);
            }
            let mut all = all.lock().expect("nobody panics with the lock");
            all.groups.append(&mut changed.groups);
            all.broken += changed.broken;
            all.ordered += changed.ordered;
        };
        for_each_chunk(buckets.count(), 1, &|range| range.for_each(bucket));
        Ok(all.into_inner().expect("nobody panics with the lock"))
    }

    /// Appends elements.
    fn append_all(&mut self, values: &[R]) -> Result<()> {
        let (before, old_groups) = (self.array.len, self.groups);
        let len =
            before.checked_add(values.len()).ok_or(Error::OutOfMemory { bytes: usize::MAX, what: "the array" })?;
        if values.is_empty() {
            return Ok(());
        }
        if before == 0 {
            // Nothing has a place yet.
            self.shift = 0;
        }
        self.make_room(len)?;
        self.array.append(values, self.shift);
        self.groups = groups(len, self.shift);
        self.monotone -= monotone(&self.levels.shape[old_groups.saturating_sub(1)..old_groups]);
        if values.len() <= ONE_BY_ONE && before > 0 {
            for group in old_groups..self.groups {
                self.levels.clear(group);
            }
            let changes = self.changes();
            for (i, &bits) in (before..).zip(values) {
                // SAFETY: nobody else is here, and the position is inside the array.
                unsafe { changes.put_last(i, bits) };
            }
        } else {
            let touched = old_groups.saturating_sub(1)..self.groups;
            self.levels.fill(touched, self.array.slice(), self.order, self.shift);
        }
        self.monotone += monotone(&self.levels.shape[old_groups.saturating_sub(1)..self.groups]);
        self.table.extend(&self.levels.group, old_groups.saturating_sub(1)..self.groups);
        Ok(())
    }

    /// Room for an array of `len` elements and its index.
    fn make_room(&mut self, len: usize) -> Result<()> {
        let shift = if self.array.len == 0 { 0 } else { self.shift };
        let grown = |room: usize| if room == 0 { len } else { len.max(room.saturating_add(room / 2)) };
        // Everything is there before anything moves: what is refused changes nothing.
        let array =
            if len > self.array.room(shift) { Some(self.array.moved(grown(self.array.len), shift)?) } else { None };
        let (wanted, width) = (groups(len, shift), self.table.width);
        if wanted > width {
            let width = groups(grown(self.array.len), shift).max(wanted);
            let mut levels = Room::for_groups(width)?;
            let table = self.table.moved(width, self.groups)?;
            levels.copy(&self.levels, self.groups);
            (self.levels, self.table) = (levels, table);
        }
        if let Some(array) = array {
            self.array = array;
        }
        self.shift = shift;
        Ok(())
    }
}

impl<R: Rank> CpuEngine for ChangingLines<R> {
    fn name(&self) -> &'static str {
        "lines"
    }

    fn len(&self) -> usize {
        self.array.len
    }

    fn array(&self) -> Option<Bits<'_>> {
        Some(R::erase(self.array.slice()))
    }

    fn extra_bytes(&self) -> usize {
        self.levels.bytes() + self.table.entries.held_bytes()
    }

    fn position(&self, left: usize, right: usize) -> usize {
        query::single(&self.view(), left, right)
    }

    fn answer(&self, queries: Pairs<'_>, out: PositionsMut<'_>) -> Option<()> {
        self.view().answer_positions(queries, out)
    }

    fn finds_values(&self) -> bool {
        true
    }

    fn answer_values(&self, queries: Pairs<'_>, out: BitsMut<'_>) -> Option<()> {
        self.view().answer_values(queries, out)
    }

    fn as_changing(&mut self) -> Option<&mut dyn ChangingEngine> {
        Some(self)
    }
}

impl<R: Rank> ChangingEngine for ChangingLines<R> {
    fn set_batch(&mut self, positions: PositionsRef<'_>, values: Bits<'_>) -> Result<()> {
        let values = expect_changes::<R>(Some(positions), values)?;
        match positions {
            PositionsRef::U32(positions) => self.set_all(positions, values),
            PositionsRef::U64(positions) => self.set_all(positions, values),
        }
    }

    fn append(&mut self, values: Bits<'_>) -> Result<()> {
        self.append_all(expect_changes::<R>(None, values)?)
    }

    fn reserve(&mut self, len: usize) -> Result<()> {
        self.make_room(len)
    }
}

/// How many groups are in order.
fn monotone(shapes: &[u8]) -> usize {
    shapes.iter().filter(|&&shape| shape != MIXED).count()
}

/// The array, whose first element never changes its place in a cache line: see [`ChangingLines::shift`].
struct Elements<R> {
    memory: Memory<R>,
    start: usize,
    len: usize,
}

enum Memory<R> {
    /// The caller's, until it is too small.
    Given(Vec<R>),
    Own(Aligned<R>),
}

impl<R: Rank> Elements<R> {
    fn of(array: Vec<R>) -> Self {
        Self { start: 0, len: array.len(), memory: Memory::Given(array) }
    }

    fn slice(&self) -> &[R] {
        match &self.memory {
            Memory::Given(vec) => vec,
            Memory::Own(memory) => &memory[self.start..self.start + self.len],
        }
    }

    fn slice_mut(&mut self) -> &mut [R] {
        match &mut self.memory {
            Memory::Given(vec) => vec,
            Memory::Own(memory) => &mut memory[self.start..self.start + self.len],
        }
    }

    /// How many elements there is room for, the first of them at place `shift`.
    fn room(&self, shift: usize) -> usize {
        match &self.memory {
            // What has no elements yet may lie anywhere.
            Memory::Given(_) if self.len == 0 => 0,
            Memory::Given(vec) => vec.capacity(),
            Memory::Own(memory) => memory.len() - shift,
        }
    }

    /// The same elements in memory with room for so many.
    fn moved(&self, room: usize, shift: usize) -> Result<Self> {
        let mut memory = Aligned::zeroed(room.saturating_add(shift), "the array")?;
        let (from, to) = (self.slice(), Disjoint::new(&mut memory[shift..]));
        for_each_chunk(from.len(), 1 << 16, &|range| {
            // SAFETY: inside, and ranges do not overlap.
            unsafe { to.copy_from(range.start, &from[range]) };
        });
        Ok(Self { memory: Memory::Own(memory), start: shift, len: self.len })
    }

    /// Appends elements, for which there is room.
    fn append(&mut self, values: &[R], shift: usize) {
        match &mut self.memory {
            Memory::Given(vec) => vec.extend_from_slice(values),
            Memory::Own(memory) => {
                self.start = shift;
                memory[shift + self.len..][..values.len()].copy_from_slice(values);
            }
        }
        self.len += values.len();
    }
}

/// What updates have done to groups.
#[derive(Default)]
struct Changed {
    /// Those whose minima have other ranks. Some may be there twice.
    groups: Vec<usize>,
    /// How many are no longer in order, and how many newly are.
    broken: usize,
    ordered: usize,
}

/// An array and its levels, to be changed by tasks that have groups of their own.
#[derive(Clone, Copy)]
struct Changes<'p, R: Rank> {
    array: Disjoint<'p, R>,
    levels: Places<'p, R>,
    order: Ranking<R>,
    shift: usize,
}

impl<R: Rank> Changes<'_, R> {
    /// Asks the memory for what [`Changes::set`] will touch.
    #[inline(always)]
    fn ask(self, position: usize) {
        let line = (position + self.shift) / LINE;
        prefetch_line(self.array.as_ptr().wrapping_add(position));
        prefetch_line(self.levels.line.as_ptr().wrapping_add(line));
        prefetch_line(self.levels.line_offset.as_ptr().wrapping_add(line));
    }

    /// Sets an element.
    ///
    /// # Safety
    /// The position is inside the array, and nobody else touches its group.
    #[inline(always)]
    unsafe fn set(self, position: usize, bits: R, changed: &mut Changed) {
        let place = position + self.shift;
        let (line, lane) = (place / LINE, (place % LINE) as u8);
        let rank = bits.ranked(self.order);
        // SAFETY: the caller's promise, here and below: lines, blocks and group are those of the position.
        unsafe {
            self.write(position, bits, changed);
            if let Some(new) = self.new_minimum(line, lane, rank) {
                self.line_changed(line, new, changed);
            }
        }
    }

    /// The minimum of a line in which an element has been set, if it is another one now.
    ///
    /// # Safety
    /// As for [`Changes::set`].
    #[inline(always)]
    unsafe fn new_minimum(self, line: usize, lane: u8, rank: R) -> Option<(R, u8)> {
        // SAFETY: the caller's promise.
        unsafe {
            let (least, offset) = (self.levels.line.get(line), self.levels.line_offset.get(line));
            if (rank > least) & (lane != offset) {
                return None;
            }
            let new = if rank < least || rank == least && lane <= offset {
                (rank, lane)
            } else if lane == offset {
                self.search_line(line)
            } else {
                return None;
            };
            (new != (least, offset)).then_some(new)
        }
    }

    /// Writes an element, and tells whether its group is still in order. Nothing else stands above it yet.
    ///
    /// # Safety
    /// As for [`Changes::set`].
    #[inline(always)]
    unsafe fn write(self, position: usize, bits: R, changed: &mut Changed) {
        let group = (position + self.shift) / GROUP;
        // SAFETY: the caller's promise.
        unsafe {
            self.array.put(position, bits);
            if self.levels.shape.get(group) != MIXED {
                self.check_order(position, group, changed);
            }
        }
    }

    /// The minimum of a line, and its offset.
    ///
    /// # Safety
    /// The line has elements, and nobody changes them.
    #[inline(always)]
    unsafe fn search_line(self, line: usize) -> (R, u8) {
        let start = (line * LINE).max(self.shift) - self.shift;
        let end = ((line + 1) * LINE - self.shift).min(self.array.len());
        // SAFETY: inside the array.
        let elements = unsafe { self.array.read(start..end) };
        if let Ok(whole) = <&[R; LINE]>::try_from(elements) {
            let mut ranks = [R::WORST; LINE];
            R::rank_all(whole, self.order, &mut ranks);
            let (rank, lane) = AnyMachine::leftmost_min(&ranks);
            return (rank, lane as u8);
        }
        let first = start + self.shift - line * LINE;
        let mut best = (elements[0].ranked(self.order), first as u8);
        for (lane, key) in (first..).zip(elements).skip(1) {
            let rank = key.ranked(self.order);
            if rank < best.0 {
                best = (rank, lane as u8);
            }
        }
        best
    }

    /// Notes a line's new minimum, and what follows of it.
    ///
    /// # Safety
    /// Nobody else touches the line's group.
    #[inline(always)]
    unsafe fn line_changed(self, line: usize, (rank, offset): (R, u8), changed: &mut Changed) {
        let (block, group) = (line / FAN, line / (FAN * FAN));
        let levels = self.levels;
        // SAFETY: the caller's promise; children lie behind each other, and all of a group's are this task's.
        unsafe {
            levels.line.put(line, rank);
            levels.line_offset.put(line, offset);
            let was = (levels.block.get(block), levels.block_offset.get(block));
            self.remake_block(block);
            if (levels.block.get(block), levels.block_offset.get(block)) != was {
                self.remake_group(group, changed);
            }
        }
    }

    /// Makes a block's minimum anew, of its lines'.
    ///
    /// # Safety
    /// Nobody else touches the block's group.
    #[inline(always)]
    unsafe fn remake_block(self, block: usize) {
        let levels = self.levels;
        // SAFETY: the caller's promise; children lie behind each other.
        unsafe {
            let (rank, lane) = AnyMachine::leftmost_min(children(levels.line.read(block * FAN..(block + 1) * FAN), 0));
            levels.block.put(block, rank);
            levels.block_offset.put(block, (lane * LINE) as u8 + levels.line_offset.get(block * FAN + lane));
        }
    }

    /// The same for a group, of its blocks'.
    ///
    /// # Safety
    /// Nobody else touches the group.
    #[inline(always)]
    unsafe fn remake_group(self, group: usize, changed: &mut Changed) {
        let levels = self.levels;
        // SAFETY: as above.
        unsafe {
            let (rank, lane) = AnyMachine::leftmost_min(children(levels.block.read(group * FAN..(group + 1) * FAN), 0));
            let offset = (lane * BLOCK) as u16 + u16::from(levels.block_offset.get(group * FAN + lane));
            levels.group_offset.put(group, offset);
            if rank != levels.group.get(group) {
                levels.group.put(group, rank);
                changed.groups.push(group);
            }
        }
    }

    /// Whether the elements of a group that was in order still are, after one has been set.
    ///
    /// # Safety
    /// As for [`Changes::set`].
    #[cold]
    #[inline(never)]
    unsafe fn check_order(self, position: usize, group: usize, changed: &mut Changed) {
        let start = (group * GROUP).max(self.shift) - self.shift;
        let end = ((group + 1) * GROUP - self.shift).min(self.array.len());
        // SAFETY: the caller's promise: all of it lies in the group.
        unsafe {
            let near = self.array.read(position.max(start + 1) - 1..end.min(position + 2));
            let ascending = self.levels.shape.get(group) == ASCENDING;
            let fits = |pair: &[R]| {
                let (a, b) = (pair[0].ranked(self.order), pair[1].ranked(self.order));
                if ascending { a <= b } else { a > b }
            };
            if !near.windows(2).all(fits) {
                self.levels.shape.put(group, MIXED);
                changed.broken += 1;
            }
        }
    }

    /// Puts the array's last element, as far as the levels know, into them.
    ///
    /// # Safety
    /// The position is inside the array, and nobody else touches its group.
    unsafe fn put_last(self, position: usize, bits: R) {
        let place = position + self.shift;
        let (line, lane, group) = (place / LINE, (place % LINE) as u8, place / GROUP);
        let rank = bits.ranked(self.order);
        // What the table has to know is known to whoever appends.
        let mut changed = Changed::default();
        // SAFETY: the caller's promise.
        unsafe {
            let before = position.checked_sub(1).filter(|_| !place.is_multiple_of(GROUP));
            let before = before.map(|before| self.array.read(before..position)[0].ranked(self.order));
            let second = place % GROUP == 1 || position == 1;
            let shape = match (before, self.levels.shape.get(group)) {
                (None, _) => ASCENDING,
                (Some(before), ASCENDING) if before <= rank => ASCENDING,
                (Some(before), ASCENDING) if before > rank && second => DESCENDING,
                (Some(before), DESCENDING) if before > rank => DESCENDING,
                _ => MIXED,
            };
            self.levels.shape.put(group, shape);
            // The first element of a line counts even if its rank is the worst.
            if lane == 0 || rank < self.levels.line.get(line) {
                self.line_changed(line, (rank, lane), &mut changed);
            }
        }
    }

    /// Sets elements and builds their groups anew.
    ///
    /// # Safety
    /// The positions lie in these groups, which nobody else touches.
    unsafe fn rewrite<P: Position>(self, updates: &[Update<P, R>], groups: Range<usize>, changed: &mut Changed) {
        // SAFETY: the caller's promise.
        unsafe {
            write_all(self.array, updates);
            for group in groups {
                let was = (self.levels.group.get(group), self.levels.shape.get(group));
                self.levels.fill(group, self.array.read(0..self.array.len()), self.order, self.shift);
                if self.levels.group.get(group) != was.0 {
                    changed.groups.push(group);
                }
                changed.broken += usize::from(was.1 != MIXED);
                changed.ordered += usize::from(self.levels.shape.get(group) != MIXED);
            }
        }
    }
}

dispatch! {
    /// Sets elements that are inside the array, in groups that nobody else touches.
    fn apply<R: Rank, P: Position>(
        changes: Changes<'_, R>, positions: &[P], values: &[R], changed: &mut Changed,
    ) = apply_body, up to most::<R>();
}

#[inline(always)]
fn apply_body<R: Rank, P: Position>(changes: Changes<'_, R>, positions: &[P], values: &[R], changed: &mut Changed) {
    let ask = |range: Range<usize>| positions[range].iter().for_each(|position| changes.ask(position.get()));
    let portions = positions.len().div_ceil(PORTION);
    ask(0..positions.len().min(PORTION));
    for portion in 0..portions {
        let range = chunk_range(portion, PORTION, positions.len());
        if portion + 1 < portions {
            ask(chunk_range(portion + 1, PORTION, positions.len()));
        }
        for (position, &bits) in positions[range.clone()].iter().zip(&values[range]) {
            // SAFETY: positions have been compared with the length; the groups are the caller's own.
            unsafe { changes.set(position.get(), bits, changed) };
        }
    }
}

dispatch! {
    /// Sets elements that are inside the array, many of them, in groups that nobody else touches.
    fn apply_bucket<R: Rank, P: Position>(
        changes: Changes<'_, R>, updates: &[Update<P, R>], groups: Range<usize>, changed: &mut Changed,
    ) = apply_bucket_body, up to most::<R>();
}

#[inline(always)]
fn apply_bucket_body<R: Rank, P: Position>(
    changes: Changes<'_, R>,
    updates: &[Update<P, R>],
    groups: Range<usize>,
    changed: &mut Changed,
) {
    // Blocks of whose lines some have other minima, a word of bits for each group.
    let mut touched = vec![0u16; groups.len()];
    updates.iter().take(AHEAD).for_each(|update| changes.ask(update.0.get()));
    for (i, &(position, bits)) in updates.iter().enumerate() {
        if let Some((next, _)) = updates.get(i + AHEAD) {
            changes.ask(next.get());
        }
        let place = position.get() + changes.shift;
        let (line, lane) = (place / LINE, (place % LINE) as u8);
        // SAFETY: positions have been compared with the length; the groups are the caller's own.
        unsafe {
            changes.write(position.get(), bits, changed);
            if let Some((rank, offset)) = changes.new_minimum(line, lane, bits.ranked(changes.order)) {
                changes.levels.line.put(line, rank);
                changes.levels.line_offset.put(line, offset);
                touched[line / (FAN * FAN) - groups.start] |= 1 << (line / FAN % FAN);
            }
        }
    }
    for (group, mut blocks) in groups.zip(touched).filter(|(_, blocks)| *blocks != 0) {
        // SAFETY: as above.
        unsafe {
            while blocks != 0 {
                changes.remake_block(group * FAN + blocks.trailing_zeros() as usize);
                blocks &= blocks - 1;
            }
            changes.remake_group(group, changed);
        }
    }
}
