//! `thalweg fft` and `thalweg ifft`: Fourier transforms.

use std::borrow::Cow;
use std::path::PathBuf;

use bytemuck::Pod;
use serde_json::Value;
use thalweg::fourier::transform::{Builder, Direction, Norm, Options, costs};
use thalweg::fourier::{Axes, Complex, Float, Shape};
use thalweg::{Answer, Device};
use thalweg_cli::choice::one_of;
use thalweg_cli::device::{DeviceArgs, let_go, say_chosen};
use thalweg_cli::dtype::{AnyType, DType, Element};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::input::ndarray::{NdArgs, NdArray, index_of};
use thalweg_cli::memory;
use thalweg_cli::numbers::{parse_count, show_count};
use thalweg_cli::output::{self, Output};

use super::direct::Direct;
use super::{tell_array, tell_engine, tell_written};
use crate::commands::report::{Table, timed};
use crate::commands::summary::Summary;
use crate::commands::{Run, RunArgs};

/// Transform an array to its frequencies, along all axes or some
///
/// Of any length, in one to three dimensions. Single precision stays single precision: float32 and complex64 give complex64;
/// integers, float64 and complex128 give complex128. Without a file, makes an array and shows what the engine does with it.
#[derive(clap::Args)]
#[command(mut_arg("seed", |arg| arg.conflicts_with("array")), 
    after_help = "Unlike NumPy's fft, which takes the last axis, all axes are transformed unless --axes names some, as \
    by fftn. Files are .npy if their name ends so or their content says so, otherwise raw little-endian binary of one \
    dimension; - is standard input or output. NaN passes through to all that depends on it. The report goes to stdout, or to \
    stderr if a result does."
)]
pub struct FftArgs {
    #[command(flatten)]
    common: TransformArgs,
}

/// Transform frequencies back to an array, along all axes or some
///
/// The inverse of `fft`, with the same axes, --norm and --real. Without a file, makes an array and shows what the engine does
/// with it.
#[derive(clap::Args)]
#[command(mut_arg("seed", |arg| arg.conflicts_with("array")), 
    after_help = "Unlike NumPy's ifft, which takes the last axis, all axes are transformed unless --axes names some, as \
    by ifftn. Files are .npy if their name ends so or their content says so, otherwise raw little-endian binary of one \
    dimension; - is standard input or output. NaN passes through to all that depends on it. The report goes to stdout, or to \
    stderr if a result does."
)]
pub struct IfftArgs {
    /// Length of the real result's last named axis, n of a half spectrum of n/2 + 1 (default: the even one)
    #[arg(long, value_name = "N", value_parser = parse_count, requires = "real")]
    length: Option<usize>,

    #[command(flatten)]
    common: TransformArgs,
}

#[derive(clap::Args)]
struct TransformArgs {
    /// Where the result goes
    #[arg(short, long, value_name = "FILE", group = "results")]
    out: Option<PathBuf>,

    /// Axes to transform, from 0, or from the end if negative: 0,1 or -1 (default: all)
    #[arg(long, value_name = "AXES", value_parser = AxisList::parse, allow_hyphen_values = true)]
    axes: Option<AxisList>,

    /// The values are real: keep the half of the spectrum, along the last named axis, that tells the other
    #[arg(long)]
    real: bool,

    /// Where the factor 1/n goes: to the inverse transform, its root to both, or to the forward transform
    #[arg(long, value_parser = one_of(&[Norm::Backward, Norm::Ortho, Norm::Forward], name_of_norm), default_value = "backward")]
    norm: Norm,

    #[command(flatten)]
    array: NdArgs,

    #[command(flatten)]
    device: DeviceArgs,

    #[command(flatten)]
    run: RunArgs,
}

fn name_of_norm(norm: Norm) -> &'static str {
    match norm {
        Norm::Backward => "backward",
        Norm::Ortho => "ortho",
        Norm::Forward => "forward",
    }
}

/// Axes as they were named.
#[derive(Clone, Debug, PartialEq, Eq)]
struct AxisList(Vec<i64>);

impl AxisList {
    fn parse(text: &str) -> Result<Self, String> {
        let axes: Result<_, _> = text.split(',').map(|axis| axis.trim().parse()).collect();
        axes.map(Self).map_err(|_| "expected axes with commas between them, such as 0,1 or -1".to_owned())
    }

    /// The axes of an array of this shape.
    fn of(&self, shape: &Shape) -> Outcome<Axes> {
        let dimensions = shape.dimensions() as i64;
        let missing = |axis| {
            let last = dimensions - 1;
            let text = format!("there is no axis {axis}: the array's are 0 to {last}, or -{dimensions} to -1");
            Failure::at("--axes", text)
        };
        let mut axes = Vec::with_capacity(self.0.len());
        for &axis in &self.0 {
            let known = if (-dimensions..dimensions).contains(&axis) { Ok(axis) } else { Err(missing(axis)) }?;
            let axis = known.rem_euclid(dimensions) as usize;
            if axes.contains(&axis) {
                return Err(Failure::at("--axes", format_args!("axis {axis} is named twice")));
            }
            axes.push(axis);
        }
        Axes::new(&axes, shape).map_err(|error| Failure::at("--axes", error))
    }
}

