//! An open file of numbers.

use std::borrow::Cow;
use std::fs::File;
use std::ops::Range;
use std::path::Path;

use bytemuck::Pod;
use thalweg_core::parallel;

use super::npy::Shape;
use super::table::{self, Columns, Names, RowLines, Wanted};
use super::{Bytes, GRAIN, Layout, npy, npz};
use crate::dtype::{AnyType, DType, Element};
use crate::failure::{Failure, Outcome};
use crate::format::{Format, Named};
use crate::memory;

/// An open file whose layout is known.
pub struct Loaded {
    /// The file's name, for messages.
    pub name: String,
    /// What its bytes mean.
    pub layout: Layout,
    bytes: Bytes,
    /// Where rows stand, if it is a text.
    lines: Option<RowLines>,
}

/// What a file is opened for.
#[derive(Clone, Copy)]
struct Wish<'w> {
    /// Type of the elements, should it be raw, or of a text.
    dtype: Option<AnyType>,
    columns: Columns,
    /// Whether there may be complex numbers.
    complex: bool,
    /// Whether there may be nothing in it.
    empty: Option<EmptyArgs>,
    /// Names that stand for numbers in a text.
    names: Option<Names<'w>>,
}

/// Whether there may be nothing
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct EmptyArgs {
    /// Take an input with nothing in it for no queries; otherwise it is an error, as a pipe's writer has probably failed
    #[arg(long)]
    pub allow_empty: bool,
}

impl Loaded {
    /// Opens a file. `dtype` is the type of its elements should it be raw or text, and `columns` how many make a row.
    pub fn open(path: &Path, dtype: Option<DType>, columns: usize) -> Outcome<Self> {
        let columns = Columns::Exactly(columns);
        Self::open_as(path, Wish { dtype: dtype.map(AnyType::real), columns, complex: false, empty: None, names: None })
    }

    /// The same for questions: there must be something in the file, unless that is allowed. In a text names may stand for numbers.
    pub fn open_queries(
        path: &Path,
        dtype: DType,
        columns: usize,
        empty: EmptyArgs,
        names: Option<Names<'_>>,
    ) -> Outcome<Self> {
        let (dtype, columns) = (Some(AnyType::real(dtype)), Columns::Exactly(columns));
        Self::open_as(path, Wish { dtype, columns, complex: false, empty: Some(empty), names })
    }

    /// Opens a file of numbers that may be complex. `dtype` is their type should it be raw; then it has one dimension.
    pub fn open_any(path: &Path, dtype: Option<AnyType>) -> Outcome<Self> {
        Self::open_as(path, Wish { dtype, columns: Columns::Any, complex: true, empty: None, names: None })
    }

    /// Opens a file of rows and columns, which says itself what is in it.
    pub fn open_grid(path: &Path) -> Outcome<Self> {
        Self::open_as(path, Wish { dtype: None, columns: Columns::Grid, complex: false, empty: None, names: None })
    }

    /// Opens a file that is `.npy` or `.npz`; or gives the bytes of one that is not.
    pub fn open_npy_or_bytes(path: &Path) -> Outcome<Result<Self, Bytes>> {
        let named = Named::input(path);
        let name = named.name();
        let bytes = Bytes::open_as(&named.path, named.packing, &name)?;
        let format = format_of(&named, bytes.get(), Some(DType::U8));
        if let (Some(part), true) = (&named.part, format != Format::Npz) {
            return Err(no_parts(&named, part));
        }
        match format {
            format @ (Format::Npy | Format::Npz) => Self::of_arrays(bytes, &named, format, false, name).map(Ok),
            _ => Ok(Err(bytes)),
        }
    }

