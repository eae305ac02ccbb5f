//! Segments over a range, and the right values of their lower envelopes.

use thalweg::Device;
use thalweg::geometry::envelope::{BigRational, Builder, Engine, Grid, RasterOutputs};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::memory;
use thalweg_data::Random;
use thalweg_data::envelopes::{Scan, is_nearest};

use crate::bench::Case;

/// Segments of the paper's experiment: it says that they were always the same ones, and its times tell how many.
const FEW: usize = 10;
/// Elements that are compared with a plain scan.
const CHECKED: usize = 50;

/// Kinds of segments over a range, and how many there are for `n` numbers.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    /// Ten level ones, as long as the range allows.
    Paper,
    /// Level ones of any length, one for 64 numbers.
    Level,
    /// Ones with slopes, of any length, one for 64 numbers.
    Slopes,
    /// Ones with slopes, up to 1,000 numbers long, one for 64 numbers.
    Short,
}

impl Kind {
    pub const ALL: [Self; 4] = [Self::Paper, Self::Level, Self::Slopes, Self::Short];

    /// The kind of a case, whose range must fit the coordinates.
    pub fn of(case: &Case<'_>) -> Outcome<Self> {
        if case.n == 0 || case.n > i32::MAX as usize {
            return Err(Failure::at("--n", "a range of 1 to 2^31 - 1 numbers"));
        }
        Ok(*Self::ALL.iter().find(|kind| kind.name() == case.kind).expect("the names have been compared"))
    }

    /// Whether all segments are level.
    pub fn is_level(self) -> bool {
        matches!(self, Self::Paper | Self::Level)
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::Paper => "paper",
            Self::Level => "level",
            Self::Slopes => "slopes",
            Self::Short => "short",
        }
    }

    pub fn make(self, n: usize, seed: u64) -> Vec<[i32; 4]> {
        let random = Random::new(seed, 32);
        let count = if self == Self::Paper { FEW } else { n.div_ceil(64) };
        let segment = |i: u64| {
            let (x1, y1) = (random.below(4 * i, n as u64), random.below(4 * i + 1, 1 << 20));
            let x2 = match self {
                Self::Short => (x1 + random.below(4 * i + 2, 1000)).min(n as u64 - 1),
                _ => random.below(4 * i + 2, n as u64),
            };
            let y2 = if self.is_level() { y1 } else { random.below(4 * i + 3, 1 << 20) };
            [x1, y1, x2, y2].map(|x| x as i32)
        };
        (0..count as u64).map(segment).collect()
    }
}

/// The right values: those of `raster`, some of them checked in exact arithmetic.
pub fn expected(case: &Case<'_>, segments: &[[i32; 4]]) -> Outcome<Vec<f64>> {
    let mut values = memory::filled(case.n, 0.0, "the values")?;
    let builder = Builder::new().device(Device::Cpu).engine(Engine::Raster);
    builder.raster_into(segments, Grid::new(0, case.n)?, RasterOutputs { values: Some(&mut values), ids: None })?;
    let scan = Scan { rows: segments, upper: false };
    for i in (0..case.n).step_by(case.n / CHECKED + 1) {
        let is_right = match scan.lowest(&BigRational::from_integer(i.into()), i as f64) {
            Some((value, _)) => is_nearest(values[i], &value),
            None => values[i].is_nan(),
        };
        if !is_right {
            crate::check::wrong(&format!("raster on {}", case.title()), format_args!("the value at {i}"))?;
        }
    }
    Ok(values)
}
