//! The array: from a file, or generated.

use std::borrow::Cow;
use std::ops::Range;
use std::path::PathBuf;

use thalweg_data::ArrayKind;

use super::Loaded;
use super::npy::Shape;
use crate::choice::one_of;
use crate::dtype::{DType, Element};
use crate::failure::{Failure, Outcome};
use crate::memory;
use crate::numbers::parse_count;

/// Where the array comes from
#[derive(clap::Args)]
#[command(next_help_heading = "Array")]
pub struct ArrayArgs {
    /// The array: one dimension of integers or floats; generated if left out
    #[arg(long, value_name = "FILE")]
    pub array: Option<PathBuf>,

    /// Type of a raw or generated array: f32, float32 or <f4 (f32 if generated); an .npy file knows its own
    #[arg(long, value_name = "TYPE", value_parser = DType::from_option)]
    pub dtype: Option<DType>,

    /// Number of elements to generate
    #[arg(long, value_parser = parse_count, default_value = "2^24", conflicts_with = "array")]
    pub n: usize,

    /// Kind of array to generate
    #[arg(long, alias = "array-kind", value_parser = one_of(ArrayKind::ALL, ArrayKind::name), default_value = "random", conflicts_with = "array")]
    pub kind: ArrayKind,

    /// Seed of everything that is generated
    #[arg(long, default_value_t = 7)]
    pub seed: u64,
}

/// An array that is ready to be looked at with its type.
pub struct Array {
    /// Type of an element.
    pub dtype: DType,
    /// How many elements.
    pub len: usize,
    source: Source,
}

enum Source {
    File(Loaded),
    Generated(ArrayKind, u64),
}

impl ArrayArgs {
    /// Opens the file and checks that it holds an array, or notes what to generate.
    pub fn open(&self) -> Outcome<Array> {
        self.open_shaped(false).map(|(array, _)| array)
    }

    /// The same where there may be rows, one behind the other; then it tells how many elements a row has, too.
    pub fn open_rows(&self) -> Outcome<(Array, Option<usize>)> {
        self.open_shaped(true)
    }

    fn open_shaped(&self, or_rows: bool) -> Outcome<(Array, Option<usize>)> {
        let Some(path) = &self.array else {
            let source = Source::Generated(self.kind, self.seed);
            return Ok((Array { dtype: self.dtype.unwrap_or(DType::F32), len: self.n, source }, None));
        };
        let file = Loaded::open(path, self.dtype, 1)?;
        let (len, columns) = match file.layout.shape[..] {
            [len] => (len, None),
            [_, _] if or_rows && file.layout.fortran => {
                return Err(file.failure("columns lie one behind the other, expected rows (numpy.ascontiguousarray)"));
            }
            [rows, columns] if or_rows => (rows * columns, Some(columns)),
            _ => {
                let (shape, wanted) =
                    (Shape(&file.layout.shape), if or_rows { "one or two dimensions" } else { "one dimension" });
                return Err(file.failure(format_args!("the array has shape {shape}, expected {wanted}")));
            }
        };
        let dtype = file.layout.dtype;
        match self.dtype {
            Some(wanted) if wanted != dtype => {
                Err(file.failure(format_args!("the file holds {dtype}, but --dtype says {wanted}")))
            }
            _ => Ok((Array { dtype, len, source: Source::File(file) }, columns)),
        }
    }
}

impl Array {
    /// The elements: in place, converted, or generated now. `T` must be the array's type.
    pub fn elements<T: Element>(&self) -> Outcome<Cow<'_, [T]>> {
        match &self.source {
            Source::File(file) => file.elements(),
            Source::Generated(kind, seed) => generate(*kind, self.len, *seed).map(Cow::Owned),
        }
    }

    /// The same; of a file that is used in place nothing is read yet.
    pub fn elements_unread<T: Element>(&self) -> Outcome<Cow<'_, [T]>> {
        let in_place = self.file().and_then(Loaded::in_place);
        in_place.map_or_else(|| self.elements(), |elements| Ok(Cow::Borrowed(elements)))
    }

    /// Some of the elements: in place, or converted. What is generated is generated whole. `T` must be the array's type.
    pub fn part<T: Element>(&self, range: Range<usize>) -> Outcome<Cow<'_, [T]>> {
        match &self.source {
            Source::File(file) => file.part(range),
            Source::Generated(..) => Ok(Cow::Owned(self.elements::<T>()?[range].to_vec())),
        }
    }

    /// The elements where they lie in their file, which are read as they are touched, and the file; a failure if they cannot be used there.
    pub fn in_file<T: Element>(&self) -> Outcome<(&[T], &Loaded)> {
        let Source::File(file) = &self.source else { return Err(Failure::new("--memory is for arrays from files")) };
        match file.in_place() {
            Some(elements) if file.is_mapped() => Ok((elements, file)),
            _ => Err(file.failure(
                "--memory is for arrays that are used where they lie: .npy or raw, in a plain file, little-endian",
            )),
        }
    }

    /// The file's name, or the kind that is generated.
    pub fn origin(&self) -> String {
        match &self.source {
            Source::File(file) => file.name.clone(),
            Source::Generated(kind, seed) => format!("{}, seed {seed}", kind.name()),
        }
    }

    /// The file, if it comes from one.
    pub fn file(&self) -> Option<&Loaded> {
        match &self.source {
            Source::File(file) => Some(file),
            Source::Generated(..) => None,
        }
    }
}

/// An array of a kind.
pub fn generate<T: Element>(kind: ArrayKind, n: usize, seed: u64) -> Outcome<Vec<T>> {
    let mut array = memory::filled(n, T::default(), "the array")?;
    kind.fill(seed, &mut array);
    Ok(array)
}
