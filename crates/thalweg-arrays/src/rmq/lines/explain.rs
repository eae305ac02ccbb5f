//! A query told step by step: which entries it fetches, and which of them count.
//!
//! The same steps as [`super::query`], written for reading and not for speed. That they are the same is tested with indexes in
//! which everything is garbage but what is told here, and with indexes in which what is told here is changed.

use std::ops::Range;

use super::build::{ASCENDING, DESCENDING};
use super::{BLOCK, FAN, GROUP, LINE, Lines};
use crate::rmq::explain::{Explanation, Level, Look, Purpose};
use thalweg_core::Rank;

/// A walk through the index, and what has been found on the way.
struct Walk<'w, 'a, R: Rank> {
    index: &'w Lines<'a, R>,
    /// The range, by places.
    left: usize,
    right: usize,
    /// The best rank so far, and where: a level and the entries that it is among.
    best: Option<(R, Level, Range<usize>)>,
    open: (bool, bool),
    looks: Vec<Look>,
}

impl<R: Rank> Lines<'_, R> {
    /// How the range's answer is found.
    pub(super) fn explained(&self, left: usize, right: usize) -> Explanation {
        let (from, to) = (left + self.shift, right + self.shift);
        let walk = Walk { index: self, left: from, right: to, best: None, open: (true, true), looks: Vec::new() };
        let (position, looks) = walk.run();
        Explanation { range: [left, right], position, looks }
    }

    /// The positions that places stand for, as far as there are any.
    fn positions(&self, places: Range<usize>) -> Range<usize> {
        let position = |place: usize| place.saturating_sub(self.shift).min(self.array.len());
        position(places.start)..position(places.end)
    }
}

impl<R: Rank> Walk<'_, '_, R> {
    fn run(mut self) -> (usize, Vec<Look>) {
        if !self.index.ask_shapes && self.right / LINE - self.left / LINE <= FAN + 1 {
            self.short();
        } else {
            self.groups();
            if self.index.ask_shapes
                && let Some(position) = self.shapes()
            {
                return (position, self.looks);
            }
            if self.is_open() && self.right / BLOCK > self.left / BLOCK + 1 {
                self.level(Level::Blocks);
            }
            if self.is_open() {
                self.level(Level::Lines);
            }
        }
        if self.is_open() {
            self.level(Level::Elements);
        }
        let position = self.place();
        (position, self.looks)
    }

    fn is_open(&self) -> bool {
        self.open.0 | self.open.1
    }

    fn look(&mut self, level: Level, purpose: Purpose, fetched: Range<usize>, counted: Range<usize>) {
        let size = size_of_level(level);
        let elements = self.index.positions(counted.start * size..counted.end * size);
        self.looks.push(Look { level, purpose, fetched, counted, elements });
    }

    /// Takes candidates from further left, which win ties, or from further right.
    fn offer(&mut self, rank: R, level: Level, entries: Range<usize>, from_left: bool) {
        let wins = match &self.best {
            None => true,
            Some((best, ..)) => rank < *best || (from_left && rank == *best),
        };
        if wins {
            self.best = Some((rank, level, entries));
        }
    }

    /// The lines of a range of few lines, in one load whatever nodes they lie in; and whether either end's line has its
    /// minimum outside the range, and may hold something better inside.
    fn short(&mut self) {
        let (left, right) = (self.left / LINE, self.right / LINE);
        let inside = left + 1..right;
        if !inside.is_empty() {
            let one_node = inside.start / FAN >= (right - 1) / FAN;
            let start = if one_node { inside.start / FAN * FAN } else { inside.start };
            let start = start.min(self.index.levels.line.len() - FAN);
            self.look(Level::Lines, Purpose::Candidates, start..start + FAN, inside.clone());
            let rank = inside.clone().map(|line| self.rank(Level::Lines, line)).min().unwrap_or(R::WORST);
            self.offer(rank, Level::Lines, inside, false);
        }
        self.open.0 = self.end(left, left != right, true);
        self.open.1 = left != right && self.end(right, true, false);
    }

    /// One end of a short range: takes its line if that has its minimum inside. Whether it has to be opened instead.
    fn end(&mut self, line: usize, has_rivals: bool, is_left: bool) -> bool {
        let rank = self.rank(Level::Lines, line);
        if has_rivals {
            self.look(Level::Lines, Purpose::MayOpen, line..line + 1, line..line + 1);
            let best = self.best.as_ref().map_or(R::WORST, |(rank, ..)| *rank);
            if !(rank < best || (is_left && rank == best)) {
                return false;
            }
        }
        self.look(Level::Lines, Purpose::Place, line..line + 1, line..line + 1);
        let minimum = line * LINE + usize::from(self.index.levels.line_offset[line]);
        if (self.left..=self.right).contains(&minimum) {
            self.best = Some((rank, Level::Lines, line..line + 1));
            return false;
        }
        true
    }

