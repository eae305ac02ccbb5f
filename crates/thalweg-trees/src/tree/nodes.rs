//! What everything about forests needs of nodes.

use crate::links::follow;
use thalweg_core::memory::computed;
use thalweg_core::parallel::find_first;
use thalweg_core::{Error, Position, Result};

/// Nodes that a task takes at once.
const GRAIN: usize = 1 << 14;

/// The parents, [`Position::NONE`] for every root.
pub(super) fn plain_parents<P: Position>(parents: &[P]) -> Result<Vec<P>> {
    computed(parents.len(), GRAIN, "parents", |i| follow(parents, i).map_or(P::NONE, P::new))
}

/// The error for the first row of a batch that names a node that does not exist. There must be one.
#[cold]
pub(super) fn first_bad_node<P: Position, const N: usize>(rows: &[[P; N]], len: usize) -> Error {
    let bad = |node: &&P| node.get() >= len;
    let row = find_first(rows.len(), GRAIN, &|mut range| range.find(|&row| rows[row].iter().any(|node| bad(&node))))
        .expect("an engine refused a batch that has no bad node");
    let node = rows[row].iter().find(bad).expect("one of the row's");
    Error::Node { row, node: node.get() as u64, len }
}
