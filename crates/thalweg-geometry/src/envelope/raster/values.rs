//! Values from numbers of segments, such as another device has found.

use thalweg_core::error::expect_len;
use thalweg_core::memory::computed;
use thalweg_core::parallel::{find_first, for_each_chunk_mut};
use thalweg_core::{Error, Result};

use super::super::Envelope;
use super::super::lines::Lines;
use super::super::loader::Loader;
use super::super::segments::{Segments, Side};
use super::{Axis, GRAIN, Grid};

/// An envelope's values on a grid, from the numbers of its segments there: the nearest doubles, NaN in gaps.
///
/// ```
/// # use thalweg_geometry as thalweg;
/// use thalweg::envelope::{Envelope, Grid, Segments, Side, values_of};
/// let segments = [[0, 0, 3, 3], [0, 2, 5, 0]];
/// let mut values = [0.0; 3];
/// values_of(&Segments::new(&segments)?, Side::Lower, Grid::new(1, 3)?, &[0, 1, Envelope::GAP], &mut values)?;
/// assert_eq!(values[..2], [1.0, 1.2]);
/// assert!(values[2].is_nan());
/// # Ok::<(), thalweg::Error>(())
/// ```
///
/// # Errors
/// [`Error::Length`] if there are not as many as the grid has numbers, [`Error::BadOption`] for a number of a segment that is
/// not there, [`Error::OutOfMemory`].
pub fn values_of(segments: &Segments<'_>, side: Side, grid: Grid, ids: &[u32], values: &mut [f64]) -> Result<()> {
    expect_len("values", values.len(), grid.len)?;
    expect_len("ids", ids.len(), grid.len)?;
    let loader = Loader::new(segments, side);
    let numbers = computed(segments.len(), GRAIN, "numbers of segments", |i| i as u32)?;
    let lines = Lines::in_order(&loader, numbers, segments.len())?;
    let axis = Axis { lines: &lines, grid };
    let is_there = |id: u32, at: usize| {
        let covers = |[first, last]: [u32; 2]| (first..=last).contains(&(at as u32));
        id == Envelope::GAP || (id as usize) < segments.len() && axis.cover(id).is_some_and(covers)
    };
    if let Some(at) = find_first(ids.len(), GRAIN, &|mut range| range.find(|&at| !is_there(ids[at], at))) {
        let reason = format!("segment {} is not at {}", ids[at], axis.at(at as u32));
        return Err(Error::BadOption { option: "ids", reason });
    }
    for_each_chunk_mut(values, GRAIN, &|start, values| {
        let (mut rest, mut at) = (values, start);
        for run in ids[start..start + rest.len()].chunk_by(|one, two| one == two) {
            let (here, behind) = rest.split_at_mut(run.len());
            match run[0] {
                Envelope::GAP => here.fill(f64::NAN),
                id => lines.exact.fill_values(id, axis.at(at as u32), here),
            }
            (rest, at) = (behind, at + run.len());
        }
    });
    Ok(())
}
