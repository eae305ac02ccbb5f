//! NumPy arrays out: vectors become arrays as they lie, and results are written into arrays, new ones or the caller's.
#![allow(unsafe_code)]

use bytemuck::Pod;
use numpy::ndarray::ArrayView1;
use numpy::npyffi::flags::{NPY_ARRAY_ALIGNED, NPY_ARRAY_C_CONTIGUOUS, NPY_ARRAY_WRITEABLE};
use numpy::{Element, IntoPyArray, PyArray1, PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use thalweg::Positions;
use thalweg_core::bits::BitsMut;

use crate::array::Lent;
use crate::errors::{bad_input, bad_type};

/// A vector as an array, without a copy.
pub fn array<T: Element>(py: Python<'_>, values: Vec<T>) -> Bound<'_, PyAny> {
    values.into_pyarray(py).into_any()
}

/// A vector on its way out of work, whatever its type.
pub type Made = Box<dyn for<'py> FnOnce(Python<'py>) -> Bound<'py, PyAny> + Send>;

/// A vector that becomes an array, without a copy, when the interpreter is there again.
pub fn made<T: Element + 'static>(values: Vec<T>) -> Made {
    Box::new(|py| array(py, values))
}

/// Positions in an array of as many elements, as an array, without a copy: `int32` while it has fewer than 2^31 of them,
/// `int64` otherwise; -1 for none.
pub fn positions(py: Python<'_>, positions: Positions) -> PyResult<Bound<'_, PyAny>> {
    let len = positions.len();
    positions_below(py, positions, len)
}

/// The same for any number of positions, in an array or text of `len` elements.
pub fn positions_below(py: Python<'_>, positions: Positions, len: usize) -> PyResult<Bound<'_, PyAny>> {
    Ok(match positions {
        // Everything but "none" is at most the length.
        Positions::U32(list) if len <= i32::MAX as usize => array(py, signed(list)),
        Positions::U32(list) => {
            use rayon::prelude::*;
            let wide = crate::work::call(py, crate::work::Threads::All, move |_| {
                Ok(list.par_iter().map(|&p| if p == u32::MAX { -1 } else { i64::from(p) }).collect::<Vec<_>>())
            })?;
            array(py, wide)
        }
        Positions::U64(list) => array(py, signed64(list)),
    })
}

/// The same array in another shape.
pub fn shaped<'py>(array: &Bound<'py, PyAny>, shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
    array.call_method1(intern!(array.py(), "reshape"), (PyTuple::new(array.py(), shape)?,))
}

/// Elements that a Python object owns, as an array that can only be read and keeps the object alive.
///
/// # Safety
/// They must stay where they are, as they are, for as long as the object lives.
pub unsafe fn view<'py, T: Element>(owner: Bound<'py, PyAny>, elements: &[T]) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: asked of the caller.
    let array = unsafe { PyArray1::borrow_from_array(&ArrayView1::from(elements), owner) };
    array.getattr("flags")?.setattr("writeable", false)?;
    Ok(array.into_any())
}

/// The same for positions, all of which are below 2^31 where they have 32 bits.
///
/// # Safety
/// As above.
pub unsafe fn view_positions<'py>(owner: Bound<'py, PyAny>, positions: &Positions) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: asked of the caller.
    unsafe {
        match positions {
            Positions::U32(list) => view::<i32>(owner, bytemuck::cast_slice(list)),
            Positions::U64(list) => view::<i64>(owner, bytemuck::cast_slice(list)),
        }
    }
}

/// The same bits, as numbers with a sign: all of them make "none" -1.
pub fn signed(list: Vec<u32>) -> Vec<i32> {
    let mut list = std::mem::ManuallyDrop::new(list);
    // SAFETY: the allocation is that of as many numbers of the same size and alignment; it is not dropped twice.
    unsafe { Vec::from_raw_parts(list.as_mut_ptr().cast(), list.len(), list.capacity()) }
}

/// The same for 64 bits.
pub fn signed64(list: Vec<u64>) -> Vec<i64> {
    let mut list = std::mem::ManuallyDrop::new(list);
    // SAFETY: as above.
    unsafe { Vec::from_raw_parts(list.as_mut_ptr().cast(), list.len(), list.capacity()) }
}

