//! What comes in: `.npy` files and raw little-endian binary, from files, pipes and standard input.
//!
//! Regular files are mapped, not read: data in this machine's byte order is used where it lies. Nobody may change or
//! cut the file meanwhile; the system would end the process with SIGBUS, as it does to every program that maps files.
//! Pipes are read to memory.
//!
//! How a file is understood: it is `.npy` if its name ends so or if it begins with that format's magic, from standard
//! input (`-`) too. Anything else is raw and needs its type from an option.

pub mod array;
pub mod edges;
pub mod integers;
pub mod links;
pub mod maps;
pub mod ndarray;
pub mod npy;
pub mod points;
pub mod puzzles;
pub mod queries;
pub mod routes;
pub mod rows;
pub mod segments;
pub mod text;

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use bytemuck::Pod;
use memmap2::Mmap;

use crate::dtype::{AnyType, DType, Element, Form};
use crate::failure::{Failure, Outcome};
use crate::memory;
use crate::numbers::counted_plainly;
use npy::Shape;
use thalweg_core::parallel;

/// Elements that a thread converts at a time.
const GRAIN: usize = 1 << 14;

/// The bytes of a file.
pub enum Bytes {
    /// Mapped, where they lie.
    Mapped(Mmap),
    /// Read to memory.
    Read(Vec<u8>),
}

impl Bytes {
    /// Maps a regular file; reads anything else.
    pub fn open(path: &Path, name: &str) -> Outcome<Self> {
        if path == Path::new("-") {
            return read_all(&mut io::stdin().lock(), name);
        }
        let failed = |e| Failure::io(name, &e);
        let mut file = File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if metadata.is_dir() {
            return Err(Failure::at(name, "is a directory"));
        }
        // An empty file cannot be mapped.
        if !metadata.is_file() || metadata.len() == 0 {
            return read_all(&mut file, name);
        }
        // SAFETY: the mapping is private to us and read-only. That nobody else cuts the file short meanwhile cannot be
        // checked; the module's documentation says so. Its bytes are only ever read as integers and floats, for which
        // every pattern is valid.
        Ok(Self::Mapped(unsafe { Mmap::map(&file) }.map_err(failed)?))
    }

    /// All of them.
    pub fn get(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Read(bytes) => bytes,
        }
    }
}

/// What a path is called in messages.
pub fn name_of(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() }
}

/// Whether a file is `.npy`, by its name or by its content.
fn is_npy(path: &Path, bytes: &Bytes) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("npy")) || bytes.get().starts_with(npy::MAGIC)
}

/// Reads to the end, with memory that may be refused.
fn read_all(from: &mut dyn Read, name: &str) -> Outcome<Bytes> {
    const STEP: usize = 1 << 16;
    let mut bytes = Vec::new();
    loop {
        if bytes.capacity() - bytes.len() < STEP {
            let more = STEP.max(bytes.len());
            memory::reserve(&mut bytes, more, name)?;
        }
        // Within the capacity: reading does not grow the vector.
        let room = bytes.capacity() - bytes.len();
        let read = from.take(room as u64).read_to_end(&mut bytes).map_err(|e| Failure::io(name, &e))?;
        if read < room {
            return Ok(Bytes::Read(bytes));
        }
    }
}

/// What the bytes of a file mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Type of an element; of complex numbers that of their parts.
    pub dtype: DType,
    /// Whether the elements are complex. Files that are opened for numbers hold none.
    pub is_complex: bool,
    /// Sizes of the dimensions.
    pub shape: Vec<usize>,
    /// Whether the bytes of an element are big-endian, the other way round than on this machine.
    swapped: bool,
    /// Whether the first index runs fastest.
    fortran: bool,
    offset: usize,
}

impl Layout {
    /// The layout of an `.npy` file. The data must have exactly the length that the header says.
    /// Truth values and complex numbers are refused.
    fn of_npy(bytes: &[u8]) -> Result<Self, String> {
        Self::of_header(bytes, npy::parse(bytes)?.of_numbers()?)
    }

