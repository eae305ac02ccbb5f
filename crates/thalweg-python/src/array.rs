//! NumPy arrays in: lent where they can be read as they lie, copied where not, refused where they mean nothing.
//!
//! What counts as an array: everything NumPy makes one of (sequences, buffers, `__array__`, DLPack), on the CPU.
#![allow(unsafe_code)]

use std::sync::Arc;

use bytemuck::Pod;
use numpy::npyffi::flags::{NPY_ARRAY_ALIGNED, NPY_ARRAY_C_CONTIGUOUS};
use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};
use rayon::prelude::*;
use thalweg::{Key, Order};
use thalweg_core::Coding;
use thalweg_core::bits::{Array, Bits};
use thalweg_core::error::try_filled;

use crate::errors::{bad_input, bad_type};

/// What the elements of an array are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `bool`.
    Bool,
    /// Integers without a sign.
    Unsigned,
    /// Integers with one.
    Signed,
    /// `float32` and `float64`.
    Float,
    /// `datetime64` and `timedelta64`.
    Time,
}

/// What the elements of an array are, and their bytes: 1, 2, 4 or 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dtype {
    /// What they are.
    pub kind: Kind,
    /// Their bytes.
    pub bytes: usize,
}

/// Runs an expression with the Rust type of a [`Dtype`]'s keys: `by_key!(dtype, K => f::<K>())`.
macro_rules! by_key {
    ($dtype:expr, $K:ident => $body:expr) => {{
        use $crate::array::Kind;
        let dtype: $crate::array::Dtype = $dtype;
        macro_rules! with {
            ($t:ty) => {{
                type $K = $t;
                $body
            }};
        }
        match (dtype.kind, dtype.bytes) {
            (Kind::Bool, _) | (Kind::Unsigned, 1) => with!(u8),
            (Kind::Unsigned, 2) => with!(u16),
            (Kind::Unsigned, 4) => with!(u32),
            (Kind::Unsigned, _) => with!(u64),
            (Kind::Signed, 1) => with!(i8),
            (Kind::Signed, 2) => with!(i16),
            (Kind::Signed, 4) => with!(i32),
            (Kind::Signed | Kind::Time, _) => with!(i64),
            (Kind::Float, 4) => with!(f32),
            (Kind::Float, _) => with!(f64),
        }
    }};
}
pub(crate) use by_key;

impl Dtype {
    /// How the bits turn into ranks.
    pub fn coding(self, order: Order) -> Coding {
        by_key!(self, K => Coding::of::<K>(order))
    }

    /// The type of that name of the library's own, `u8` to `f64`.
    pub fn of_name(name: &str) -> Option<Self> {
        let kind = match name.as_bytes().first()? {
            b'u' => Kind::Unsigned,
            b'i' => Kind::Signed,
            b'f' => Kind::Float,
            _ => return None,
        };
        Some(Self { kind, bytes: name[1..].parse::<usize>().ok()? / 8 })
    }

    /// The name that files give it.
    pub fn library_name(self) -> &'static str {
        by_key!(self, K => K::NAME)
    }

    /// NumPy's name of it, where it is a plain number.
    pub fn name(self) -> &'static str {
        match (self.kind, self.bytes) {
            (Kind::Bool, _) => "bool",
            (Kind::Unsigned, 1) => "uint8",
            (Kind::Unsigned, 2) => "uint16",
            (Kind::Unsigned, 4) => "uint32",
            (Kind::Unsigned, _) => "uint64",
            (Kind::Signed, 1) => "int8",
            (Kind::Signed, 2) => "int16",
            (Kind::Signed, 4) => "int32",
            (Kind::Signed | Kind::Time, _) => "int64",
            (Kind::Float, 4) => "float32",
            (Kind::Float, _) => "float64",
        }
    }

    /// What a dtype of NumPy is, in native order.
    fn of(array: &Bound<'_, PyUntypedArray>, what: &str) -> PyResult<Self> {
        let dtype = array.dtype();
        let bytes = dtype.itemsize();
        let kind = match dtype.kind() {
            b'b' => Kind::Bool,
            b'u' => Kind::Unsigned,
            b'i' => Kind::Signed,
            b'f' if bytes == 4 || bytes == 8 => Kind::Float,
            b'M' | b'm' => Kind::Time,
            kind => {
                let advice = match kind {
                    b'f' if bytes == 2 => "use .astype(np.float32), which holds every float16 exactly",
                    b'f' => "use .astype(np.float64)",
                    b'c' => "complex numbers have no order: take .real, .imag or np.abs()",
                    b'O' => "use .astype() with the type that its elements have",
                    b'U' | b'S' => {
                        "text has no order here: np.unique(a, return_inverse=True) gives numbers that have one"
                    }
                    _ => "numbers, booleans, datetime64 and timedelta64 work",
                };
                return Err(bad_type(format!("{what}: dtype {dtype} does not work; {advice}")));
            }
        };
        Ok(Self { kind, bytes })
    }
}