/// Runs `fft`.
pub fn fft(args: FftArgs) -> Outcome {
    run(&args.common, Direction::Forward, None)
}

/// Runs `ifft`.
pub fn ifft(args: IfftArgs) -> Outcome {
    run(&args.common, Direction::Inverse, args.length)
}

/// What is to be done.
struct Job {
    options: Options,
    axes: Axes,
    real: bool,
    output_shape: Shape,
}

impl Job {
    /// Whether reals come out; then those go in if the transform is a forward one.
    fn restores(&self) -> bool {
        self.real && self.options.direction == Direction::Inverse
    }

    /// The shape of the values, be they the input or the output: the spectrum may be half as long.
    fn value_shape<'s>(&'s self, input: &'s Shape) -> &'s Shape {
        if self.restores() { &self.output_shape } else { input }
    }
}

fn run(args: &TransformArgs, direction: Direction, length: Option<usize>) -> Outcome {
    let mut run = Run::start(&args.run, Some(&args.device))?;
    run.progress.stage("reading");
    let takes_reals = args.real && direction == Direction::Forward;
    let array = args.array.open(if takes_reals { AnyType::real(DType::F32) } else { AnyType::C64 })?;
    run.progress.say(format_args!("array: {}", array.describe()));
    if takes_reals && array.dtype.is_complex {
        let text = format!("the array holds {}: --real transforms real numbers", array.dtype);
        return Err(array.failure(text));
    }
    let axes = match &args.axes {
        Some(list) => list.of(&array.shape)?,
        None => Axes::all(&array.shape),
    };
    let output_shape = match (args.real, direction) {
        (false, _) => array.shape,
        (true, direction) => real_shape(&array, last_of(&axes), direction, length)?,
    };
    let options = Options { direction, norm: args.norm, axes: Some(axes) };
    let job = Job { options, axes, real: args.real, output_shape };
    let mut out = run.output(args.out.as_deref())?;
    let width = if array.dtype.part == DType::F32 { size_of::<f32>() } else { size_of::<f64>() };
    let size = if job.restores() { width } else { 2 * width };
    out.iter_mut().for_each(|out| out.expect(job.output_shape.len(), size));
    if array.dtype.part == DType::F32 {
        let len = axes.as_slice().iter().map(|&axis| array.shape.sizes()[axis]).product();
        args.device.expect(costs(array.shape.len(), len, size_of::<f32>(), run.threads));
    }
    match array.dtype.part {
        DType::F32 => solve::<f32>(args, run, &array, &job, out),
        _ => solve::<f64>(args, run, &array, &job, out),
    }
}

fn last_of(axes: &Axes) -> usize {
    *axes.as_slice().last().expect("axes are never none")
}

/// The shape of the result of a real transform, whose last named axis is another.
fn real_shape(array: &NdArray, axis: usize, direction: Direction, length: Option<usize>) -> Outcome<Shape> {
    let size = array.shape.sizes()[axis];
    let length = match direction {
        Direction::Forward => size / 2 + 1,
        Direction::Inverse => {
            let length = length.unwrap_or(2 * (size - 1));
            if length == 0 {
                // Also by default, for a half spectrum of one: NumPy refuses that, too.
                let text = format!("a half spectrum of {size} along axis {axis} is that of --length 1, no other");
                return Err(array.failure(text));
            }
            if length / 2 + 1 != size {
                let half = show_count(length / 2 + 1);
                let text =
                    format!("--length {length} has a half spectrum of {half}, but there are {size} along axis {axis}");
                return Err(array.failure(text));
            }
            length
        }
    };
    array.shape.with_size(axis, length).map_err(|error| array.failure(error))
}

/// Transforms as asked.
fn transformed<T: Float + Element>(
    input: &Values<'_, T>,
    array: &NdArray,
    job: &Job,
    device: Device,
) -> Outcome<Answer<Values<'static, T>>> {
    let builder = Builder::new().options(job.options).device(device);
    match input {
        Values::Real(reals) => {
            builder.transform_real(reals, &array.shape).map(|half| half.map(|half| Values::Complex(half.into())))
        }
        Values::Complex(half) if job.restores() => {
            let reals = builder.restore_real(half, &job.output_shape);
            reals.map(|reals| reals.map(|reals| Values::Real(reals.into())))
        }
        Values::Complex(values) => {
            let mut values = memory::computed(values.len(), "the result", |i| values[i])?;
            let chosen = builder.transform(&mut values, &array.shape);
            chosen.map(|chosen| Answer::new(Values::Complex(values.into()), chosen))
        }
    }
    .map_err(|error| array.failure(error))
}

