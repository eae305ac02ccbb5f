//! Searches of many puzzles at once.
//!
//! [`LANES`] lanes each hold candidates of some puzzle, and all go through [rounds](super::propagate) together. After a
//! round a lane that died is free; one that changed nothing leaves its candidates in a *fork* and is free; the others go on.
//! A free lane takes a child of the last fork, or else the next puzzle. When a fork is full, [`choose`] finds for all
//! its lanes the candidates to try, or sees that they are solved.
//!
//! So lanes are full as long as there is work of any puzzle, and one puzzle's search spreads over them: the order in which
//! its solutions are found depends on the others. What is told of them does not.
//!
//! Forks are taken from the end, which is depth first: there are about as many as a search is deep.

use super::choose::{Choice, choose};
use super::layout::{Candidates, PLACES, WORDS, cell_of, grid_of};
use super::propagate::{LANES, Lanes, Words};
use super::vector::{self, Kernel, Vector};
use crate::sudoku::Grid;

/// Lanes as bits.
type Mask = u32;
const ALL: Mask = (1 << LANES) - 1;

/// Candidates of several lanes that wait for a choice, and then the choices to be tried.
#[derive(Clone)]
#[repr(align(64))]
struct Fork {
    words: Words,
    /// Whose they are.
    puzzle: [u32; LANES],
    choice: Choice,
    /// How many lanes are filled.
    len: usize,
    /// Children that nobody took yet. Child `LANES + lane` tries that the candidate is right, child `lane` that it is wrong:
    /// first of all lanes the right ones, so that a puzzle with many solutions goes straight down to one.
    left: usize,
}

/// What was found.
pub struct Found<'a> {
    /// The number of solutions of every puzzle, at most the limit. Begins with zeros.
    pub counts: &'a mut [u32],
    /// The smallest of the solutions that were counted, row by row; or nothing, if nobody asks.
    pub solutions: &'a mut [Grid],
}

/// Counts the solutions of puzzles up to a limit, which is not 0.
pub fn search(starts: &[Candidates], limit: u32, found: Found<'_>) {
    vector::run(Search { starts, limit, found });
}

struct Search<'a> {
    starts: &'a [Candidates],
    limit: u32,
    found: Found<'a>,
}

impl Kernel for Search<'_> {
    #[inline(always)]
    fn run<V: Vector>(mut self) {
        search_with::<V>(self.starts, self.limit, &mut self.found);
    }
}

#[inline(always)]
fn search_with<V: Vector>(starts: &[Candidates], limit: u32, found: &mut Found<'_>) {
    let mut lanes = Lanes::EMPTY;
    let mut puzzle = [0u32; LANES];
    let (mut free, mut still): (Mask, Mask) = (ALL, 0);
    let mut next = 0;
    let mut forks = Forks { all: vec![Box::new(Fork::EMPTY)], settled: 0 };
    loop {
        // What concludes no more goes into the fork, as far as there is room.
        while still != 0 && forks.filling().len < LANES {
            let lane = still.trailing_zeros() as usize;
            still &= still - 1;
            free |= 1 << lane;
            if found.counts[puzzle[lane] as usize] < limit {
                forks.filling().add(&lanes, lane, puzzle[lane]);
            }
        }
        // Free lanes take children, then puzzles.
        let mut is_short = false;
        while free != 0 && still == 0 {
            let lane = free.trailing_zeros() as usize;
            if let Some(owner) = forks.take_child(limit, found, &mut lanes, lane) {
                puzzle[lane] = owner;
            } else if let Some(start) = starts.get(next) {
                lanes.put(lane, start);
                puzzle[lane] = next as u32;
                next += 1;
            } else {
                is_short = true;
                break;
            }
            free &= free - 1;
        }
        // A fork is settled when it is full, or when lanes have nothing else to do.
        let waiting = forks.filling().len;
        if waiting == LANES || (waiting > 0 && is_short) {
            forks.settle::<V>(found, limit);
            continue;
        }
        if free == ALL {
            return;
        }
        let outcome = lanes.round::<V>();
        still = outcome.still & !outcome.dead & !free;
        free |= outcome.dead;
    }
}

impl Fork {
    const EMPTY: Self = Self {
        words: [[0; LANES]; WORDS],
        puzzle: [0; LANES],
        choice: Choice { word: [0; LANES], bits: [0; LANES] },
        len: 0,
        left: 0,
    };

    /// Adds a lane.
    #[inline(always)]
    fn add(&mut self, lanes: &Lanes, lane: usize, puzzle: u32) {
        let at = self.len % LANES;
        for (here, there) in self.words.iter_mut().zip(&lanes.words) {
            here[at] = there[lane];
        }
        self.puzzle[at] = puzzle;
        self.len += 1;
    }
}

/// Forks that are settled, the one that is being filled, and some that were used before.
struct Forks {
    /// In boxes, as they change places.
    #[allow(clippy::vec_box)]
    all: Vec<Box<Fork>>,
    settled: usize,
}

impl Forks {
    #[inline(always)]
    fn filling(&mut self) -> &mut Fork {
        &mut self.all[self.settled]
    }

    /// Puts a child of the last settled fork into a lane, if there is one, and tells whose it is.
    #[inline(always)]
    fn take_child(&mut self, limit: u32, found: &Found<'_>, lanes: &mut Lanes, lane: usize) -> Option<u32> {
        while self.settled > 0 {
            let fork = &mut self.all[self.settled - 1];
            if fork.left == 0 {
                // The one that is being filled moves down, in exchange.
                self.settled -= 1;
                self.all.swap(self.settled, self.settled + 1);
                continue;
            }
            fork.left -= 1;
            let (parent, is_right) = (fork.left % LANES, fork.left >= LANES);
            let (word, bits) = (fork.choice.word[parent] as usize, fork.choice.bits[parent]);
            // Solved, or enough solutions were found meanwhile.
            if bits == 0 || found.counts[fork.puzzle[parent] as usize] >= limit {
                continue;
            }
            // Straight from the fork: as an array of its own the compiler would put it together in vectors first.
            for (here, there) in lanes.words.iter_mut().zip(&fork.words) {
                here[lane] = there[parent];
            }
            let bit = bits & bits.wrapping_neg();
            if is_right {
                for third in 0..3 {
                    lanes.words[third * PLACES + word % PLACES][lane] &= !cell_of(bit);
                }
                lanes.words[word][lane] |= bit;
            } else {
                lanes.words[word][lane] &= !bit;
            }
            lanes.forget(lane);
            return Some(fork.puzzle[parent]);
        }
        None
    }

    /// Chooses what to try in the lanes of the fork that was filled; those that are solved are counted.
    #[inline(always)]
    fn settle<V: Vector>(&mut self, found: &mut Found<'_>, limit: u32) {
        let fork = &mut self.all[self.settled];
        choose::<V>(&fork.words, &mut fork.choice);
        fork.choice.bits[fork.len..].fill(0);
        for lane in 0..fork.len {
            let puzzle = fork.puzzle[lane] as usize;
            if fork.choice.bits[lane] == 0 && found.counts[puzzle] < limit {
                found.counts[puzzle] += 1;
                if let Some(best) = found.solutions.get_mut(puzzle) {
                    let grid = grid_of(&fork.words, lane);
                    if found.counts[puzzle] == 1 || grid < *best {
                        *best = grid;
                    }
                }
            }
        }
        fork.left = 2 * LANES;
        self.settled += 1;
        if self.settled == self.all.len() {
            self.all.push(Box::new(Fork::EMPTY));
        }
        self.all[self.settled].len = 0;
    }
}