/// Whether an array may be copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copy {
    /// Never: an error instead.
    Never,
    /// Where it cannot be read as it lies.
    IfNeeded,
    /// Always.
    Always,
}

impl From<Option<bool>> for Copy {
    /// NumPy's meaning of `copy=`.
    fn from(copy: Option<bool>) -> Self {
        match copy {
            None => Self::IfNeeded,
            Some(true) => Self::Always,
            Some(false) => Self::Never,
        }
    }
}

/// An array that lies in memory as a slice does, kept alive by a reference to its owner.
#[derive(Clone)]
pub struct Lent {
    owner: Arc<Py<PyAny>>,
    data: *const u8,
    /// How many elements.
    pub len: usize,
    /// What they are.
    pub dtype: Dtype,
}

// SAFETY: the memory is only read, and lives as long as the owner, which is a Python object that is only referred to.
unsafe impl Send for Lent {}
// SAFETY: as above.
unsafe impl Sync for Lent {}

impl Lent {
    /// An array of any shape, row by row.
    pub fn of_any_shape(what: &str, object: &Bound<'_, PyAny>, copy: Copy) -> PyResult<(Self, Vec<usize>)> {
        let array = to_numpy(what, object, copy)?;
        let dtype = Dtype::of(&array, what)?;
        let array = in_order(what, array, copy)?;
        let shape = array.shape().to_vec();
        Ok((Self::of_contiguous(&array, dtype), shape))
    }

    /// An array of one dimension.
    pub fn new(what: &str, object: &Bound<'_, PyAny>, copy: Copy) -> PyResult<Self> {
        let (lent, shape) = Self::of_any_shape(what, object, copy)?;
        if shape.len() == 1 {
            return Ok(lent);
        }
        let advice = if shape.is_empty() { "a single number" } else { "use .ravel() for all of them in a row" };
        Err(bad_input(format!("{what}: {} dimensions, where one is needed; {advice}", shape.len())))
    }

    /// Rows of `width` numbers, such as points (2) and segments (4).
    pub fn rows(what: &str, object: &Bound<'_, PyAny>, width: usize) -> PyResult<Self> {
        let (lent, shape) = Self::of_any_shape(what, object, Copy::IfNeeded)?;
        if matches!(lent.dtype.kind, Kind::Bool | Kind::Time) {
            let class = if lent.dtype.kind == Kind::Bool { "booleans" } else { "times" };
            return Err(bad_type(format!("{what}: {class}, where coordinates are integers or floats; use .astype()")));
        }
        match *shape {
            [_, columns] if columns == width => Ok(lent),
            [0] => Ok(lent),
            _ => Err(bad_input(format!("{what}: shape {shape:?}, where (n, {width}) is needed"))),
        }
    }

    /// Numbers that transforms take, of any shape, and whether they are complex: such an array has two floats an element here.
    /// Integers become `float64`.
    pub fn floats(what: &str, object: &Bound<'_, PyAny>) -> PyResult<(Self, Vec<usize>, bool)> {
        let mut array = to_numpy(what, object, Copy::IfNeeded)?;
        let (kind, bytes) = (array.dtype().kind(), array.dtype().itemsize());
        let dtype = match (kind, bytes) {
            (b'c', 8 | 16) => Dtype { kind: Kind::Float, bytes: bytes / 2 },
            (b'c', _) => {
                let advice = "use .astype(np.complex128)";
                return Err(bad_type(format!("{what}: dtype {} does not work; {advice}", array.dtype())));
            }
            (b'M' | b'm', _) => {
                let advice = "times are no numbers to be multiplied: use .astype(np.int64)";
                return Err(bad_type(format!("{what}: dtype {} does not work; {advice}", array.dtype())));
            }
            (b'b' | b'i' | b'u', _) => {
                array = array.call_method1("astype", ("float64",))?.cast_into()?;
                Dtype { kind: Kind::Float, bytes: 8 }
            }
            _ => Dtype::of(&array, what)?,
        };
        let array = in_order(what, array, Copy::IfNeeded)?;
        let mut lent = Self::of_contiguous(&array, dtype);
        lent.len *= if kind == b'c' { 2 } else { 1 };
        Ok((lent, array.shape().to_vec(), kind == b'c'))
    }

