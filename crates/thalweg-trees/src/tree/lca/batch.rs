//! Batches: chunks of queries for the threads, in the width that the engine works in.

use std::sync::OnceLock;

use crate::tree::nodes::first_bad_node;
use thalweg_arrays::rmq::expect_positions;
use thalweg_core::parallel::try_for_each_chunk_mut;
use thalweg_core::{Pairs, Position, PositionsMut, Result};

/// Queries that one task answers.
const CHUNK: usize = 1 << 13;

/// Answers a chunk; `false` if a node does not exist.
pub(super) type Answer<'e, P> = &'e (dyn Fn(&[[P; 2]], &mut [P]) -> Result<bool> + Sync);

/// Spreads a batch over the threads, for an engine over `len` nodes.
pub(super) fn spread<P: Position>(
    len: usize,
    queries: Pairs<'_>,
    out: PositionsMut<'_>,
    answer: Answer<'_, P>,
) -> Result<()> {
    expect_positions(queries, &out)?;
    match (queries, out) {
        (Pairs::U32(queries), PositionsMut::U32(out)) => spread_from(len, queries, out, answer),
        (Pairs::U64(queries), PositionsMut::U64(out)) => spread_from(len, queries, out, answer),
        _ => unreachable!("one width"),
    }
}

fn spread_from<P: Position, Q: Position>(
    len: usize,
    queries: &[[Q; 2]],
    out: &mut [Q],
    answer: Answer<'_, P>,
) -> Result<()> {
    let failure = OnceLock::new();
    let done = try_for_each_chunk_mut(out, CHUNK, &|start, out| {
        let queries = &queries[start..start + out.len()];
        let answered = match (bytemuck::try_cast_slice(queries), bytemuck::try_cast_slice_mut(out)) {
            (Ok(queries), Ok(out)) if size_of::<P>() == size_of::<Q>() => answer(queries, out),
            _ => converted(queries, out, answer),
        };
        answered.unwrap_or_else(|error| {
            _ = failure.set(error);
            false
        })
    });
    match failure.into_inner() {
        _ if done => Ok(()),
        Some(failure) => Err(failure),
        None => Err(first_bad_node(queries, len)),
    }
}

/// A chunk in the other width. What is no position there becomes [`Position::NONE`], which is no node.
fn converted<P: Position, Q: Position>(queries: &[[Q; 2]], out: &mut [Q], answer: Answer<'_, P>) -> Result<bool> {
    let node = |node: Q| if P::fits(node.get()) { P::new(node.get()) } else { P::NONE };
    let queries: Vec<[P; 2]> = queries.iter().map(|pair| pair.map(node)).collect();
    let mut answers = vec![P::NONE; out.len()];
    let done = answer(&queries, &mut answers)?;
    for (out, answer) in out.iter_mut().zip(answers) {
        *out = answer.checked().map_or(Q::NONE, Q::new);
    }
    Ok(done)
}
