//! One pass over an array: many transforms of a length that fits a workgroup's memory.
//!
//! A line of `n = n1 n2 ... np` values takes p passes (Gentleman and Sande 1966; Bailey 1990). All but the last transform in
//! place, along a part of the position, and turn every value by a root of unity; the last one also brings the results into
//! order. A workgroup takes a tile: some neighbouring lines, so that what it reads and writes is in runs of whole cache lines.

use super::lengths::radices;
use super::tuning::Tuning;
use crate::runtime::limits::Limits;

/// Where the lines of a pass are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Values of a line are `inner` apart, before and after.
    Same { inner: u64 },
    /// The last pass of several. Reads `[outer][k1][k2][k3][j][stride]`, writes `[outer][k][k3][k2][k1][stride]`; the
    /// numbers are how many `k1`, `k2` and `k3` there are.
    Turned { parts: [u64; 3], stride: u64 },
}

/// How the threads of a tile share its values out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Neighbouring threads take neighbouring lines.
    Columns,
    /// Neighbouring threads take neighbouring values of a line.
    Rows,
    /// Rows when they read, columns when they write.
    Turn,
}

/// A pass, and how its tiles are shared out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pass {
    /// The length of the transforms.
    pub(super) len: u32,
    pub(super) place: Place,
    /// How many lines there are.
    pub(super) lines: u64,
    /// After the transform, value k of a line is turned by k j / (len * count) of the circle, where j < count is the line's
    /// number divided by the second number, modulo count.
    pub(super) turn: Option<Turn>,
    pub(super) radices: Vec<u32>,
    /// Lines of a tile.
    pub(super) columns: u32,
    pub(super) threads: u32,
    pub(super) order: Order,
    /// Whether the parts of a value go through the workgroup's memory one after the other: half of the memory.
    pub(super) split: bool,
}

/// How values are turned between two passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    /// How many values the rest of the line has.
    pub(super) count: u64,
    /// How far they are apart.
    pub(super) stride: u64,
}

impl Pass {
    pub(super) fn new(
        len: u32,
        place: Place,
        lines: u64,
        turn: Option<Turn>,
        tuning: &Tuning,
        limits: &Limits,
    ) -> Self {
        let radices = radices(len, tuning.radix);
        let order = match place {
            Place::Same { inner: 1 } => Order::Rows,
            Place::Turned { stride: 1, .. } if radices.len() > 1 => Order::Turn,
            _ => Order::Columns,
        };
        let mut pass = Self { len, place, lines, turn, radices, columns: 1, threads: 1, order, split: false };
        pass.columns = pass.best_columns(tuning, limits);
        pass.split = tuning.split || !pass.fits(limits);
        pass.threads = pass.best_threads(tuning, limits);
        pass
    }

    fn best_columns(&self, tuning: &Tuning, limits: &Limits) -> u32 {
        let wanted = (tuning.tile / self.len).clamp(1, tuning.most_columns);
        let least = if self.order == Order::Rows { 1 } else { tuning.fewest_columns };
        let mut columns = u64::from(wanted.max(least)).min(self.lines) as u32;
        let fits = |columns| Self { columns, split: true, ..self.clone() }.fits(limits);
        while columns > 1 && !fits(columns) {
            columns /= 2;
        }
        columns
    }

    /// The threads with the least work left over, and among these the fewest.
    fn best_threads(&self, tuning: &Tuning, limits: &Limits) -> u32 {
        let values = self.len * self.columns;
        let held = |threads: u32| self.radices.iter().map(|&r| r * (values / r).div_ceil(threads)).max().unwrap_or(1);
        let slots =
            |threads: u32| -> u32 { self.radices.iter().map(|&r| threads * r * (values / r).div_ceil(threads)).sum() };
        let all = values.div_ceil(*self.radices.iter().min().unwrap_or(&1));
        let most = limits.workgroup_threads.min(512);
        let step = if all < 32 { 1 } else { 32 };
        let enough = self.radices.iter().copied().max().unwrap_or(1).max(tuning.values + tuning.values / 4);
        let candidates = || (step..=most).step_by(step as usize).filter(|&t| t < all + step);
        let allowed = |t: &u32| held(*t) <= enough;
        // A tile that no number of threads can hold in registers does not happen: 512 threads hold 8192 values.
        candidates().filter(allowed).min_by_key(|&t| (slots(t), t)).unwrap_or(most)
    }

    /// Words between the values of a tile so that threads reach different banks: a gap of so many values, after so many.
    pub(super) fn gaps(&self) -> (u32, u32) {
        let first = self.radices.first().copied().unwrap_or(1);
        match self.order {
            Order::Rows => (1, first),
            Order::Turn => (1, first * self.columns),
            Order::Columns if self.columns < 16 => (self.columns, first * self.columns),
            Order::Columns => (0, first * self.columns),
        }
    }

    /// Values that the workgroup's memory has room for.
    pub(super) fn room(&self) -> u32 {
        let (gap, every) = self.gaps();
        let values = self.len * self.columns;
        values + values / every * gap
    }

    fn fits(&self, limits: &Limits) -> bool {
        self.radices.len() < 2 || self.room() * if self.split { 4 } else { 8 } <= limits.workgroup_bytes
    }

    /// How far the values of a line are apart, before and after.
    pub(super) fn steps(&self) -> [u64; 2] {
        match self.place {
            Place::Same { inner } => [inner, inner],
            Place::Turned { parts, stride } => [stride, parts.iter().product::<u64>() * stride],
        }
    }

    pub(super) fn tiles(&self) -> u64 {
        self.lines.div_ceil(self.columns.into())
    }
}