    fn open_as(path: &Path, wish: Wish<'_>) -> Outcome<Self> {
        let named = Named::input(path);
        let name = named.name();
        let bytes = Bytes::open_as(&named.path, named.packing, &name)?;
        let Wish { dtype, columns, complex, empty, names } = wish;
        if let (Some(empty), true) = (empty, bytes.get().is_empty()) {
            if !empty.allow_empty {
                return Err(Failure::at(name, "is empty (--allow-empty takes that for no queries)"));
            }
            let Columns::Exactly(columns) = columns else { unreachable!("questions have so many columns") };
            let layout = Layout::of_raw(&[], dtype.unwrap_or(AnyType::real(DType::I64)), columns);
            let layout = layout.map_err(|text| Failure::at(&name, text))?;
            return Ok(Self { name, layout, bytes, lines: None });
        }
        let format = format_of(&named, bytes.get(), dtype.map(|dtype| dtype.part));
        if let Some(part) = named.part.as_deref()
            && !format.has_parts()
        {
            return Err(no_parts(&named, part));
        }
        if matches!(format, Format::Csv | Format::Tsv) && bytes.get().is_empty() {
            return Err(Failure::at(
                name,
                "is empty, without even a line of names: whoever should have written it may have failed",
            ));
        }
        if format.is_table() {
            if dtype.is_some_and(|dtype| dtype.is_complex) {
                return Err(Failure::at(name, "complex numbers are not read from tables"));
            }
            let (part, dtype) = (named.part.as_deref(), dtype.map(|dtype| dtype.part));
            return Self::of_table(bytes, &Wanted { part, columns, dtype, format, names }, name);
        }
        match (format, dtype) {
            (Format::Raw | Format::Unknown, Some(dtype)) => {
                let columns = if let Columns::Exactly(columns) = columns { columns } else { 1 };
                let layout = Layout::of_raw(bytes.get(), dtype, columns);
                let layout = layout.map_err(|text| Failure::at(&name, text))?;
                Ok(Self { name, layout, bytes, lines: None })
            }
            (format, _) => Self::of_arrays(bytes, &named, format, complex, name),
        }
    }

    /// Columns of a table.
    fn of_table(bytes: Bytes, wanted: &Wanted<'_>, name: String) -> Outcome<Self> {
        if wanted.format.is_columnar() {
            #[cfg(feature = "columnar")]
            {
                let (dtype, shape, bytes) = super::columnar::read(bytes, wanted, &name)?;
                return Ok(Self { name, layout: Layout::of_table(dtype, shape), bytes, lines: None });
            }
            #[cfg(not(feature = "columnar"))]
            return Err(Failure::at(name, crate::format::NOT_COLUMNAR));
        }
        let table = table::read(bytes.get(), wanted, &name)?;
        let layout = Layout::of_table(table.dtype, table.shape);
        Ok(Self { name, layout, bytes: table.bytes, lines: table.lines })
    }

    /// A file that is `.npy`, or a member of an archive.
    fn of_arrays(bytes: Bytes, named: &Named, format: Format, complex: bool, name: String) -> Outcome<Self> {
        let bytes = if format == Format::Npz { npz::member(bytes, named.part.as_deref(), &name)? } else { bytes };
        let layout = Layout::of_npy(bytes.get(), complex).map_err(|text| Failure::at(&name, text))?;
        Ok(Self { name, layout, bytes, lines: None })
    }

    /// Where a row stands in the file: for people, who count lines of a text from 1.
    pub fn place(&self, row: usize) -> String {
        match &self.lines {
            Some(lines) => format!("line {}", lines.line(row)),
            None => format!("row {row}"),
        }
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.layout.shape.first().copied().unwrap_or(1)
    }

    /// A failure in this file.
    pub fn failure(&self, text: impl std::fmt::Display) -> Failure {
        Failure::at(&self.name, text)
    }

    /// Whether the file is mapped; otherwise it was read to memory.
    pub fn is_mapped(&self) -> bool {
        self.bytes.is_mapped()
    }

    /// The file and its bytes, if it is mapped and its data is used where it lies.
    pub fn mapped(&self) -> Option<(&File, &[u8])> {
        if self.layout.swapped || self.lines.is_some() { None } else { self.bytes.mapped() }
    }

