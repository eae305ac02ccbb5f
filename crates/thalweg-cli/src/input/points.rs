//! Points: from a file, or generated.

use std::borrow::Cow;
use std::path::PathBuf;

use thalweg_data::PointKind;

use super::{Loaded, rows};
use crate::choice::one_of;
use crate::dtype::{DType, Element};
use crate::failure::{Failure, Outcome};
use crate::memory;
use crate::numbers::{parse_count, show_count};

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
    #[arg(long, value_parser = one_of(PointKind::ALL, PointKind::name), default_value = "disk", conflicts_with = "points")]
    pub point_kind: PointKind,

    /// Seed of everything that is generated
    #[arg(long, default_value_t = 7)]
    pub seed: u64,
}

/// Points that are ready to be looked at with their type.
pub struct Points {
    /// Type of a coordinate.
    pub dtype: DType,
    /// How many points.
    pub len: usize,
    source: Source,
}

enum Source {
    File(Loaded),
    Generated(PointKind, u64),
}

impl PointArgs {
    /// Opens the file and checks that it holds points, or notes what to generate.
    pub fn open(&self) -> Outcome<Points> {
        let Some(path) = &self.points else {
            let source = Source::Generated(self.point_kind, self.seed);
            return Ok(Points { dtype: self.dtype.unwrap_or(DType::F64), len: self.n, source });
        };
        let file = Loaded::open(path, self.dtype, 2)?;
        let (len, dtype) = (rows::count(&file, 2, "points")?, file.layout.dtype);
        match self.dtype {
            Some(wanted) if wanted != dtype => {
                Err(file.failure(format_args!("the file holds {dtype}, but --dtype says {wanted}")))
            }
            _ => Ok(Points { dtype, len, source: Source::File(file) }),
        }
    }
}

impl Points {
    /// The points: in place, converted, or generated now. `T` must be their type.
    pub fn get<T: Element>(&self) -> Outcome<Cow<'_, [[T; 2]]>> {
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
                format!("no --points, so {} of {} are generated", show_count(self.len), self.dtype)
            }
        }
    }

    /// Puts the file's name in front of what the library says of the points.
    pub fn failure(&self, error: thalweg::Error) -> Failure {
        match (&self.source, error) {
            (Source::File(file), thalweg::Error::NotFinite { row, number, .. }) => {
                file.failure(format_args!("row {row}: a coordinate is {number}"))
            }
            (_, error) => error.into(),
        }
    }
}

/// Points of a kind.
pub fn generate<T: Element>(kind: PointKind, n: usize, seed: u64) -> Outcome<Vec<[T; 2]>> {
    memory::require(n.saturating_mul(2 * size_of::<T>()), "the points")?;
    Ok(kind.make(n, seed))
}
