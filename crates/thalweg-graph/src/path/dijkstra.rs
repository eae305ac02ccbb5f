//! Dijkstra's algorithm with a binary heap and exact lengths: the oracle.
//!
//! E. W. Dijkstra, "A note on two problems in connexion with graphs", 1959. Simple on purpose: it allocates for every query.
//! Work O(n log n) in the cells that are nearer to the start than the goal is.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use thalweg_core::Result;
use thalweg_core::error::try_filled;

use super::rule::{neighbour, walk_back};
use super::search::{Search, Searcher};
use super::{Grid, Length, Moves};

#[derive(Debug)]
pub(super) struct Dijkstra {
    pub(super) moves: Moves,
}

impl Search for Dijkstra {
    fn searcher<'a>(&'a self, grid: &'a Grid) -> Result<Box<dyn Searcher + 'a>> {
        let distances = try_filled(grid.len(), None, "distances")?;
        Ok(Box::new(Run { grid, moves: self.moves, distances }))
    }
}

struct Run<'a> {
    grid: &'a Grid,
    moves: Moves,
    distances: Vec<Option<Length>>,
}

impl Searcher for Run<'_> {
    fn find(&mut self, start: u32, goal: u32, path: Option<&mut Vec<u32>>) -> Result<Length> {
        let (grid, distances) = (self.grid, &mut self.distances);
        distances.fill(None);
        let mut heap = BinaryHeap::from([(Reverse(Length::ZERO), start)]);
        distances[start as usize] = Some(Length::ZERO);
        while let Some((Reverse(far), cell)) = heap.pop() {
            if cell == goal {
                break;
            }
            if distances[cell as usize] != Some(far) {
                continue;
            }
            let [row, column] = grid.place(cell);
            for step in 0..self.moves.count() {
                let Some([r, c]) = neighbour(grid, row, column, step) else { continue };
                let cost = u64::from(grid.cost(r, c));
                let next = far + if step < 4 { Length::new(cost, 0) } else { Length::new(0, cost) };
                let distance = &mut distances[r * grid.cols() + c];
                if distance.is_none_or(|distance| next < distance) {
                    *distance = Some(next);
                    heap.push((Reverse(next), (r * grid.cols() + c) as u32));
                }
            }
        }
        if let Some(path) = path {
            walk_back(grid, self.moves, start, goal, path, |cell| distances[cell as usize]);
        }
        Ok(distances[goal as usize].expect("a path between connected cells"))
    }
}