    /// The same for numbers that may be complex.
    fn of_any_npy(bytes: &[u8]) -> Result<Self, String> {
        let header = npy::parse(bytes)?;
        let header = if header.form == Form::Complex { header } else { header.of_numbers()? };
        Self::of_header(bytes, header)
    }

    /// The type of the elements.
    pub fn any_type(&self) -> AnyType {
        AnyType { part: self.dtype, is_complex: self.is_complex }
    }

    fn of_header(bytes: &[u8], header: npy::Header) -> Result<Self, String> {
        let npy::Header { dtype, form, big_endian, fortran, shape, offset } = header;
        let is_complex = form == Form::Complex;
        let kind = AnyType { part: dtype, is_complex };
        let length = shape.iter().try_fold(kind.size(), |product, &size| product.checked_mul(size));
        let found = bytes.len() - offset;
        match length {
            Some(length) if length == found => {}
            Some(length) if length < found => {
                let more = counted_plainly(found - length, "byte");
                return Err(format!("{more} too many after an array of shape {} and type {kind}", Shape(&shape)));
            }
            _ => {
                let needed = length.map_or_else(|| "more than 2^64".to_owned(), |length| length.to_string());
                let shape = Shape(&shape);
                return Err(format!("cut off: shape {shape} of {kind} needs {needed} bytes, the file has {found}"));
            }
        }
        Ok(Self { dtype, is_complex, shape, swapped: big_endian, fortran, offset })
    }

    /// Whether the elements can be used as they lie: row by row, in this machine's byte order.
    fn is_plain(&self) -> bool {
        !self.swapped && !self.fortran
    }

    /// The layout of raw little-endian data, in rows of `columns` elements.
    fn of_raw(bytes: &[u8], dtype: AnyType, columns: usize) -> Result<Self, String> {
        let row = dtype.size() * columns;
        if !bytes.len().is_multiple_of(row) {
            return Err(format!("{} bytes, read as raw {dtype}, are not a multiple of {row}", bytes.len()));
        }
        let rows = bytes.len() / row;
        let shape = if columns == 1 { vec![rows] } else { vec![rows, columns] };
        let AnyType { part: dtype, is_complex } = dtype;
        Ok(Self { dtype, is_complex, shape, swapped: false, fortran: false, offset: 0 })
    }
}

/// An open file whose layout is known.
pub struct Loaded {
    /// The file's name, for messages.
    pub name: String,
    /// What its bytes mean.
    pub layout: Layout,
    bytes: Bytes,
}

impl Loaded {
    /// Opens a file. `raw` is the type of its elements should it be raw, and `columns` how many make a row.
    pub fn open(path: &Path, raw: Option<DType>, columns: usize) -> Outcome<Self> {
        let name = name_of(path);
        let bytes = Bytes::open(path, &name)?;
        let layout = match raw {
            Some(dtype) if !is_npy(path, &bytes) => Layout::of_raw(bytes.get(), AnyType::real(dtype), columns),
            _ => Layout::of_npy(bytes.get()),
        };
        let layout = layout.map_err(|text| Failure::at(&name, text))?;
        Ok(Self { name, layout, bytes })
    }

    /// Opens a file of numbers that may be complex. `raw` is their type should it be raw; then it has one dimension.
    pub fn open_any(path: &Path, raw: Option<AnyType>) -> Outcome<Self> {
        let name = name_of(path);
        let bytes = Bytes::open(path, &name)?;
        let layout = match raw {
            Some(dtype) if !is_npy(path, &bytes) => Layout::of_raw(bytes.get(), dtype, 1),
            _ => Layout::of_any_npy(bytes.get()),
        };
        let layout = layout.map_err(|text| Failure::at(&name, text))?;
        Ok(Self { name, layout, bytes })
    }

    /// Opens a file that is `.npy`; or gives the bytes of one that is not.
    pub fn open_npy_or_bytes(path: &Path) -> Outcome<Result<Self, Bytes>> {
        let name = name_of(path);
        let bytes = Bytes::open(path, &name)?;
        if !is_npy(path, &bytes) {
            return Ok(Err(bytes));
        }
        let layout = Layout::of_npy(bytes.get()).map_err(|text| Failure::at(&name, text))?;
        Ok(Ok(Self { name, layout, bytes }))
    }