    /// Where its data begins in the file itself, if it is mapped and used where it lies.
    pub fn offset_in_file(&self) -> Option<usize> {
        let (_, all) = self.mapped()?;
        Some(self.data().as_ptr() as usize - all.as_ptr() as usize)
    }

    /// What the file is and how it was taken, for `--verbose`. `in_place`: its data is used where it lies.
    pub fn describe(&self, in_place: bool) -> String {
        let how = match self.lines {
            Some(_) => "read from text",
            None if self.is_mapped() => "mapped",
            None => "read to memory",
        };
        let then = if in_place { "used in place" } else { "converted" };
        format!("{}, {} of shape {}, {how}, {then}", self.name, self.layout.any_type(), Shape(&self.layout.shape))
    }

    pub(super) fn data(&self) -> &[u8] {
        &self.bytes.get()[self.layout.offset..]
    }

    /// Copies the bytes of elements from here on.
    pub(super) fn copy(&self, from: usize, out: &mut [u8]) {
        self.bytes.copy(self.layout.offset + from * self.layout.dtype.size(), out);
    }

    /// Asks the system for the pages of elements that are about to be read, all at once: one by one, as they are touched, they
    /// take longer than the reading.
    pub fn fetch(&self, elements: Range<usize>) {
        let size = self.layout.dtype.size();
        self.bytes.fetch(self.layout.offset + elements.start * size..self.layout.offset + elements.end * size);
    }

    /// The same for all of them, by all threads.
    pub fn fetch_all(&self) {
        const TASK: usize = 4 << 20;
        if self.is_mapped() {
            parallel::for_each_chunk(self.bytes.get().len(), TASK, &|range| self.bytes.fetch(range));
        }
    }

    /// Tells the system that elements will be needed soon: it may read them ahead, into its own memory.
    pub fn expect(&self, elements: Range<usize>) {
        let size = self.layout.dtype.size();
        self.bytes.expect(self.layout.offset + elements.start * size..self.layout.offset + elements.end * size);
    }

    /// Gives back the memory of elements that are not needed for the time being.
    pub fn release(&self, elements: Range<usize>) {
        let size = self.layout.dtype.size();
        self.bytes.release(self.layout.offset + elements.start * size..self.layout.offset + elements.end * size);
    }

    /// The same for whole rows.
    pub fn release_rows(&self, rows: Range<usize>) {
        let columns: usize = self.layout.shape.iter().skip(1).product();
        if !self.layout.fortran {
            self.release(rows.start * columns..rows.end * columns);
        } else {
            self.release_all();
        }
    }

    /// The same for bytes of this file that somebody was lent; others are none of its business.
    pub fn release_lent(&self, lent: &[u8]) {
        let all = self.bytes.get().as_ptr_range();
        let (start, end) = (lent.as_ptr_range().start, lent.as_ptr_range().end);
        if all.start <= start && end <= all.end {
            let at = start as usize - all.start as usize;
            self.bytes.release(at..at + lent.len());
        }
    }

    /// All of its memory.
    pub fn release_all(&self) {
        self.bytes.release(0..self.bytes.get().len());
    }

    /// Tells the system that its elements will be read here and there.
    pub fn expect_random(&self) {
        self.bytes.expect_random();
    }

    /// The data where it lies, if it can be used there as it is.
    pub(super) fn in_place<T: Pod>(&self) -> Option<&[T]> {
        if self.layout.swapped { None } else { bytemuck::try_cast_slice(self.data()).ok() }
    }

    /// Element `index` in the file's order, wherever it lies and whichever way round its bytes are.
    pub(super) fn element<T: Element>(&self, index: usize) -> T {
        let size = size_of::<T>();
        let element: T = bytemuck::pod_read_unaligned(&self.data()[index * size..][..size]);
        if self.layout.swapped { element.swapped() } else { element }
    }

