//! Points of the host: they go up in pieces, each of which the filter looks at while the next one is on its way.

use thalweg_core::{Coding, Order, Result};
use thalweg_geometry::Stored;
use thalweg_geometry::hull::Hull;

use super::filter::Filter;
use super::sample::Sampling;
use super::{capacity, hull_of_all, hull_of_few, hull_of_rest, plan, subset};
use crate::array::Packs;
use crate::device::Device;
use crate::transfer;

/// The hull of points on the host, of which there are fewer than 2^32.
pub(in crate::geometry::hull) fn hull_of_host(device: &Device, points: &Stored<'_, 2>, boundary: bool) -> Result<Hull> {
    let Some(sampling) = Sampling::of(points.len() as u64) else { return hull_of_few(points.lent(), boundary) };
    match survivors(device, points, sampling)? {
        Some(places) => {
            let rest = subset(points, places.iter().map(|&place| place as usize));
            hull_of_rest(rest, &places, boundary)
        }
        None => hull_of_all(points.lent(), boundary),
    }
}

/// The places of those that stay.
fn survivors(device: &Device, points: &Stored<'_, 2>, sampling: Sampling) -> Result<Option<Vec<u32>>> {
    let (bytes, coding): (&[u8], _) = match points {
        Stored::I32 { rows, .. } => (bytemuck::cast_slice(rows), Coding::of::<i32>(Order::Min)),
        Stored::I64 { rows, .. } => (bytemuck::cast_slice(rows), Coding::of::<i64>(Order::Min)),
        Stored::F32(rows) => (bytemuck::cast_slice(rows), Coding::of::<f32>(Order::Min)),
        Stored::F64(rows) => (bytemuck::cast_slice(rows), Coding::of::<f64>(Order::Min)),
    };
    let Some(plan) = plan(subset(points, sampling.places()), coding)? else { return Ok(None) };
    let filter = Filter::new(device, coding, plan, capacity(points.len() as u64))?;
    let width = coding.bytes() as u64;
    // Whole vectors.
    let most = transfer::PIECE.min(device.limits().binding_bytes) / 16 * 16;
    transfer::upload_pieces(device, bytes, most, |commands, piece, range| {
        let packs = Packs::of(piece, (range.end - range.start) / width);
        filter.record(commands, &packs, (range.start / (2 * width)) as u32)
    })?;
    filter.survivors()
}
