//! Points: from a file, or generated.

use std::path::PathBuf;

use thalweg::Key;
use thalweg_data::PointKind;

use super::rows::{Kind, Recipe, Rows};
use crate::choice::one_of;
use crate::dtype::DType;
use crate::failure::Outcome;
use crate::numbers::parse_count;

/// Where the points come from
#[derive(clap::Args)]
#[command(next_help_heading = "Points")]
pub struct PointArgs {
    /// The points: integers or floats of shape (n, 2), x and y; generated if left out
    #[arg(long, value_name = "FILE")]
    pub points: Option<PathBuf>,

    /// Type of raw or generated coordinates: f64, float64 or <f8 (f64 if generated); an .npy file knows its own
    #[arg(long, value_name = "TYPE", value_parser = DType::from_option)]
    pub dtype: Option<DType>,

    /// Number of points to generate
    #[arg(long, value_parser = parse_count, default_value = "2^22", conflicts_with = "points")]
    pub n: usize,

    /// Kind of points to generate
    #[arg(long, alias = "point-kind", value_parser = one_of(PointKind::ALL, PointKind::name), default_value = "disk", conflicts_with = "points")]
    pub kind: PointKind,

    /// Seed of everything that is generated
    #[arg(long, default_value_t = 7)]
    pub seed: u64,
}

/// Points that are ready to be looked at with their type.
pub type Points = Rows<PointKind, 2>;

impl PointArgs {
    /// Opens the file and checks that it holds points, or notes what to generate.
    pub fn open(&self) -> Outcome<Points> {
        let recipe = Recipe { kind: self.kind, n: self.n, seed: self.seed, dtype: DType::F64 };
        Rows::open(self.points.as_deref(), self.dtype, recipe)
    }
}

impl Kind<2> for PointKind {
    const WHAT: &'static str = "points";

    fn name(self) -> &'static str {
        Self::name(self)
    }

    fn make<T: Key>(self, n: usize, seed: u64) -> Vec<[T; 2]> {
        Self::make(self, n, seed)
    }
}
