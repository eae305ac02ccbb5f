//! Better bounds on what is left of a way: distances from a few landmarks.
//!
//! By the triangle inequality a cell and the goal are at least as far apart as their distances from any landmark differ (A. V.
//! Goldberg, C. Harrelson, "Computing the shortest path: A* search meets graph theory", 2005). With costs, which make ways
//! there and back differ, only the goal's distance less the cell's counts. The landmarks are cells near the map's corners and
//! the middles of its sides, in the region of the queries. Lengths and paths do not depend on them.

use thalweg_core::Result;

use super::field;
use super::map::Map;
use crate::memory::Buffer;
use crate::primitives::elementwise::Elementwise;

/// How many: their distances are the 32 bytes that a memory moves at least.
pub(super) const COUNT: u32 = 8;

/// Distances from landmarks, of all of them, a cell after the other.
#[derive(Debug)]
pub(super) struct Landmarks {
    pub(super) marks: Buffer,
}

impl Landmarks {
    /// Landmarks among the cells that `is_inside` knows, if there are any, and if they are not too far away for the kernels
    /// or too much for the device.
    pub(super) fn set(map: &Map, is_inside: impl Fn(u32, u32) -> bool) -> Result<Option<Self>> {
        let device = &map.device;
        let words = u64::from(COUNT) * u64::from(map.cells());
        if 4 * words > device.limits().binding_bytes.min(device.limits().buffer_bytes).min(MOST_BYTES) {
            return Ok(None);
        }
        let Some(cells) = corners(map).map(|corner| nearest(map, corner, &is_inside)).into_iter().collect() else {
            return Ok(None);
        };
        let cells: Vec<u32> = cells;
        let Some(distances) = field::distances(map, &cells)? else { return Ok(None) };
        let marks = device.words(words, "landmarks")?;
        let mut commands = device.record();
        let body = format!(
            "for (var k = 0u; k < {COUNT}u; k++) {{ marks_put({COUNT}u * i + k, ~distances_at(k * params.count + i)); }}"
        );
        Elementwise::statement(device, map.cells().into(), "landmarks", &body)
            .declare(|source| source.reads("distances", "u32"), [distances.all()].into_iter())
            .declare(|source| source.writes("marks", "u32"), [marks.all()].into_iter())
            .dispatch(&mut commands, &[])?;
        commands.submit()?;
        Ok(Some(Self { marks }))
    }
}

/// Bytes of the distances at most.
const MOST_BYTES: u64 = 4 << 30;

/// Corners and the middles of the sides.
fn corners(map: &Map) -> [[u32; 2]; COUNT as usize] {
    let ([bottom, right], [row, column]) = ([map.rows - 1, map.cols - 1], [map.rows / 2, map.cols / 2]);
    [[0, 0], [0, column], [0, right], [row, right], [bottom, right], [bottom, column], [bottom, 0], [row, 0]]
}

/// A cell inside on the first ring around a corner that has one.
fn nearest(map: &Map, [row, column]: [u32; 2], is_inside: impl Fn(u32, u32) -> bool) -> Option<u32> {
    for radius in 0..map.rows.max(map.cols) {
        let side = |at: u32, end: u32| at.saturating_sub(radius)..=(at + radius).min(end - 1);
        for r in side(row, map.rows) {
            let is_edge = r + radius == row || r == row + radius;
            for c in side(column, map.cols) {
                // Only the ring itself.
                if (is_edge || c + radius == column || c == column + radius) && is_inside(r, c) {
                    return Some(r * map.cols + c);
                }
            }
        }
    }
    None
}
