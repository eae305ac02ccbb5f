//! Pieces and values of an envelope beside those of a plain scan, in fractions.

use thalweg::geometry::envelope::{BigRational, Envelope};
use thalweg_data::envelopes::{Scan, is_nearest};
use thalweg_data::exact::Exact;

/// The number itself. It must be finite.
pub fn exact(x: f64) -> BigRational {
    BigRational::from_float(x).expect("a finite number")
}

/// Compares a piece with a plain scan at an x inside, if there is a double.
pub fn wrong_piece<T: Exact>(envelope: &Envelope, scan: &Scan<'_, T>, i: usize) -> Option<String> {
    let (start, next) = (envelope.starts()[i], envelope.starts().get(i + 1).copied());
    let x = match (start.is_finite(), next) {
        (true, Some(next)) => start / 2.0 + next / 2.0,
        (true, None) => start + start.abs() * 1e-3 + 1.0,
        (false, Some(next)) => next - next.abs() * 1e-3 - 1.0,
        (false, None) => 0.0,
    };
    if !x.is_finite() || x <= start || next.is_some_and(|next| x >= next) {
        return None;
    }
    let found = (envelope.ids()[i] != Envelope::GAP).then_some(envelope.ids()[i] as usize);
    let here = exact(x);
    let lowest = scan.lowest(&here, x);
    // Where several are equally low at this very x, any of them may be the one around it.
    let own = found.and_then(|id| scan.value(id, &here));
    let is_right = match (&own, &lowest) {
        (None, None) => found.is_none(),
        (Some(own), Some((lowest, _))) => own == lowest,
        _ => false,
    };
    let show = |id: Option<usize>| id.map_or_else(|| "a gap".to_owned(), |id| format!("segment {id}"));
    let wanted = show(lowest.map(|(_, id)| id));
    (!is_right).then(|| format!("piece {i} is {}, a plain scan finds {wanted} at {x}", show(found)))
}

/// Compares a value with that of a plain scan.
pub fn wrong_value<T: Exact>(scan: &Scan<'_, T>, x: &BigRational, near: f64, found: f64) -> Option<String> {
    let is_right = match scan.lowest(x, near) {
        Some((value, _)) => is_nearest(found, &value),
        None => found.is_nan(),
    };
    (!is_right).then(|| format!("{found} is not the value at {x}"))
}