    /// A text: `bytes`, anything that lends a buffer, or an array. Its symbols are bytes, or numbers of 32 bits, to which
    /// those of 16 are converted.
    pub fn text(what: &str, object: &Bound<'_, PyAny>, copy: Copy) -> PyResult<Self> {
        let py = object.py();
        if object.is_instance_of::<PyString>() {
            let advice = "texts are bytes: use .encode(), and .decode() what is cut out of it";
            return Err(bad_type(format!("{what}: a str; {advice}")));
        }
        if let Ok(bytes) = object.cast::<PyBytes>() {
            // Nobody can change them: there is no need for a copy.
            let (data, len) = (bytes.as_bytes().as_ptr(), bytes.as_bytes().len());
            let dtype = Dtype { kind: Kind::Unsigned, bytes: 1 };
            return Ok(Self { owner: Arc::new(object.clone().unbind()), data, len, dtype });
        }
        let array = match object.cast::<PyUntypedArray>() {
            Ok(array) => array.clone(),
            // Of `array.array`, `mmap` and `bytearray` NumPy would make numbers one by one, or copies.
            Err(_) => match pyo3::types::PyMemoryView::from(object) {
                Ok(view) => to_numpy(what, &view, copy)?,
                Err(_) => to_numpy(what, object, copy)?,
            },
        };
        let dtype = array.dtype();
        let array = match (dtype.kind(), dtype.itemsize()) {
            (b'u', 1 | 4) | (b'b', 1) => array.into_any(),
            (b'S', 1) => array.call_method1(intern!(py, "view"), ("u1",))?,
            (b'u', 2) if copy == Copy::Never => {
                return Err(bad_input(format!("{what}: symbols of 16 bits are copied to 32, but copy=False")));
            }
            (b'u', 2) => array.call_method1(intern!(py, "astype"), ("u4",))?,
            (kind, bytes) => {
                let advice = match (kind, bytes) {
                    (b'i', 1) => "use .view(np.uint8) for bytes",
                    (b'i' | b'u', _) => {
                        "use .astype(np.uint32) if all of them are below 2**32 and none is negative; \
                         np.unique(a, return_inverse=True)[1].astype(np.uint32) otherwise"
                    }
                    (b'U', _) => "texts are bytes: use .encode()",
                    _ => "np.unique(a, return_inverse=True)[1].astype(np.uint32) gives symbols of the same order",
                };
                let reason = "symbols of a text are bytes, or uint32";
                return Err(bad_type(format!("{what}: dtype {dtype} does not work; {reason}: {advice}")));
            }
        };
        Self::new(what, &array, copy)
    }

    /// A text of bytes: [`Lent::text`] of nothing else.
    pub fn bytes(what: &str, object: &Bound<'_, PyAny>, copy: Copy) -> PyResult<Self> {
        let lent = Self::text(what, object, copy)?;
        match lent.dtype.bytes {
            1 => Ok(lent),
            _ => Err(bad_type(format!("{what}: symbols of several bytes, where one of bytes or uint8 is needed"))),
        }
    }

    fn of_contiguous(array: &Bound<'_, PyUntypedArray>, dtype: Dtype) -> Self {
        // SAFETY: the object is an array, whose fields may be read.
        let data = unsafe { (*array.as_array_ptr()).fields.data.cast_const().cast() };
        Self { owner: Arc::new(array.clone().into_any().unbind()), data, len: array.len(), dtype }
    }

    /// The array itself, or what lends the memory.
    pub fn owner<'py>(&self, py: Python<'py>) -> &Bound<'py, PyAny> {
        self.owner.bind(py)
    }

    /// The elements as a type of their size, or of several of them in a row.
    pub fn slice<T: Pod>(&self) -> &[T] {
        let bytes = self.len * self.dtype.bytes;
        assert!(
            align_of::<T>() <= self.dtype.bytes && bytes.is_multiple_of(size_of::<T>()),
            "elements of another width"
        );
        if self.len == 0 {
            return &[];
        }
        // SAFETY: contiguous, aligned memory of that many elements (`in_order`), alive as long as its owner, and of a type
        // of which every pattern of bits is a value. That nobody writes to it meanwhile is asked of the caller.
        unsafe { std::slice::from_raw_parts(self.data.cast(), bytes / size_of::<T>()) }
    }

    /// The same for as long as whoever asks wants.
    ///
    /// # Safety
    /// What is made of it must not outlive this.
    pub unsafe fn forever<T: Pod>(&self) -> &'static [T] {
        let slice = self.slice::<T>();
        // SAFETY: asked of the caller.
        unsafe { std::slice::from_raw_parts(slice.as_ptr(), slice.len()) }
    }

    /// The elements' bits.
    pub fn bits(&self) -> Bits<'_> {
        match self.dtype.bytes {
            1 => Bits::U8(self.slice()),
            2 => Bits::U16(self.slice()),
            4 => Bits::U32(self.slice()),
            _ => Bits::U64(self.slice()),
        }
    }

    /// The elements' bits for an index.
    ///
    /// # Safety
    /// The index must not outlive this.
    pub unsafe fn array(&self) -> Array<'static> {
        fn of<K: Key + Pod>(lent: &Lent) -> Array<'static> {
            let keys: &[K] = lent.slice();
            // SAFETY: asked of the caller.
            Array::of(unsafe { std::slice::from_raw_parts(keys.as_ptr(), keys.len()) })
        }
        match self.dtype.bytes {
            1 => of::<u8>(self),
            2 => of::<u16>(self),
            4 => of::<u32>(self),
            _ => of::<u64>(self),
        }
    }

    /// The keys as they are to be compared, if not as they lie: with NaT last, as NaN is, for a smallest first order.
    ///
    /// NaT is the smallest integer. One less, it is the largest; and by the other order it is the last as it is.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](thalweg::Error::OutOfMemory).
    pub fn reordered(&self, order: Order) -> thalweg::Result<Option<Vec<i64>>> {
        if self.dtype.kind != Kind::Time || order == Order::Max {
            return Ok(None);
        }
        let times: &[i64] = self.slice();
        let has_nat = times.par_chunks(1 << 16).any(|chunk| chunk.contains(&i64::MIN));
        if !has_nat {
            return Ok(None);
        }
        let mut keys = try_filled(times.len(), 0, "keys with NaT last")?;
        keys.par_iter_mut().zip(times).for_each(|(key, time)| *key = time.wrapping_sub(1));
        Ok(Some(keys))
    }
}

