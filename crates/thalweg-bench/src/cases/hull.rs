//! The right hulls.

use thalweg::Device;
use thalweg::geometry::Coordinate;
use thalweg::geometry::hull::Builder;
use thalweg_cli::failure::Outcome;
use thalweg_data::exact::Exact;
use thalweg_data::hulls::check_hull;

use crate::bench::Case;

/// The right answer: the default engine's, checked in exact arithmetic.
pub fn expected<T: Exact + Coordinate>(case: &Case<'_>, points: &[[T; 2]]) -> Outcome<Vec<usize>> {
    let found = Builder::new().device(Device::Cpu).hull(points)?;
    let found: Vec<usize> = found.iter().flatten().collect();
    match check_hull(points, &found, false) {
        Ok(()) => Ok(found),
        Err(complaint) => crate::check::wrong(&format!("the default on {}", case.title()), complaint),
    }
}