/// Real or complex numbers.
enum Values<'a, T: Float> {
    Real(Cow<'a, [T]>),
    Complex(Cow<'a, [Complex<T>]>),
}

impl<T: Float> Values<'_, T> {
    fn at(&self, index: usize) -> Complex<f64> {
        match self {
            Self::Real(values) => values[index].wide().into(),
            Self::Complex(values) => Complex::new(values[index].re.wide(), values[index].im.wide()),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Real(values) => values.len(),
            Self::Complex(values) => values.len(),
        }
    }
}

fn solve<T: Float + Element>(args: &TransformArgs, run: Run, array: &NdArray, job: &Job, out: Option<Output>) -> Outcome
where
    Complex<T>: Pod,
{
    let input = match job.real && !job.restores() {
        true => Values::Real(array.real::<T>()?),
        false => Values::Complex(array.complex::<T>()?),
    };
    run.progress.stage("answering");
    let device = args.device.open()?;
    let (found, time) = timed(|| transformed(&input, array, job, device));
    let (found, chosen) = found?.into_parts();
    say_chosen(&run.progress, &chosen, false);
    let_go(());

    run.progress.stage("checking");
    let direct = Direct {
        input: &|i| input.at(i),
        input_shape: array.shape,
        output_shape: job.output_shape,
        axes: job.axes.as_slice(),
        is_inverse: job.options.direction == Direction::Inverse,
        restored: job.restores().then(|| (last_of(&job.axes), job.output_shape.sizes()[last_of(&job.axes)])),
        factor: job.options.factor(job.value_shape(&array.shape)),
    };
    // Some operations for every term.
    let cost = 8 * direct.terms();
    let verified = args.run.verify.check(found.len(), &|_| cost, &|i| {
        direct.complaint::<T>(i, found.at(i)).map(|text| format!("engine {}: {text}", chosen.engine()))
    })?;

    let mut summary = Summary::new(if direct.is_inverse { "ifft" } else { "fft" });
    tell_array(&mut summary, "array", array);
    let along = job.axes.as_slice();
    let names = along.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    let kind = if job.real { "real" } else { "complex" };
    let norm = name_of_norm(args.norm);
    summary.line("asked", format_args!("{kind}, axes {names}, norm {norm}"));
    summary.value("axes", along);
    summary.value("real", job.real);
    summary.value("norm", norm);
    tell_engine(&mut summary, &run, &chosen, time, array.shape.len().max(job.output_shape.len()));
    summary.verified(verified, found.len(), "answer", "equal to plain sums but for rounding");
    if let Some(mut out) = out {
        run.progress.steps("writing", found.len());
        let sizes = job.output_shape.sizes();
        let is_complex = match &found {
            Values::Real(values) => out.write(sizes, values, &run.progress).map(|()| false)?,
            Values::Complex(values) => out.write_complex(sizes, values, &run.progress).map(|()| true)?,
        };
        tell_written(&mut summary, &out, &job.output_shape, AnyType { part: T::DTYPE, is_complex });
        output::commit([out])?;
    }
    summary.answers(&table(&found, &job.output_shape));
    let stdout_taken = run.stdout_taken;
    drop(run);
    summary.print(args.run.json, stdout_taken)
}

/// The first few elements.
fn table<T: Float + Element>(found: &Values<'_, T>, shape: &Shape) -> Table {
    let (shown, of) = (0..found.len(), found.len());
    let index = |i| Value::from(index_of(shape, i));
    match found {
        Values::Real(values) => {
            Table::first(vec!["index", "value"], shown.map(|i| vec![index(i), values[i].to_json()]), of)
        }
        Values::Complex(values) => {
            let rows = shown.map(|i| vec![index(i), values[i].re.to_json(), values[i].im.to_json()]);
            Table::first(vec!["index", "real", "imaginary"], rows, of)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_counted_from_either_end() {
        let shape = Shape::new(&[4, 5, 6]).unwrap();
        for (text, axes) in [("0,1", &[0, 1][..]), ("-1", &[2]), (" 2 , -3", &[2, 0]), ("-3,-2,-1", &[0, 1, 2])] {
            assert_eq!(AxisList::parse(text).unwrap().of(&shape).unwrap().as_slice(), axes, "{text}");
        }
        for text in ["3", "-4", "1,1", "1,-2", "0,1,2,0", "9223372036854775807"] {
            let message = AxisList::parse(text).unwrap().of(&shape).unwrap_err().to_string();
            assert!(message.starts_with("--axes: "), "{text}: {message}");
        }
        for text in ["", ",", "1,", "x", "1.0", "0;1"] {
            assert!(AxisList::parse(text).is_err(), "{text}");
        }
    }
}