    /// The groups strictly inside, by two windows of the table; and whether either end may hold something better.
    fn groups(&mut self) {
        let (left, right) = (self.left / GROUP, self.right / GROUP);
        let ends = [left, right].map(|g| self.index.levels.group[g]);
        if right > left + 1 {
            let (count, width) = (right - left - 1, self.index.table.width);
            let row = count.ilog2() as usize;
            for first in [left + 1, right - (1 << row)] {
                let at = row * width + first;
                let entry = self.index.table.entries[at];
                // An entry of the table stands for a window of groups.
                let elements = self.index.positions(first * GROUP..(first + (1 << row)) * GROUP);
                let (fetched, counted) = (at..at + 1, at..at + 1);
                self.looks.push(Look { level: Level::Table, purpose: Purpose::Candidates, fetched, counted, elements });
                // The left window comes first, and wins ties.
                let group = entry.group as usize;
                self.offer(entry.rank, Level::Groups, group..group + 1, false);
            }
            let best = self.best.as_ref().map_or(R::WORST, |(rank, ..)| *rank);
            self.open = (ends[0] <= best, ends[1] < best);
            for group in [left, right] {
                self.look(Level::Groups, Purpose::MayOpen, group..group + 1, group..group + 1);
            }
        }
    }

    /// The answer, if one of the range's ends is the best of its group because that is in order.
    fn shapes(&mut self) -> Option<usize> {
        let (index, left, right) = (self.index, self.left / GROUP, self.right / GROUP);
        if !self.is_open() {
            return None;
        }
        for (group, open) in [(left, self.open.0), (right, self.open.1)] {
            if open {
                self.look(Level::Shapes, Purpose::MayOpen, group..group + 1, group..group + 1);
            }
        }
        let first = self.open.0 && index.levels.shape[left] == ASCENDING;
        let last = !first && self.open.1 && index.levels.shape[right] == DESCENDING;
        if !first && !last {
            return None;
        }
        let place = if first { self.left } else { self.right };
        let position = place - index.shift;
        if left != right {
            let (other, other_open) = if first { (right, self.open.1) } else { (left, self.open.0) };
            let best = self.best.as_ref().map_or(R::WORST, |(rank, ..)| *rank);
            let rival = if other_open { best.min(index.levels.group[other]) } else { best };
            if other_open && !self.looks.iter().any(|look| look.level == Level::Groups) {
                self.look(Level::Groups, Purpose::MayOpen, other..other + 1, other..other + 1);
            }
            self.look(Level::Elements, Purpose::Candidates, place..place + 1, place..place + 1);
            let rank = index.array[position].ranked(index.order);
            if !(rank < rival || (rank == rival && first)) {
                // An end has to be opened after all, where the element will be met again.
                return None;
            }
        }
        Some(position)
    }

    /// The entries strictly between those of the two ends (with these themselves among the elements), as far as they lie in
    /// the ends' own nodes; and whether the ends have to be opened further.
    fn level(&mut self, level: Level) {
        let size = size_of_level(level);
        let (left, right) = (self.left / size, self.right / size);
        let inner = usize::from(level != Level::Elements);
        let same = left / FAN == right / FAN;
        let node = |entry: usize| entry / FAN * FAN..(entry / FAN + 1) * FAN;
        let (first, end) = (left + inner, right + 1 - inner);
        let mut sides = Vec::new();
        if self.open.0 {
            sides.push((left, first..if same { end } else { node(left).end }, true));
        }
        if self.open.1 && !(same && self.open.0) {
            sides.push((right, if same { first } else { node(right).start }..end, false));
        }
        for (entry, counted, from_left) in sides {
            if counted.is_empty() {
                continue;
            }
            self.look(level, Purpose::Candidates, node(entry), counted.clone());
            let rank = counted.clone().map(|entry| self.rank(level, entry)).min().unwrap_or(R::WORST);
            self.offer(rank, level, counted, from_left);
        }
        if level != Level::Elements {
            let best = self.best.as_ref().map_or(R::WORST, |(rank, ..)| *rank);
            for (entry, was_open, is_left) in [(left, self.open.0, true), (right, self.open.1, false)] {
                if was_open {
                    self.look(level, Purpose::MayOpen, node(entry), entry..entry + 1);
                    let rank = self.rank(level, entry);
                    let open = rank < best || (is_left && rank == best);
                    *(if is_left { &mut self.open.0 } else { &mut self.open.1 }) = open;
                }
            }
        }
    }

    fn rank(&self, level: Level, entry: usize) -> R {
        match level {
            Level::Lines => self.index.levels.line[entry],
            Level::Blocks => self.index.levels.block[entry],
            Level::Groups => self.index.levels.group[entry],
            _ => {
                let element = entry.checked_sub(self.index.shift).and_then(|position| self.index.array.get(position));
                element.map_or(R::WORST, |bits| bits.ranked(self.index.order))
            }
        }
    }