    /// Opens an `.npy` file of numbers or truth values.
    pub fn open_with_bools(path: &Path) -> Outcome<Self> {
        let name = name_of(path);
        let bytes = Bytes::open(path, &name)?;
        let header = npy::parse(bytes.get())
            .and_then(|header| if header.form == Form::Truth { Ok(header) } else { header.of_numbers() });
        let layout = header.and_then(|header| Layout::of_header(bytes.get(), header));
        let layout = layout.map_err(|text| Failure::at(&name, text))?;
        Ok(Self { name, layout, bytes })
    }

    /// A failure in this file.
    pub fn failure(&self, text: impl std::fmt::Display) -> Failure {
        Failure::at(&self.name, text)
    }

    /// Whether the file is mapped; otherwise it was read to memory.
    pub fn is_mapped(&self) -> bool {
        matches!(self.bytes, Bytes::Mapped(_))
    }

    /// What the file is and how it was taken, for `--verbose`. `in_place`: its data is used where it lies.
    pub fn describe(&self, in_place: bool) -> String {
        let how = if self.is_mapped() { "mapped" } else { "read to memory" };
        let then = if in_place { "used in place" } else { "converted" };
        format!("{}, {} of shape {}, {how}, {then}", self.name, self.layout.any_type(), Shape(&self.layout.shape))
    }

    fn data(&self) -> &[u8] {
        &self.bytes.get()[self.layout.offset..]
    }

    /// The data where it lies, if it can be used there as it is.
    fn in_place<T: Pod>(&self) -> Option<&[T]> {
        if self.layout.swapped { None } else { bytemuck::try_cast_slice(self.data()).ok() }
    }

    /// Element `index` in the file's order, wherever it lies and whichever way round its bytes are.
    fn element<T: Element>(&self, index: usize) -> T {
        let size = size_of::<T>();
        let element: T = bytemuck::pod_read_unaligned(&self.data()[index * size..][..size]);
        if self.layout.swapped { element.swapped() } else { element }
    }

