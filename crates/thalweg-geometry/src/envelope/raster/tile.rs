//! The tree of one tile, and the runs that it makes.

use super::super::place::GAP;
use super::{Axis, TILE};

/// A Li Chao tree over the positions of a tile: node 1 is the whole tile, the children of node v are 2v and 2v + 1.
pub(super) struct Tree<'a> {
    axis: &'a Axis<'a>,
    first: u32,
    last: u32,
    lines: Vec<u32>,
    /// Whether there is a line below a node.
    below: Vec<bool>,
    /// The nodes that have lines.
    used: Vec<u32>,
    runs: Vec<(u32, u32, u32)>,
    /// Lines of the nodes above, of which any may be the lowest somewhere: a stack of lists.
    candidates: Vec<u32>,
}

impl<'a> Tree<'a> {
    pub(super) fn new(axis: &'a Axis<'a>) -> Self {
        Self {
            axis,
            first: 0,
            last: 0,
            lines: vec![GAP; 2 * TILE],
            below: vec![false; 2 * TILE],
            used: Vec::new(),
            runs: Vec::new(),
            candidates: Vec::new(),
        }
    }

    /// Begins an empty tile, of these positions.
    pub(super) fn start(&mut self, first: u32, last: u32) {
        for node in self.used.drain(..) {
            let mut node = node as usize;
            self.lines[node] = GAP;
            while node > 1 && self.below[node / 2] {
                node /= 2;
                self.below[node] = false;
            }
        }
        (self.first, self.last) = (first, last);
        self.runs.clear();
    }

    /// The positions of a node that are in the tile; none if the first is behind the last.
    fn range(&self, node: usize) -> [u32; 2] {
        let level = node.ilog2();
        let size = TILE >> level;
        let start = self.first + ((node - (1 << level)) * size) as u32;
        [start, (start + (size as u32 - 1)).min(self.last)]
    }

    /// Inserts a line that covers these positions of the tile.
    pub(super) fn insert(&mut self, line: u32, [first, last]: [u32; 2]) {
        if [first, last] == [self.first, self.last] {
            return self.insert_at(line, 1);
        }
        // The nodes that make up the range, from both ends upwards.
        let mut left = TILE + (first - self.first) as usize;
        let mut right = TILE + (last - self.first) as usize + 1;
        while left < right {
            if left % 2 == 1 {
                self.insert_at(line, left);
                left += 1;
            }
            if right % 2 == 1 {
                right -= 1;
                self.insert_at(line, right);
            }
            left /= 2;
            right /= 2;
        }
    }

    fn insert_at(&mut self, mut line: u32, mut node: usize) {
        loop {
            let there = self.lines[node];
            if there == GAP {
                self.lines[node] = line;
                self.used.push(node as u32);
                while node > 1 && !self.below[node / 2] {
                    node /= 2;
                    self.below[node] = true;
                }
                return;
            }
            let [first, last] = self.range(node);
            if first == last {
                if self.axis.is_lower(line, there, first) {
                    self.lines[node] = line;
                }
                return;
            }
            // Where the halves meet, so that what is lower on one side of it lies in one half.
            let middle = self.range(2 * node + 1)[0].min(last);
            if self.axis.is_lower(line, there, middle) {
                self.lines[node] = line;
                line = there;
            }
            let winner = self.lines[node];
            if self.axis.is_lower(line, winner, first) {
                node *= 2;
            } else if self.axis.is_lower(line, winner, last) {
                node = 2 * node + 1;
            } else {
                return;
            }
        }
    }

    /// The lowest lines from left to right, as (first position, position behind the last, line).
    pub(super) fn runs(&mut self) -> &[(u32, u32, u32)] {
        self.candidates.clear();
        self.walk(1, 0);
        &self.runs
    }

    /// Goes through a node. Its candidates are on the stack from `bottom` on.
    fn walk(&mut self, node: usize, bottom: usize) {
        let range = self.range(node);
        if range[0] > self.last {
            return;
        }
        if self.lines[node] != GAP {
            self.candidates.push(self.lines[node]);
        }
        self.prune(bottom, range);
        if !self.below[node] {
            return self.split(range, bottom);
        }
        for child in [2 * node, 2 * node + 1] {
            let top = self.candidates.len();
            self.candidates.extend_from_within(bottom..top);
            self.walk(child, top);
            self.candidates.truncate(top);
        }
    }

    /// Runs of the candidates alone.
    fn split(&mut self, [first, last]: [u32; 2], bottom: usize) {
        match self.candidates[bottom..] {
            [] => self.run(first, last, GAP),
            [line] => self.run(first, last, line),
            _ => {
                let middle = first + (last - first) / 2;
                for half in [[first, middle], [middle + 1, last]] {
                    let top = self.candidates.len();
                    self.candidates.extend_from_within(bottom..top);
                    self.prune(top, half);
                    self.split(half, top);
                    self.candidates.truncate(top);
                }
            }
        }
    }

    /// Drops candidates that another one hides in a range. Of one position, all but the lowest.
    fn prune(&mut self, bottom: usize, range: [u32; 2]) {
        let (axis, list) = (self.axis, &mut self.candidates);
        for end in range {
            if list.len() - bottom < 2 {
                return;
            }
            let lowest = list[bottom..].iter().copied().min_by(|&one, &two| axis.compare(one, two, end));
            let lowest = lowest.expect("there are candidates");
            let (mut kept, mut has_lowest) = (bottom, false);
            for i in bottom..list.len() {
                let line = list[i];
                // The same line may come from two nodes.
                let stays = if line == lowest { !has_lowest } else { !axis.hides(lowest, line, range) };
                has_lowest |= line == lowest;
                if stays {
                    list[kept] = line;
                    kept += 1;
                }
            }
            list.truncate(kept);
        }
    }

    fn run(&mut self, first: u32, last: u32, line: u32) {
        match self.runs.last_mut() {
            Some((_, end, same)) if *same == line => *end = last + 1,
            _ => self.runs.push((first, last + 1, line)),
        }
    }
}
