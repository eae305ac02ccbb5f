//! `exact_cover`: Sudoku as exact cover, by dancing links. The oracle: no code and no idea is shared with `bands`.
//!
//! There are 324 things to be had once each: a digit in every cell, and every digit in every row, column and box. A
//! candidate has four of them. A search covers the thing with the fewest candidates, tries each, and takes everything back
//! afterwards, by the links that the removed nodes still have (Knuth, "Dancing Links", 2000). One puzzle takes some 10 to 1000 µs.

use super::Grid;

/// Things, which are also the heads of their lists; the head of all heads comes after them.
const THINGS: usize = 324;
const ROOT: usize = THINGS;
const NODES: usize = THINGS + 1 + 729 * 4;

/// Lists of heads and of candidates that have a thing, linked both ways.
struct Links {
    left: Vec<u16>,
    right: Vec<u16>,
    up: Vec<u16>,
    down: Vec<u16>,
    /// The head of a node's list.
    head: Vec<u16>,
    /// How many candidates have a thing.
    size: Vec<u16>,
    is_covered: Vec<bool>,
}

/// The four nodes of a candidate are side by side.
const fn candidate(node: usize) -> usize {
    (node - THINGS - 1) / 4
}

const fn first_node(candidate: usize) -> usize {
    THINGS + 1 + candidate * 4
}

/// Cell and digit (from 0) of a candidate: `cell * 9 + digit`; and the things that it has.
fn things(candidate: usize) -> [usize; 4] {
    let (cell, digit) = (candidate / 9, candidate % 9);
    let (row, column) = (cell / 9, cell % 9);
    let in_box = row / 3 * 3 + column / 3;
    [cell, 81 + row * 9 + digit, 162 + column * 9 + digit, 243 + in_box * 9 + digit]
}

impl Links {
    fn new() -> Self {
        let own = || (0..NODES as u16).collect::<Vec<u16>>();
        let mut links = Self {
            left: own(),
            right: own(),
            up: own(),
            down: own(),
            head: own(),
            size: vec![0; THINGS],
            is_covered: vec![false; THINGS],
        };
        for head in 0..THINGS {
            let last = links.left[ROOT] as usize;
            links.right[last] = head as u16;
            links.left[head] = last as u16;
            links.right[head] = ROOT as u16;
            links.left[ROOT] = head as u16;
        }
        for c in 0..729 {
            for (i, head) in things(c).into_iter().enumerate() {
                let (node, last) = (first_node(c) + i, links.up[head] as usize);
                links.down[last] = node as u16;
                links.up[node] = last as u16;
                links.down[node] = head as u16;
                links.up[head] = node as u16;
                links.head[node] = head as u16;
                links.size[head] += 1;
            }
        }
        links
    }

    /// Takes a thing off the list, and its candidates off the lists of their other things.
    fn cover(&mut self, head: usize) {
        self.is_covered[head] = true;
        let (left, right) = (self.left[head], self.right[head]);
        self.right[left as usize] = right;
        self.left[right as usize] = left;
        let mut node = self.down[head] as usize;
        while node != head {
            for other in others(node) {
                let (up, down) = (self.up[other], self.down[other]);
                self.down[up as usize] = down;
                self.up[down as usize] = up;
                self.size[self.head[other] as usize] -= 1;
            }
            node = self.down[node] as usize;
        }
    }

    /// Takes [`cover`](Self::cover) back; in the opposite order.
    fn uncover(&mut self, head: usize) {
        let mut node = self.up[head] as usize;
        while node != head {
            for other in others(node).into_iter().rev() {
                let (up, down) = (self.up[other], self.down[other]);
                self.down[up as usize] = other as u16;
                self.up[down as usize] = other as u16;
                self.size[self.head[other] as usize] += 1;
            }
            node = self.up[node] as usize;
        }
        let (left, right) = (self.left[head], self.right[head]);
        self.right[left as usize] = head as u16;
        self.left[right as usize] = head as u16;
        self.is_covered[head] = false;
    }

    /// Covers what a candidate has; or nothing, if something of it is covered.
    fn place(&mut self, candidate: usize) -> bool {
        let things = things(candidate);
        let is_free = things.iter().all(|&thing| !self.is_covered[thing]);
        if is_free {
            things.into_iter().for_each(|thing| self.cover(thing));
        }
        is_free
    }

    fn take_back(&mut self, candidate: usize) {
        things(candidate).into_iter().rev().for_each(|thing| self.uncover(thing));
    }

    /// Counts solutions up to a limit; `path` is what was placed, and `first` becomes the first
    /// solution.
    fn search(&mut self, limit: u32, count: &mut u32, path: &mut Vec<usize>, first: &mut Option<Vec<usize>>) {
        let mut head = self.right[ROOT] as usize;
        if head == ROOT {
            *count += 1;
            first.get_or_insert_with(|| path.clone());
            return;
        }
        let mut best = head;
        while head != ROOT {
            if self.size[head] < self.size[best] {
                best = head;
            }
            head = self.right[head] as usize;
        }
        let mut node = self.down[best] as usize;
        while node != best && *count < limit {
            let tried = candidate(node);
            let is_free = self.place(tried);
            debug_assert!(is_free, "candidates of covered things are off the lists");
            path.push(tried);
            self.search(limit, count, path, first);
            path.pop();
            self.take_back(tried);
            node = self.down[node] as usize;
        }
    }

    /// The number of solutions up to a limit, and one of them.
    fn solve(&mut self, puzzle: &Grid, limit: u32) -> (u32, Grid) {
        let clues = (0..81).filter(|&i| puzzle[i] != 0).map(|i| i * 9 + usize::from(puzzle[i]) - 1);
        let mut path = Vec::with_capacity(81);
        let is_consistent = clues.into_iter().all(|clue| {
            let is_free = self.place(clue);
            path.extend(is_free.then_some(clue));
            is_free
        });
        let placed = path.clone();
        let (mut count, mut first) = (0, None);
        if is_consistent {
            self.search(limit, &mut count, &mut path, &mut first);
        }
        placed.into_iter().rev().for_each(|clue| self.take_back(clue));
        let mut grid = [0; 81];
        for candidate in first.into_iter().flatten() {
            grid[candidate / 9] = (candidate % 9) as u8 + 1;
        }
        (count, grid)
    }
}

/// The three other nodes of a node's candidate.
const fn others(node: usize) -> [usize; 3] {
    let at = node - THINGS - 1;
    let first = node - at % 4;
    [first + (at + 1) % 4, first + (at + 2) % 4, first + (at + 3) % 4]
}

/// Solves puzzles one after the other. Counts and solutions begin with zeros; without a buffer for solutions, none are told.
pub fn solve(puzzles: &[Grid], limit: u32, counts: &mut [u32], solutions: &mut [Grid]) {
    let mut links = Links::new();
    for (i, puzzle) in puzzles.iter().enumerate() {
        let (count, grid) = links.solve(puzzle, limit.max(2));
        counts[i] = count.min(limit);
        if let Some(solution) = solutions.get_mut(i) {
            *solution = if count < 2 { grid } else { smallest(&mut links, puzzle) };
        }
    }
}

/// The smallest solution of a puzzle that has one: cell by cell the smallest digit with which there is a solution.
fn smallest(links: &mut Links, puzzle: &Grid) -> Grid {
    let mut grid = *puzzle;
    for cell in (0..81).filter(|&cell| puzzle[cell] == 0) {
        grid[cell] = 1;
        while links.solve(&grid, 1).0 == 0 {
            grid[cell] += 1;
        }
    }
    grid
}