    /// All elements in the file's order: in place, or converted in parallel. `T` must be the file's type; complex numbers
    /// are two elements each.
    pub fn elements<T: Element>(&self) -> Outcome<Cow<'_, [T]>> {
        assert_eq!(T::DTYPE, self.layout.dtype, "the caller dispatches on the type");
        if let Some(slice) = self.in_place() {
            return Ok(Cow::Borrowed(slice));
        }
        let len = self.data().len() / size_of::<T>();
        let mut out = memory::filled(len, T::default(), &self.name)?;
        parallel::for_each_chunk_mut(&mut out, GRAIN, &|start, out| {
            (start..).zip(out).for_each(|(i, out)| *out = self.element(i));
        });
        Ok(Cow::Owned(out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::with_dtype;
    use proptest::prelude::*;
    use queries::Batch;

    fn loaded(bytes: Vec<u8>, raw: Option<DType>) -> Result<Loaded, String> {
        let layout = match raw {
            Some(dtype) => Layout::of_raw(&bytes, AnyType::real(dtype), 1),
            None => Layout::of_npy(&bytes),
        }?;
        Ok(Loaded { name: "test".to_owned(), layout, bytes: Bytes::Read(bytes) })
    }

    /// A good file of `q` rows.
    fn file(dtype: DType, rows: usize, columns: usize) -> Vec<u8> {
        let shape = if columns == 1 { vec![rows] } else { vec![rows, columns] };
        let mut bytes = npy::header(dtype, &shape);
        bytes.extend((0..rows * columns * dtype.size()).map(|i| i as u8));
        bytes
    }

    /// Reads a file to the end, as the commands do. Nothing may panic; what is converted is as long as the file.
    fn exercise(bytes: Vec<u8>) {
        let total = bytes.len();
        let Ok(loaded) = loaded(bytes, None) else { return };
        let size = loaded.layout.dtype.size();
        let len =
            with_dtype!(loaded.layout.dtype, T => loaded.elements::<T>().map(|e| e.len())).expect("enough memory");
        assert!(len * size <= total);
        if let Ok(batch) = queries::batch(&loaded) {
            let rows = match batch {
                Batch::U32(rows) => rows.len(),
                Batch::U64(rows) => rows.len(),
            };
            assert!(rows * 2 * size <= total);
        }
    }

    #[test]
    fn every_offset_and_both_byte_orders() {
        let want: Vec<u32> = vec![0x0302_0100, 0x0706_0504, 0x0b0a_0908];
        let data: Vec<u8> = (0..12).collect();
        for pad in 0..8 {
            for (mark, want) in [('<', want.clone()), ('>', want.iter().map(|x| x.swap_bytes()).collect())] {
                let text = format!("{{'descr': '{mark}u4', 'fortran_order': False, 'shape': (3,)}}{}", " ".repeat(pad));
                let head = [npy::MAGIC.as_slice(), &[1, 0], &(text.len() as u16).to_le_bytes()].concat();
                let file = loaded([&head, text.as_bytes(), &data].concat(), None).unwrap();
                assert_eq!(*file.elements::<u32>().unwrap(), want, "{mark} {pad}");
            }
        }
    }

    #[test]
    fn lengths_must_agree() {
        let good = file(DType::F32, 10, 1);
        assert!(Layout::of_npy(&good).is_ok());
        for cut in 0..good.len() {
            assert!(Layout::of_npy(&good[..cut]).is_err(), "{cut}");
        }
        assert!(Layout::of_npy(&[&good[..], &[0]].concat()).is_err());
        for shape in [vec![usize::MAX], vec![1 << 62], vec![1 << 32, 1 << 32], vec![usize::MAX, usize::MAX, 0]] {
            assert!(Layout::of_npy(&npy::header(DType::F64, &shape)).is_err(), "{shape:?}");
        }
        assert!(Layout::of_raw(&[0; 15], AnyType::real(DType::I64), 2).is_err());
        assert_eq!(Layout::of_raw(&[0; 32], AnyType::real(DType::I64), 2).unwrap().shape, [2, 2]);
        assert!(Layout::of_raw(&[0; 24], AnyType::C128, 1).is_err());
        assert_eq!(Layout::of_raw(&[0; 32], AnyType::C128, 1).unwrap().shape, [2]);
    }

    proptest! {
        #[test]
        fn mutated_files_never_panic(
            which in 0..DType::ALL.len(),
            rows in 0usize..20,
            columns in 1usize..3,
            changes in prop::collection::vec((0usize..200, any::<u8>()), 1..6),
            cut in prop::option::of(0usize..300),
        ) {
            let mut bytes = file(DType::ALL[which], rows, columns);
            for (place, value) in changes {
                if let Some(byte) = bytes.get_mut(place) {
                    *byte = value;
                }
            }
            bytes.truncate(cut.unwrap_or(usize::MAX));
            exercise(bytes);
        }

        /// The same, with every change a character that means something in a header.
        #[test]
        fn rewritten_headers_never_panic(
            changes in prop::collection::vec((8usize..128, prop::sample::select(b"0123456789()[]{}',:<>|=iufbL TF".to_vec())), 1..10),
            rows in 0usize..20,
        ) {
            let mut bytes = file(DType::I32, rows, 2);
            for (place, value) in changes {
                bytes[place] = value;
            }
            exercise(bytes);
        }

        /// Headers that are well formed, with any type, order and shape.
        #[test]
        fn any_shape_is_an_error_or_right(
            descr in "[<>|=]?[iufbcSUOV][0-9]{1,2}",
            fortran in any::<bool>(),
            shape in prop::collection::vec(prop_oneof![0usize..5, any::<usize>()], 0..4),
            data in prop::collection::vec(any::<u8>(), 0..100),
        ) {
            let order = if fortran { "True" } else { "False" };
            let text = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {}, }}\n", Shape(&shape));
            let head = [npy::MAGIC.as_slice(), &[2, 0], &(text.len() as u32).to_le_bytes()].concat();
            exercise([&head, text.as_bytes(), &data].concat());
        }
    }
}
