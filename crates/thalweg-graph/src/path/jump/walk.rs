//! The path by the rule, from what a search over jump points left.
//!
//! Every turn of that path is a cell at which the search arrived, in the direction of the path, at the right distance. So at
//! such a cell the path goes on, backwards, in the first direction of an arrival, or straight on if that is earlier in the
//! order and possible: the cell may lie on a jump that began further back.

use super::{Distance, Node, Run, STEPS};

impl Run<'_> {
    pub(super) fn walk(&self, start: u32, path: &mut Vec<u32>) {
        let (begin, width) = (path.len(), self.engine.width);
        let flat = |cell: usize| ((cell / width - 1) * self.cols + cell % width - 1) as u32;
        let mut cell = self.goal as usize;
        let mut distance = self.state.nodes[cell].distance;
        path.push(flat(cell));
        // The direction of the steps, forwards.
        let mut direction = first(self.state.nodes[cell].arrivals);
        while cell != start as usize {
            let (down, right) = STEPS[direction];
            cell = cell.wrapping_add_signed(-(down * width as isize + right));
            distance = distance.minus_one(direction >= 4).expect("so many steps");
            path.push(flat(cell));
            if let Some(node) = self.node_at(cell, distance)
                && cell != start as usize
            {
                let turn = first(node.arrivals);
                let is_straight_on = rank(direction) < rank(turn) && self.goes_on(cell, distance, direction);
                if !is_straight_on {
                    direction = turn;
                }
            }
        }
        path[begin..].reverse();
    }

    /// What the search knows of a cell, if it has this distance.
    fn node_at(&self, cell: usize, distance: Distance) -> Option<&Node> {
        let node = &self.state.nodes[cell];
        (node.stamp == self.state.epoch && node.distance == distance).then_some(node)
    }

    /// Whether a shortest path arrives at a cell in this direction from a cell further back.
    fn goes_on(&self, mut cell: usize, mut distance: Distance, direction: usize) -> bool {
        let (down, right) = STEPS[direction];
        loop {
            let back = opposite(direction);
            if self.engine.cells[cell].jumps[back] == 0 {
                return false;
            }
            cell = cell.wrapping_add_signed(-(down * self.engine.width as isize + right));
            match distance.minus_one(direction >= 4) {
                Some(before) => distance = before,
                None => return false,
            }
            if self.node_at(cell, distance).is_some() {
                return true;
            }
        }
    }
}

/// The direction of [`STEPS`] that leads back.
fn opposite(direction: usize) -> usize {
    if direction < 4 { direction ^ 1 } else { 11 - direction }
}

/// When the rule takes a direction, walking back: the steps of [`STEPS`] are those that it walks.
fn rank(direction: usize) -> usize {
    opposite(direction)
}

/// The direction that the rule takes of these.
fn first(arrivals: u8) -> usize {
    let steps = (0..8).map(opposite);
    steps.into_iter().find(|direction| arrivals >> direction & 1 == 1).expect("an arrival")
}
