//! What the bytes of a file mean.

use thalweg_core::parallel;

use super::npy::{self, Shape};
use crate::dtype::{AnyType, DType, Form};
use crate::numbers::counted_plainly;

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
    pub(super) swapped: bool,
    /// Whether the first index runs fastest.
    pub(super) fortran: bool,
    pub(super) offset: usize,
}

impl Layout {
    /// The layout of an `.npy` file. The data must have exactly the length that the header says. Complex numbers are refused,
    /// unless they are allowed; truth values are the numbers 0 and 1.
    pub(super) fn of_npy(bytes: &[u8], complex: bool) -> Result<Self, String> {
        let header = npy::parse(bytes)?;
        let form = header.form;
        let layout = Self::of_header(bytes, if complex { header } else { header.of_numbers()? })?;
        if form == Form::Truth {
            let values = &bytes[layout.offset..];
            let is_neither = |i: &usize| values[*i] > 1;
            if let Some(i) = parallel::find_first(values.len(), 1 << 20, &|mut range| range.find(is_neither)) {
                return Err(format!("element {i} of a bool array is {}, neither 0 nor 1", values[i]));
            }
        }
        Ok(layout)
    }

    /// The layout of a table's numbers.
    pub(super) fn of_table(dtype: DType, shape: Vec<usize>) -> Self {
        Self { dtype, is_complex: false, shape, swapped: false, fortran: false, offset: 0 }
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
    pub(super) fn is_plain(&self) -> bool {
        !self.swapped && !self.fortran
    }

    /// The layout of raw little-endian data, in rows of `columns` elements.
    pub(super) fn of_raw(bytes: &[u8], dtype: AnyType, columns: usize) -> Result<Self, String> {
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