/// Memory of an array that results are written to.
pub struct Buffer {
    array: Py<PyAny>,
    data: *mut u8,
    len: usize,
    bytes: usize,
}

// SAFETY: the memory is the array's, which lives as long as this; only the work that got the buffer writes to it.
unsafe impl Send for Buffer {}
// SAFETY: writing takes `&mut`.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// A new array, of a dtype of NumPy or its name.
    pub fn new(py: Python<'_>, shape: &[usize], dtype: &Bound<'_, PyAny>) -> PyResult<Self> {
        let numpy = py.import(intern!(py, "numpy"))?;
        let array = numpy.call_method1(intern!(py, "empty"), (PyTuple::new(py, shape)?, dtype))?;
        Ok(Self::of(&array.cast_into()?))
    }

    /// The array that the caller gave, if it has this shape and dtype and can be written to as it lies.
    pub fn given(given: &Bound<'_, PyAny>, shape: &[usize], dtype: &Bound<'_, PyAny>) -> PyResult<Self> {
        let array = given.cast::<PyUntypedArray>().map_err(|_| bad_type("out: not a NumPy array"))?;
        // SAFETY: the object is an array, whose fields may be read.
        let flags = unsafe { (*array.as_array_ptr()).fields.flags };
        if array.shape() != shape {
            return Err(bad_input(format!("out: shape {:?}, where the answers have {shape:?}", array.shape())));
        }
        if !array.dtype().as_any().eq(dtype)? {
            return Err(bad_type(format!("out: dtype {}, where the answers have {dtype}", array.dtype())));
        }
        if flags & NPY_ARRAY_WRITEABLE == 0 {
            return Err(bad_input("out: the array is read-only"));
        }
        if flags & NPY_ARRAY_C_CONTIGUOUS == 0 || flags & NPY_ARRAY_ALIGNED == 0 {
            return Err(bad_input("out: the array is not contiguous and aligned"));
        }
        Ok(Self::of(array))
    }

    fn of(array: &Bound<'_, PyUntypedArray>) -> Self {
        // SAFETY: the object is an array, whose fields may be read.
        let data = unsafe { (*array.as_array_ptr()).fields.data.cast() };
        let (len, bytes) = (array.len(), array.dtype().itemsize());
        Self { array: array.clone().into_any().unbind(), data, len, bytes }
    }

    /// Whether it begins here.
    pub fn is_at(&self, data: *const u8) -> bool {
        std::ptr::eq(self.data, data)
    }

    /// How many elements there is room for.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The elements, to be written, as a type of their size or of several of them in a row.
    pub fn slice<T: Pod>(&mut self) -> &mut [T] {
        let bytes = self.len * self.bytes;
        assert!(align_of::<T>() <= self.bytes && bytes.is_multiple_of(size_of::<T>()), "elements of another width");
        if self.len == 0 {
            return &mut [];
        }
        // SAFETY: contiguous, aligned memory of that many elements, of a type of which every pattern of bits is a value.
        unsafe { std::slice::from_raw_parts_mut(self.data.cast(), bytes / size_of::<T>()) }
    }

    /// Whether an array that is read lies in the same memory.
    pub fn overlaps(&mut self, array: &Lent) -> bool {
        let (read, written) = (array.slice::<u8>().as_ptr_range(), self.slice::<u8>().as_ptr_range());
        read.start < written.end && written.start < read.end
    }

    /// The elements' bits, to be written.
    pub fn bits(&mut self) -> BitsMut<'_> {
        match self.bytes {
            1 => BitsMut::U8(self.slice()),
            2 => BitsMut::U16(self.slice()),
            4 => BitsMut::U32(self.slice()),
            _ => BitsMut::U64(self.slice()),
        }
    }

    /// The array.
    pub fn into_array(self, py: Python<'_>) -> Bound<'_, PyAny> {
        self.array.into_bound(py)
    }
}

/// A dtype of NumPy, by its name.
pub fn dtype<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import(intern!(py, "numpy"))?.call_method1(intern!(py, "dtype"), (name,))
}