/// A NumPy array of whatever is one.
pub fn to_numpy<'py>(what: &str, object: &Bound<'py, PyAny>, copy: Copy) -> PyResult<Bound<'py, PyUntypedArray>> {
    let py = object.py();
    if let Ok(array) = object.cast::<PyUntypedArray>() {
        return Ok(array.clone());
    }
    if object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>() {
        return Err(bad_type(format!("{what}: a {}, where an array is needed", object.get_type().name()?)));
    }
    on_cpu(what, object)?;
    let numpy = py.import(intern!(py, "numpy"))?;
    let foreign = !object.hasattr(intern!(py, "__array__"))? && object.hasattr(intern!(py, "__dlpack__"))?;
    let array = if foreign {
        numpy.call_method1(intern!(py, "from_dlpack"), (object,))?
    } else {
        numpy.call_method1(intern!(py, "asarray"), (object,))?
    };
    let lends = foreign
        || ["__array_interface__", "__array__", "__dlpack__"].iter().any(|name| object.hasattr(*name).unwrap_or(false))
        || pyo3::types::PyMemoryView::from(object).is_ok();
    if copy == Copy::Never && !lends {
        let class = object.get_type().name()?;
        return Err(bad_input(format!("{what}: a {class} cannot be used without copying it (copy=False)")));
    }
    Ok(array.cast_into()?)
}

/// Refuses arrays on other devices, which NumPy would refuse with less advice.
fn on_cpu(what: &str, object: &Bound<'_, PyAny>) -> PyResult<()> {
    const CPU: i64 = 1;
    const PINNED: i64 = 3; // memory of the host that a CUDA driver has locked
    let elsewhere = if object.hasattr("__cuda_array_interface__").unwrap_or(false) {
        true
    } else if object.hasattr("__dlpack_device__").unwrap_or(false) {
        let (device, _): (i64, i64) = object.call_method0("__dlpack_device__")?.extract()?;
        device != CPU && device != PINNED
    } else {
        false
    };
    if !elsewhere {
        return Ok(());
    }
    let class = object.get_type().name()?;
    Err(bad_type(format!(
        "{what}: a {class} on another device; copy it to the CPU first: tensor.cpu() in torch, cupy.asnumpy(a), \
         jax.device_get(a)"
    )))
}

/// The array, or a copy of it, in C order, aligned and in this machine's byte order.
fn in_order<'py>(what: &str, array: Bound<'py, PyUntypedArray>, copy: Copy) -> PyResult<Bound<'py, PyUntypedArray>> {
    let py = array.py();
    // SAFETY: the object is an array, whose fields may be read.
    let flags = unsafe { (*array.as_array_ptr()).fields.flags };
    let native = array.dtype().is_native_byteorder().unwrap_or(true);
    let laid_out = flags & NPY_ARRAY_C_CONTIGUOUS != 0 && flags & NPY_ARRAY_ALIGNED != 0;
    if laid_out && native && copy != Copy::Always {
        return Ok(array);
    }
    if copy == Copy::Never {
        let why = if !native {
            "is in another machine's byte order"
        } else if flags & NPY_ARRAY_C_CONTIGUOUS == 0 {
            "is not contiguous"
        } else {
            "is not aligned"
        };
        return Err(bad_input(format!("{what}: the array {why}, so it must be copied, but copy=False")));
    }
    let options = PyDict::new(py);
    options.set_item("order", "C")?;
    options.set_item("copy", true)?;
    let dtype = array.dtype().call_method1("newbyteorder", ("=",))?;
    Ok(array.call_method("astype", (dtype,), Some(&options))?.cast_into()?)
}
