//! A large matching to begin with.
//!
//! Karp, Sipser, "Maximum matching in sparse random graphs", 1981: a vertex with one free neighbour is matched to it, which
//! is never a mistake. Where there is none, a vertex that has got down to two free neighbours is next, the latest first, so
//! that the matched part grows from one place; else the next by number. It is matched to its free neighbour with the fewest
//! free neighbours. Work O(n + m), on one thread.
//!
//! On a random graph of 10^6 vertices and 5 * 10^6 edges, 44 vertices stayed free, and 38 must. Vertices with two free
//! neighbours first is what makes shuffled grids and chains easy: of 10^6 vertices in a chain of triangles 2 stayed free
//! instead of 71,258. Going on to three and four neighbours took twice the time on random graphs and left as many free.

use thalweg_core::Result;
use thalweg_core::memory::{computed, filled};
use thalweg_core::simd::prefetch;

use crate::Rows;
use crate::matching::NOBODY;

/// Added to the number of free neighbours of a vertex when it is matched, so that one byte tells both.
const MATCHED: u8 = 1 << 7;
/// So many free neighbours or more, which are no longer counted. Bytes, because these are read and written at random: with
/// 10^6 vertices they stay in the second-level cache.
const MANY: u8 = MATCHED - 1;
/// How many vertices ahead a partner is guessed, so that its row can be on its way.
const AHEAD: u32 = 8;

/// A maximal matching: everybody's partner.
pub(super) fn karp_sipser(rows: Rows<'_>) -> Result<Vec<u32>> {
    let n = rows.len() as u32;
    let mut start = Start {
        rows,
        partners: filled(rows.len(), NOBODY, "partners")?,
        free: computed(rows.len(), 1 << 14, "degrees", |v| rows.degree(v as u32).min(MANY.into()) as u8)?,
        ones: Vec::new(),
        twos: Vec::new(),
    };
    for v in 0..n {
        if start.free[v as usize] == 1 {
            start.ones.push(v);
            start.match_ones();
        }
    }
    let mut guesses = [0u32; AHEAD as usize];
    for v in 0..n {
        let (far, near) = (v.saturating_add(AHEAD), v.saturating_add(AHEAD / 2));
        if far < n && start.is_waiting(far) {
            let guess = start.best_partner(far);
            prefetch(rows.offsets(), guess as usize);
            guesses[(far % AHEAD) as usize] = guess;
        }
        if near < n {
            prefetch(rows.targets(), rows.offsets()[guesses[(near % AHEAD) as usize] as usize]);
        }
        if start.is_waiting(v) {
            start.match_now(v);
            while let Some(v) = start.twos.pop() {
                if start.free[v as usize] == 2 {
                    start.match_now(v);
                }
            }
        }
    }
    Ok(start.partners)
}

struct Start<'a> {
    rows: Rows<'a>,
    partners: Vec<u32>,
    /// How many free neighbours every vertex has, with `MATCHED` if it is matched itself.
    free: Vec<u8>,
    /// Vertices that had one free neighbour when they came here, and two.
    ones: Vec<u32>,
    twos: Vec<u32>,
}

impl Start<'_> {
    /// Whether a vertex is free and has free neighbours, or too many neighbours to tell.
    fn is_waiting(&self, v: u32) -> bool {
        (1..MATCHED).contains(&self.free[v as usize])
    }

    /// The neighbour with the fewest free neighbours, if one is free; else any.
    #[inline(always)]
    fn best_partner(&self, v: u32) -> u32 {
        let (mut best, mut fewest) = (0, u8::MAX);
        for &u in self.rows.row(v) {
            let free = self.free[u as usize];
            best = if free < fewest { u } else { best };
            fewest = fewest.min(free);
        }
        best
    }

    /// Matches a vertex that waits, and everything that must follow.
    fn match_now(&mut self, v: u32) {
        let partner = self.best_partner(v);
        if self.free[partner as usize] >= MATCHED {
            // It had too many neighbours to count, and none of them is free any more.
            return;
        }
        self.join(v, partner);
        self.leave(v);
        self.leave(partner);
        self.match_ones();
    }

    fn match_ones(&mut self) {
        while let Some(v) = self.ones.pop() {
            if self.free[v as usize] == 1 {
                let partner = self.best_partner(v);
                self.join(v, partner);
                // Nobody else waits for `v`.
                self.leave(partner);
            }
        }
    }

    fn join(&mut self, v: u32, u: u32) {
        for (v, u) in [(v, u), (u, v)] {
            self.partners[v as usize] = u;
            self.free[v as usize] |= MATCHED;
        }
    }

    /// Tells the neighbours of a vertex that it is matched.
    fn leave(&mut self, v: u32) {
        for &u in self.rows.row(v) {
            let free = &mut self.free[u as usize];
            *free -= u8::from(*free & MANY != MANY);
            match *free {
                1 => self.ones.push(u),
                2 => self.twos.push(u),
                _ => {}
            }
        }
    }
}
