//! Segments: from a file, or generated.

use std::path::PathBuf;

use thalweg::Key;
use thalweg_data::SegmentKind;

use super::rows::{Kind, Recipe, Rows};
use crate::choice::one_of;
use crate::dtype::DType;
use crate::failure::Outcome;
use crate::numbers::parse_count;

/// Where the segments come from
#[derive(clap::Args)]
#[command(next_help_heading = "Segments")]
pub struct SegmentArgs {
    /// The segments: integers or floats of shape (n, 4), x1, y1, x2, y2; generated if left out
    ///
    /// A float x of inf or -inf has the slope beside it instead of a y: x, y, inf, m is a ray and -inf, m, inf, b the line
    /// y = m x + b.
    #[arg(long, value_name = "FILE")]
    pub segments: Option<PathBuf>,

    /// Type of raw or generated coordinates: i32, int32 or <i4 (i32 if generated); an .npy file knows its own
    #[arg(long, value_name = "TYPE", value_parser = DType::from_option)]
    pub dtype: Option<DType>,

    /// Number of segments to generate
    #[arg(long, value_parser = parse_count, default_value = "2^20", conflicts_with = "segments")]
    pub n: usize,

    /// Kind of segments to generate
    #[arg(long, alias = "segment-kind", value_parser = one_of(SegmentKind::ALL, SegmentKind::name), default_value = "crossing", conflicts_with = "segments")]
    pub kind: SegmentKind,

    /// Seed of everything that is generated
    #[arg(long, default_value_t = 7)]
    pub seed: u64,
}

/// Segments that are ready to be looked at with their type.
pub type Segments = Rows<SegmentKind, 4>;

impl SegmentArgs {
    /// Opens the file and checks that it holds segments, or notes what to generate.
    pub fn open(&self) -> Outcome<Segments> {
        let recipe = Recipe { kind: self.kind, n: self.n, seed: self.seed, dtype: DType::I32 };
        Rows::open(self.segments.as_deref(), self.dtype, recipe)
    }
}

impl Kind<4> for SegmentKind {
    const WHAT: &'static str = "segments";

    fn name(self) -> &'static str {
        Self::name(self)
    }

    fn make<T: Key>(self, n: usize, seed: u64) -> Vec<[T; 4]> {
        Self::make(self, n, seed)
    }
}
