//! Segments: from a file, or generated.

use std::borrow::Cow;
use std::path::PathBuf;

use thalweg_data::SegmentKind;

use super::{Loaded, rows};
use crate::choice::one_of;
use crate::dtype::{DType, Element};
use crate::failure::{Failure, Outcome};
use crate::memory;
use crate::numbers::{parse_count, show_count};

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
    #[arg(long, value_parser = one_of(SegmentKind::ALL, SegmentKind::name), default_value = "crossing", conflicts_with = "segments")]
    pub segment_kind: SegmentKind,

    /// Seed of everything that is generated
    #[arg(long, default_value_t = 7)]
    pub seed: u64,
}

/// Segments that are ready to be looked at with their type.
pub struct Segments {
    /// Type of a coordinate.
    pub dtype: DType,
    /// How many segments.
    pub len: usize,
    source: Source,
}

enum Source {
    File(Loaded),
    Generated(SegmentKind, u64),
}

impl SegmentArgs {
    /// Opens the file and checks that it holds segments, or notes what to generate.
    pub fn open(&self) -> Outcome<Segments> {
        let Some(path) = &self.segments else {
            let source = Source::Generated(self.segment_kind, self.seed);
            return Ok(Segments { dtype: self.dtype.unwrap_or(DType::I32), len: self.n, source });
        };
        let file = Loaded::open(path, self.dtype, 4)?;
        let (len, dtype) = (rows::count(&file, 4, "segments")?, file.layout.dtype);
        match self.dtype {
            Some(wanted) if wanted != dtype => {
                Err(file.failure(format_args!("the file holds {dtype}, but --dtype says {wanted}")))
            }
            _ => Ok(Segments { dtype, len, source: Source::File(file) }),
        }
    }
}

impl Segments {
    /// The segments: in place, converted, or generated now. `T` must be their type.
    pub fn get<T: Element>(&self) -> Outcome<Cow<'_, [[T; 4]]>> {
        match &self.source {
            Source::File(file) => rows::rows(file),
            Source::Generated(kind, seed) => generate(*kind, self.len, *seed).map(Cow::Owned),
        }
    }

    /// The file's name, or the kind that is generated.
    pub fn origin(&self) -> String {
        match &self.source {
            Source::File(file) => file.name.clone(),
            Source::Generated(kind, seed) => format!("{}, seed {seed}", kind.name()),
        }
    }

    /// What they are and how they were taken, for `--verbose`. `in_place`: used where they lie.
    pub fn describe(&self, in_place: bool) -> String {
        match &self.source {
            Source::File(file) => file.describe(in_place),
            Source::Generated(..) => {
                format!("no --segments, so {} of {} are generated", show_count(self.len), self.dtype)
            }
        }
    }

    /// Puts the file's name in front of what the library says of the segments.
    pub fn failure(&self, error: thalweg::Error) -> Failure {
        match (&self.source, error) {
            (Source::File(file), thalweg::Error::NotFinite { row, number, .. }) => {
                file.failure(format_args!("row {row}: a coordinate is {number}"))
            }
            (Source::File(file), thalweg::Error::Segment { row, reason }) => {
                file.failure(format_args!("row {row}: {reason}"))
            }
            (_, error) => error.into(),
        }
    }
}

/// Segments of a kind.
pub fn generate<T: Element>(kind: SegmentKind, n: usize, seed: u64) -> Outcome<Vec<[T; 4]>> {
    memory::require(n.saturating_mul(4 * size_of::<T>()), "the segments")?;
    Ok(kind.make(n, seed))
}
