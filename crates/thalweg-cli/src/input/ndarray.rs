//! Arrays of up to three dimensions, of real or complex numbers: from a file, or generated.
//!
//! Elements are handed out row by row, the last index running fastest, whichever way they lie in the file.

use std::borrow::Cow;
use std::path::PathBuf;

use bytemuck::Pod;
use thalweg::fourier::{Complex, Float, MAX_DIMENSIONS, Shape};
use thalweg_data::SignalKind;

use super::{Loaded, SeedArgs, npy};
use crate::choice::one_of;
use crate::dtype::{AnyType, DType, Element, with_dtype};
use crate::failure::{Failure, Outcome};
use crate::memory;
use crate::numbers::{parse_count, show_count};

/// Where the array comes from
#[derive(clap::Args)]
#[command(next_help_heading = "Array")]
pub struct NdArgs {
    /// The array: one to three dimensions of integers, floats or complex numbers; generated if left out
    #[arg(long, value_name = "FILE")]
    pub array: Option<PathBuf>,

    /// Type of a raw (then one dimension) or generated array: c64, complex64 or <c8; an .npy file knows its own
    #[arg(long, value_name = "TYPE", value_parser = AnyType::from_option)]
    pub dtype: Option<AnyType>,

    /// Sizes to generate: 2^20, or 480,640
    #[arg(long, value_name = "SIZES", value_parser = parse_count, value_delimiter = ',', default_value = "2^20",
        conflicts_with = "array")]
    pub shape: Vec<usize>,

    /// Kind of array to generate
    #[arg(long, alias = "array-kind", value_parser = one_of(SignalKind::ALL, SignalKind::name), default_value = "noise", conflicts_with = "array")]
    pub kind: SignalKind,

    /// The seed.
    #[command(flatten)]
    pub seed: SeedArgs,
}

/// An array that is ready to be looked at with its type.
pub struct NdArray {
    /// Type of an element.
    pub dtype: AnyType,
    /// Its sizes.
    pub shape: Shape,
    source: Source,
}

enum Source {
    File(Loaded),
    Generated(SignalKind, u64),
}

impl NdArgs {
    /// Opens the file and checks that it holds such an array, or notes what to generate, of type `default` unless the option
    /// says another.
    pub fn open(&self, default: AnyType) -> Outcome<NdArray> {
        if let Some(path) = &self.array {
            let file = Loaded::open_any(path, self.dtype)?;
            return NdArray::of_file(file, self.dtype);
        }
        let shape = Shape::new(&self.shape).map_err(|error| Failure::at("--shape", error))?;
        let dtype = self.dtype.unwrap_or(default);
        if !matches!(dtype.part, DType::F32 | DType::F64) {
            return Err(Failure::at("--dtype", format_args!("{dtype} is not generated, only f32, f64, c64 and c128")));
        }
        Ok(NdArray { dtype, shape, source: Source::Generated(self.kind, self.seed.get()) })
    }
}

impl NdArray {
    /// What a file holds; `wanted` is what the option says of its type.
    pub fn of_file(file: Loaded, wanted: Option<AnyType>) -> Outcome<Self> {
        let dtype = file.layout.any_type();
        if let Some(wanted) = wanted
            && wanted != dtype
        {
            return Err(file.failure(format_args!("the file holds {dtype}, but --dtype says {wanted}")));
        }
        let sizes = &file.layout.shape[..];
        if sizes.is_empty() || sizes.len() > MAX_DIMENSIONS {
            let shown = npy::Shape(sizes);
            return Err(file.failure(format_args!("the array has shape {shown}, expected one to three dimensions")));
        }
        if sizes.contains(&0) {
            return Err(file.failure(format_args!("the array is empty: its shape is {}", npy::Shape(sizes))));
        }
        let shape = Shape::new(sizes).map_err(|error| file.failure(error))?;
        Ok(Self { dtype, shape, source: Source::File(file) })
    }

    /// An array that is generated, of floats or complex numbers.
    pub fn generated_like(dtype: AnyType, shape: Shape, kind: SignalKind, seed: u64) -> Self {
        Self { dtype, shape, source: Source::Generated(kind, seed) }
    }

    /// The elements as complex numbers with parts of type `T`: in place, converted, or generated now. A file of complex numbers
    /// must have such parts.
    pub fn complex<T: Float + Element>(&self) -> Outcome<Cow<'_, [Complex<T>]>>
    where
        Complex<T>: Pod,
    {
        if !self.dtype.is_complex {
            let numbers = self.real::<T>()?;
            return self.made(&|i| Complex::new(numbers[i], T::default())).map(Cow::Owned);
        }
        match &self.source {
            Source::File(file) => {
                assert_eq!(T::DTYPE, self.dtype.part, "the caller dispatches on the type");
                let place = self.places(file);
                match file.in_place::<Complex<T>>() {
                    Some(numbers) if !file.layout.fortran => {
                        file.fetch_all();
                        return Ok(Cow::Borrowed(numbers));
                    }
                    Some(numbers) => self.made(&|i| numbers[place(i)]),
                    None => self.made(&|i| Complex::new(file.element(2 * place(i)), file.element(2 * place(i) + 1))),
                }
            }
            Source::Generated(..) => {
                let pairs = self.generated()?;
                self.made(&|i| Complex::new(T::of(pairs[i][0]), T::of(pairs[i][1])))
            }
        }
        .map(Cow::Owned)
    }

