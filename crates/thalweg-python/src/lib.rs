//! Thalweg for Python: NumPy in, NumPy out. The package is in `python/thalweg`; this is its extension module.
//!
//! A file a subject. Those of all of them: [`array`] and [`out`] (NumPy's arrays as slices, slices as arrays), [`queries`]
//! and [`batch`] (numbers or arrays that broadcast, and their answers), [`links`], [`lazy`], [`work`]
//! (threads, signals, forks), [`device`], [`errors`].
#![deny(unsafe_code)]

mod ansv;
mod array;
mod batch;
mod blur;
mod cartesian;
mod convolution;
mod device;
mod envelope;
mod errors;
mod fft;
mod forest;
mod hull;
mod lazy;
mod links;
mod lists;
mod lz77;
mod matching;
mod out;
mod path;
mod primitives;
mod queries;
mod rmq;
mod search;
mod sudoku;
mod suffixes;
mod window;
mod work;

/// What `python/thalweg` is made of.
#[pyo3::pymodule(gil_used = false)]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::ansv::ansv;
    #[pymodule_export]
    use crate::blur::gaussian;
    #[pymodule_export]
    use crate::cartesian::cartesian_tree;
    #[pymodule_export]
    use crate::convolution::{convolve, convolve_exact, correlate};
    #[pymodule_export]
    use crate::device::{devices, info};
    #[pymodule_export]
    use crate::envelope::{Envelope, lower_envelope, raster, upper_envelope};
    #[pymodule_export]
    use crate::fft::{fft, fft2, fftn, ifft, ifft2, ifftn, irfft, irfft2, irfftn, rfft, rfft2, rfftn};
    #[pymodule_export]
    use crate::forest::Forest;
    #[pymodule_export]
    use crate::hull::convex_hull;
    #[pymodule_export]
    use crate::lists::rank;
    #[pymodule_export]
    use crate::lz77::{Lz77, lz77};
    #[pymodule_export]
    use crate::matching::{maximum_matching, verify_matching};
    #[pymodule_export]
    use crate::path::{Graph, Map};
    #[pymodule_export]
    use crate::primitives::{compact, compact_index, fork, reduce, scan, sort, sort_by_key, sort_index, split};
    #[pymodule_export]
    use crate::rmq::{ChangingRmq, Rmq};
    #[pymodule_export]
    use crate::search::{count, find_all};
    #[pymodule_export]
    use crate::sudoku::{count_solutions, draw, generate, parse, solve};
    #[pymodule_export]
    use crate::suffixes::{SuffixArray, bwt, inverse_bwt, longest_repeat};
    #[pymodule_export]
    use crate::window::windows;
    #[pymodule_export]
    use crate::work::set_threads;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::work::imported(module.py());
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
