//! Looks at every element of every window: the oracle.

use super::shape::{Shape, bound, rows};
use super::{Outputs, WindowEngine, put};
use crate::width::expect_width;
use thalweg_core::bits::Bits;
use thalweg_core::{Coding, Rank, Result, by_width};

/// See the module's text.
#[derive(Debug)]
pub(super) struct Naive;

impl WindowEngine for Naive {
    fn name(&self) -> &'static str {
        "naive"
    }

    fn extra_bytes(&self, _: usize, _: usize, _: &Shape<'_>) -> usize {
        0
    }

    fn solve(
        &self,
        bits: Bits<'_>,
        coding: Coding,
        shape: Shape<'_>,
        fill: u64,
        mut outputs: Outputs<'_>,
    ) -> Result<()> {
        expect_width(bits, coding)?;
        let len = bits.len();
        let rank = |i: usize| by_width!(Bits, bits, keys => keys[i].ranked(coding.ranking()).to_u64());
        let best = |positions: &mut dyn Iterator<Item = usize>| positions.min_by_key(|&i| (rank(i), i));
        for j in 0..shape.count(len)? {
            let found = match shape {
                Shape::Regular(windows) => {
                    if windows.border != super::Border::Fill || windows.is_whole(j, len) {
                        best(&mut windows.range(j, len))
                    } else {
                        None
                    }
                }
                Shape::Ragged { starts, ends } => best(&mut (bound(starts, j) as usize..bound(ends, j) as usize)),
                Shape::Grid { columns, windows: [down, along] } => {
                    let rows = rows(len, columns)?;
                    let (row, column) = (j / along.count(columns), j % along.count(columns));
                    let filled = |windows: &super::Windows, j, len| {
                        windows.border == super::Border::Fill && !windows.is_whole(j, len)
                    };
                    if filled(&down, row, rows) || filled(&along, column, columns) {
                        None
                    } else {
                        let row_of = |row: usize| along.range(column, columns).map(move |c| row * columns + c);
                        best(&mut down.range(row, rows).flat_map(row_of))
                    }
                }
            };
            put(&mut outputs, bits, fill, j, found);
        }
        Ok(())
    }
}
