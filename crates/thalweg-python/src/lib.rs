//! Thalweg for Python: NumPy in, NumPy out. The package is in `python/thalweg`; this is its extension module.
//!
//! A file a subject. Those of all of them: [`array`] and [`out`] (NumPy's arrays as slices, slices as arrays), [`queries`]
//! (numbers or arrays that broadcast), [`work`] (threads, signals, forks), [`device`], [`errors`].
#![deny(unsafe_code)]

mod ansv;
mod array;
mod device;
mod errors;
mod out;
mod queries;
mod rmq;
mod work;

/// What `python/thalweg` is made of.
#[pyo3::pymodule(gil_used = false)]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::ansv::ansv;
    #[pymodule_export]
    use crate::device::{devices, info};
    #[pymodule_export]
    use crate::rmq::Rmq;
    #[pymodule_export]
    use crate::work::set_threads;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::work::imported(module.py());
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