    /// The elements as floats: in place, converted, or generated now; integers of 64 bits are rounded. They must not be complex,
    /// nor be more precise than `T`.
    pub fn real<T: Float + Element>(&self) -> Outcome<Cow<'_, [T]>> {
        assert!(!self.dtype.is_complex, "the caller dispatches on the type");
        match &self.source {
            Source::File(file) => {
                if !file.layout.fortran
                    && self.dtype.part == T::DTYPE
                    && let Some(numbers) = file.in_place()
                {
                    file.fetch_all();
                    return Ok(Cow::Borrowed(numbers));
                }
                let place = self.places(file);
                with_dtype!(self.dtype.part, U => self.made(&|i| T::of(file.element::<U>(place(i)).to_f64())))
            }
            Source::Generated(..) => {
                let pairs = self.generated()?;
                self.made(&|i| T::of(pairs[i][0]))
            }
        }
        .map(Cow::Owned)
    }

    /// The elements of a file, row by row: in place, or converted. `T` must be their type.
    pub fn elements<T: Element>(&self) -> Outcome<Cow<'_, [T]>> {
        assert_eq!(AnyType::real(T::DTYPE), self.dtype, "the caller dispatches on the type");
        let Source::File(file) = &self.source else { unreachable!("such elements are not generated") };
        if !file.layout.fortran
            && let Some(numbers) = file.in_place()
        {
            file.fetch_all();
            return Ok(Cow::Borrowed(numbers));
        }
        let place = self.places(file);
        self.made(&|i| file.element(place(i))).map(Cow::Owned)
    }

    /// The file's name, or the kind that is generated.
    pub fn origin(&self) -> String {
        match &self.source {
            Source::File(file) => file.name.clone(),
            Source::Generated(kind, seed) => format!("{}, seed {seed}", kind.name()),
        }
    }

    /// What it is and how it was taken, for `--verbose`.
    pub fn describe(&self) -> String {
        match &self.source {
            Source::File(file) => file.describe(file.layout.is_plain()),
            Source::Generated(..) => {
                format!("no file, so {} x {} are generated", show_sizes(&self.shape), self.dtype)
            }
        }
    }

    /// A failure of this array.
    pub fn failure(&self, text: impl std::fmt::Display) -> Failure {
        match &self.source {
            Source::File(file) => file.failure(text),
            Source::Generated(..) => Failure::new(text),
        }
    }

    fn generated(&self) -> Outcome<Vec<[f64; 2]>> {
        let Source::Generated(kind, seed) = &self.source else { unreachable!("the caller has asked") };
        memory::require(self.shape.len().saturating_mul(size_of::<[f64; 2]>()), "the array")?;
        Ok(kind.make(self.shape.sizes(), *seed))
    }

    /// Where the elements, counted row by row, lie in the file.
    fn places(&self, file: &Loaded) -> impl Fn(usize) -> usize + Sync + Copy + use<> {
        let (shape, fortran) = (self.shape, file.layout.fortran);
        move |index| if fortran { column_order(&shape, index) } else { index }
    }

    fn made<T: Send>(&self, element: &(dyn Fn(usize) -> T + Sync)) -> Outcome<Vec<T>> {
        memory::computed(self.shape.len(), &self.origin(), element)
    }
}

/// Where the element that is number `index` row by row lies if the first index runs fastest.
fn column_order(shape: &Shape, index: usize) -> usize {
    let (mut rest, mut place, mut stride) = (index, 0, shape.len());
    for &size in shape.sizes().iter().rev() {
        stride /= size;
        place += rest % size * stride;
        rest /= size;
    }
    place
}

/// The place of element `index`, as Python writes it: `[3]`, `[3, 4]`.
pub fn index_of(shape: &Shape, index: usize) -> String {
    let (mut rest, mut places) = (index, Vec::new());
    for &size in shape.sizes().iter().rev() {
        places.push(rest % size);
        rest /= size;
    }
    places.reverse();
    format!("{places:?}")
}

/// The sizes as people read them: `480 x 640`.
pub fn show_sizes(shape: &Shape) -> String {
    shape.sizes().iter().map(|&size| show_count(size)).collect::<Vec<_>>().join(" x ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_elements() {
        let shape = Shape::new(&[2, 3, 4]).unwrap();
        // The element (i, j, k) lies at i + 2 j + 6 k.
        for (index, (i, j, k)) in (0..24).map(|n| (n, (n / 12, n / 4 % 3, n % 4))) {
            assert_eq!(column_order(&shape, index), i + 2 * j + 6 * k);
            assert_eq!(index_of(&shape, index), format!("[{i}, {j}, {k}]"));
        }
        assert_eq!(show_sizes(&shape), "2 x 3 x 4");
        assert_eq!(index_of(&Shape::line(9).unwrap(), 7), "[7]");
    }
}
