//! Windows by bounds: ranges for the index of range minima, which is built for them.

use thalweg_core::Result;

use super::Problem;
use super::along::Found;
use super::fill::Fill;
use crate::array::Keys;
use crate::coding::KeyCode;
use crate::primitives::elementwise::Elementwise;
use crate::rmq::{Engine, Index};

pub(super) fn solve(problem: &Problem<'_>, [starts, ends]: [&Keys; 2], found: Found<'_>) -> Result<()> {
    let Problem { array, coding, fill } = *problem;
    let (device, count) = (array.device(), starts.len());
    if !array.is_empty() {
        let ranges = Keys::new(device, 2 * count, 1)?;
        let mut commands = device.record();
        Elementwise::new(device, count, "window", include_str!("ranges.wgsl"))
            .reads("starts", "u32", starts)
            .reads("ends", "u32", ends)
            .writes("ranges", "u32", &ranges)
            .dispatch(&mut commands, &[array.len() as u32])?;
        commands.submit()?;
        let index = Index::over(array.clone(), coding, Engine::default())?;
        if let Some(positions) = found.positions {
            index.positions_on_device(&ranges, positions)?;
            if let Some(values) = found.values {
                let mut commands = device.record();
                Elementwise::new(device, count, "window", include_str!("values.wgsl"))
                    .declare(|source| source.keys(KeyCode::from(coding)), [].into_iter())
                    .reads("values", "Key", array)
                    .reads("positions", "u32", positions)
                    .writes("found", "Key", values)
                    .dispatch(&mut commands, &[])?;
                commands.submit()?;
            }
        } else if let Some(values) = found.values {
            index.values_on_device(&ranges, values)?;
        }
    }
    let mut commands = device.record();
    Fill { device, coding, value: fill, found }.empty(&mut commands, [starts, ends], array.len())?;
    commands.submit().map(|_| ())
}