    /// The position of the best: its entry tells it.
    fn place(&mut self) -> usize {
        let (rank, level, mut entries) = self.best.clone().expect("ranges are not empty");
        let levels = &self.index.levels;
        let entry = match level {
            Level::Groups => entries.start,
            _ => entries.find(|&entry| self.rank(level, entry) == rank).expect("one of them is the best"),
        };
        let offset = match level {
            Level::Groups => usize::from(levels.group_offset[entry]),
            Level::Blocks => usize::from(levels.block_offset[entry]),
            Level::Lines => usize::from(levels.line_offset[entry]),
            _ => 0,
        };
        if level != Level::Elements {
            self.look(level, Purpose::Place, entry..entry + 1, entry..entry + 1);
        }
        entry * size_of_level(level) + offset - self.index.shift
    }
}

/// Elements below an entry of a level.
const fn size_of_level(level: Level) -> usize {
    match level {
        Level::Elements => 1,
        Level::Lines => LINE,
        Level::Blocks => BLOCK,
        Level::Groups | Level::Shapes | Level::Table => GROUP,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rmq::batch::CpuEngine;
    use crate::rmq::lines::build::{Levels, Shape};
    use crate::rmq::table::{Entry, Table};
    use thalweg_core::coding::Ranking;
    use thalweg_core::{Key, Order};

    /// An index whose parts can be changed.
    struct Open {
        array: Vec<u32>,
        line: Vec<u32>,
        line_offset: Vec<u8>,
        block: Vec<u32>,
        block_offset: Vec<u8>,
        group: Vec<u32>,
        group_offset: Vec<u16>,
        shape: Vec<Shape>,
        table: Vec<Entry<u32>>,
    }

    fn order() -> Ranking<u32> {
        Ranking::of::<u32>(Order::Min)
    }

    fn opened(index: &Lines<'_, u32>) -> Open {
        let levels = &index.levels;
        Open {
            array: index.array.to_vec(),
            line: levels.line.to_vec(),
            line_offset: levels.line_offset.to_vec(),
            block: levels.block.to_vec(),
            block_offset: levels.block_offset.to_vec(),
            group: levels.group.to_vec(),
            group_offset: levels.group_offset.to_vec(),
            shape: levels.shape.to_vec(),
            table: index.table.entries.to_vec(),
        }
    }

    fn closed(open: Open, like: &Lines<'_, u32>) -> Lines<'static, u32> {
        let levels = Levels {
            line: open.line.into(),
            line_offset: open.line_offset.into(),
            block: open.block.into(),
            block_offset: open.block_offset.into(),
            group: open.group.into(),
            group_offset: open.group_offset.into(),
            shape: open.shape.into(),
        };
        let table = Table { entries: open.table.into(), width: like.table.width };
        let (shift, ask_shapes) = (like.shift, like.ask_shapes);
        Lines { array: open.array.into(), order: order(), shift, levels, table, ask_shapes }
    }

    /// The index with garbage wherever nothing counts.
    fn poisoned(
        index: &Lines<'_, u32>,
        told: &Explanation,
        rank: u32,
        offset: u8,
        shape: Shape,
    ) -> Lines<'static, u32> {
        let mut open = opened(index);
        let counts = |level: Level, place: bool, entry: usize| {
            let places = |look: &Look| (look.purpose == Purpose::Place) == place;
            told.looks.iter().any(|look| look.level == level && places(look) && look.counted.contains(&entry))
        };
        let poison = |part: &mut [u32], level: Level| {
            for (entry, value) in part.iter_mut().enumerate() {
                if !counts(level, false, entry) {
                    *value = rank;
                }
            }
        };
        poison(&mut open.line, Level::Lines);
        poison(&mut open.block, Level::Blocks);
        poison(&mut open.group, Level::Groups);
        for (position, value) in open.array.iter_mut().enumerate() {
            if !counts(Level::Elements, false, position + index.shift) {
                *value = rank;
            }
        }
        for (entry, value) in open.line_offset.iter_mut().enumerate() {
            *value = if counts(Level::Lines, true, entry) { *value } else { offset % LINE as u8 };
        }
        for (entry, value) in open.block_offset.iter_mut().enumerate() {
            *value = if counts(Level::Blocks, true, entry) { *value } else { offset };
        }
        for (entry, value) in open.group_offset.iter_mut().enumerate() {
            *value = if counts(Level::Groups, true, entry) { *value } else { offset.into() };
        }
        for (entry, value) in open.shape.iter_mut().enumerate() {
            *value = if counts(Level::Shapes, false, entry) { *value } else { shape };
        }
        for (entry, value) in open.table.iter_mut().enumerate() {
            if !counts(Level::Table, false, entry) {
                *value = Entry { rank, group: 0 };
            }
        }
        closed(open, index)
    }

    /// Arrays of the kinds that take different ways, none with the ranks that poison has.
    fn arrays() -> Vec<(&'static str, Vec<u32>)> {
        let n = 5 * GROUP + 777;
        let mixed = |i: usize| (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 34;
        vec![
            ("random", (0..n).map(|i| 10 + mixed(i) as u32 / 2).collect()),
            ("few", (0..n).map(|i| 10 + mixed(i) as u32 % 3).collect()),
            ("rising", (0..n).map(|i| 10 + i as u32 / 3).collect()),
            ("falling", (0..n).map(|i| 10 + (n - i) as u32).collect()),
            ("waves", (0..n).map(|i| 1000 + (500.0 * (i as f64 / 900.0).sin()) as u32).collect()),
            ("constant", vec![42; n]),
        ]
    }

    fn ranges(n: usize) -> Vec<[usize; 2]> {
        let random = |i: usize, below: usize| (i as u64 + 1).wrapping_mul(0xd129_3ab4_c8f5_2e77) as usize / 7 % below;
        let mut ranges = vec![[0, 0], [0, n - 1], [n - 1, n - 1], [15, 16], [4095, 4096], [100, 8500]];
        for (i, len) in [2, 9, 16, 17, 100, 255, 256, 700, 4095, 4097, 9000, 3 * GROUP].into_iter().enumerate() {
            let left = random(i, n - len);
            ranges.push([left, left + len - 1]);
            ranges.push([left / LINE * LINE, left / LINE * LINE + len - 1]);
        }
        ranges
    }

    #[test]
    fn nothing_else_is_looked_at() {
        for (name, array) in arrays() {
            for skip in [0, 3] {
                let array = &array[skip..];
                let index = Lines::new(array.into(), order()).unwrap();
                for [left, right] in ranges(array.len()) {
                    let told = index.explained(left, right);
                    assert_eq!(told.position, index.position(left, right), "{name} {skip} {left} {right}");
                    for (rank, offset, shape) in [(0, 0, ASCENDING), (u32::MAX, 9, DESCENDING), (1, 3, 0)] {
                        let other = poisoned(&index, &told, rank, offset, shape);
                        let answer = other.position(left, right);
                        assert_eq!(answer, told.position, "{name} {skip} {left} {right} {rank}\n{told:#?}");
                    }
                }
            }
        }
    }

    /// Whatever competes wins when it becomes the best.
    #[test]
    fn all_of_it_counts() {
        for (name, array) in arrays() {
            let index = Lines::new(array.as_slice().into(), order()).unwrap();
            for [left, right] in ranges(array.len()) {
                let told = index.explained(left, right);
                for look in told.looks.iter().filter(|look| look.purpose == Purpose::Candidates) {
                    let entry = look.counted.start + look.counted.len() / 2;
                    let mut open = opened(&index);
                    // An element in order is compared with what it would have to beat, and a group in order is not asked.
                    let place = match look.level {
                        Level::Elements => {
                            open.array[entry - index.shift] = 0;
                            entry
                        }
                        Level::Lines => {
                            open.line[entry] = 0;
                            entry * LINE + usize::from(open.line_offset[entry])
                        }
                        Level::Blocks => {
                            open.block[entry] = 0;
                            entry * BLOCK + usize::from(open.block_offset[entry])
                        }
                        _ => {
                            open.table[entry].rank = 0;
                            let group = open.table[entry].group as usize;
                            group * GROUP + usize::from(open.group_offset[group])
                        }
                    };
                    let answer = closed(open, &index).position(left, right);
                    assert_eq!(answer, place - index.shift, "{name} {left} {right} {look:?}");
                }
            }
        }
    }

    #[test]
    fn all_types_and_orders_are_told_the_truth() {
        macro_rules! one {
            ($t:ident) => {
                let keys: Vec<$t> = (0..9000u64)
                    .map(|i| $t::from_low_bits(i.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left((i % 60) as u32)))
                    .collect();
                for order in [Order::Min, Order::Max] {
                    let rmq = crate::Rmq::with_engine(&keys[..], order, crate::rmq::Engine::default()).unwrap();
                    for [left, right] in [[0, 8999], [5, 21], [100, 900], [4000, 4200], [7, 7], [3000, 8999]] {
                        let told = rmq.as_engine().explain(left, right).unwrap();
                        assert_eq!(Some(told.position), rmq.position(left..=right), "{} {left} {right}", $t::NAME);
                        assert!(told.looks.iter().all(|look| look.elements.end <= keys.len()));
                    }
                }
            };
        }
        thalweg_core::for_each_key!(one);
    }
}
