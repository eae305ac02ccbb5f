//! Fourier transforms and convolutions: `thalweg fft`, `ifft` and `convolve`.

pub mod convolve;
mod direct;
mod plain;
pub mod transform;

use std::time::Duration;

use serde_json::json;
use thalweg::Chosen;
use thalweg::fourier::Shape;
use thalweg_cli::dtype::AnyType;
use thalweg_cli::input::ndarray::{NdArray, show_sizes};
use thalweg_cli::output::Output;

use super::Run;
use super::summary::Summary;

/// Tells what an array is, under the option's name.
fn tell_array(summary: &mut Summary, name: &str, array: &NdArray) {
    let (sizes, dtype, origin) = (show_sizes(&array.shape), array.dtype, array.origin());
    summary.line(name, format_args!("{sizes} x {dtype} ({origin})"));
    summary.value(name, json!({"origin": origin, "shape": array.shape.sizes(), "dtype": dtype.name()}));
}

/// Tells who has answered, and how fast.
fn tell_engine(summary: &mut Summary, run: &Run, chosen: &Chosen, time: Duration, elements: usize) {
    summary.answered(chosen, run.threads, "");
    summary.speed(time, elements, "element");
}

/// Tells what was written.
fn tell_written(summary: &mut Summary, out: &Output, shape: &Shape, dtype: AnyType) {
    summary.line("written", format_args!("{}: {} x {dtype}", out.name, show_sizes(shape)));
    let (count, dtype) = (shape.len(), dtype.name());
    summary.note_output(json!({"file": out.name, "count": count, "shape": shape.sizes(), "dtype": dtype}));
}