    /// Some elements in the file's order: in place, or converted in parallel. `T` must be the file's type.
    pub fn part<T: Element>(&self, range: Range<usize>) -> Outcome<Cow<'_, [T]>> {
        assert_eq!(T::DTYPE, self.layout.dtype, "the caller dispatches on the type");
        if let Some(slice) = self.in_place() {
            self.fetch(range.clone());
            return Ok(Cow::Borrowed(&slice[range]));
        }
        let mut out = memory::filled(range.len(), T::default(), &self.name)?;
        parallel::for_each_chunk_mut(&mut out, GRAIN, &|start, out| {
            for (i, out) in (range.start + start..).zip(out) {
                *out = self.element(i);
            }
        });
        Ok(Cow::Owned(out))
    }

    /// All elements in the file's order: in place, or converted in parallel. `T` must be the file's type; complex numbers
    /// are two elements each.
    pub fn elements<T: Element>(&self) -> Outcome<Cow<'_, [T]>> {
        assert_eq!(T::DTYPE, self.layout.dtype, "the caller dispatches on the type");
        if let Some(slice) = self.in_place() {
            self.fetch_all();
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

fn no_parts(named: &Named, part: &str) -> Failure {
    Failure::at(named.path.display(), format_args!("has no parts, so none that is called '{part}'"))
}

/// What a file holds: by its name, or by its content where that does not say, or says that it is no text. `raw` is the type
/// that its elements have if it is raw.
fn format_of(named: &Named, bytes: &[u8], raw: Option<DType>) -> Format {
    if bytes.starts_with(npy::MAGIC) {
        return Format::Npy;
    }
    if named.format != Format::Unknown {
        return named.format;
    }
    let start = &bytes[..bytes.len().min(1 << 16)];
    match raw {
        _ if named.part.is_some() => {
            if bytes.starts_with(npz::MAGIC) {
                Format::Npz
            } else {
                Format::Text
            }
        }
        None if bytes.starts_with(npz::MAGIC) => Format::Npz,
        None if is_text(start) => Format::Text,
        None => Format::Npy,
        // Numbers of four bytes that happen to be written like this would be strange ones; of one or two they might be.
        Some(dtype) if dtype.size() >= 4 && is_digits(start) => Format::Text,
        Some(_) => Format::Raw,
    }
}

/// Whether these are letters, digits and such.
fn is_text(bytes: &[u8]) -> bool {
    let is_control = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    !bytes.is_empty()
        && !bytes.iter().any(is_control)
        && std::str::from_utf8(bytes).map_or_else(|e| e.error_len().is_none(), |_| true)
}

/// Whether these are numbers and what stands between them.
fn is_digits(bytes: &[u8]) -> bool {
    bytes.iter().any(u8::is_ascii_digit)
        && bytes.iter().all(|byte| byte.is_ascii_digit() || byte.is_ascii_whitespace() || b"+-.,;eE".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::with_dtype;
    use crate::input::queries::{self, Batch};
    use proptest::prelude::*;

    fn loaded(bytes: Vec<u8>, raw: Option<DType>) -> Result<Loaded, String> {
        let layout = match raw {
            Some(dtype) => Layout::of_raw(&bytes, AnyType::real(dtype), 1),
            None => Layout::of_npy(&bytes, false),
        }?;
        Ok(Loaded { name: "test".to_owned(), layout, bytes: bytes.into(), lines: None })
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
        assert!(Layout::of_npy(&good, false).is_ok());
        for cut in 0..good.len() {
            assert!(Layout::of_npy(&good[..cut], false).is_err(), "{cut}");
        }
        assert!(Layout::of_npy(&[&good[..], &[0]].concat(), false).is_err());
        for shape in [vec![usize::MAX], vec![1 << 62], vec![1 << 32, 1 << 32], vec![usize::MAX, usize::MAX, 0]] {
            assert!(Layout::of_npy(&npy::header(DType::F64, &shape), false).is_err(), "{shape:?}");
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
