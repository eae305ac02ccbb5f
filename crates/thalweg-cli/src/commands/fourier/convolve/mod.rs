//! `thalweg convolve`: an array and a kernel, convolved or correlated.

mod integers;

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use thalweg::fourier::convolution::{Boundary, Builder, Engine, Extent, Options};
use thalweg::fourier::{Float, Shape};
use thalweg::{Chosen, Error};
use thalweg_cli::choice::{engine_of, one_of};
use thalweg_cli::device::{DeviceArgs, let_go, say_chosen};
use thalweg_cli::dtype::{AnyType, DType, Element};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::input::Loaded;
use thalweg_cli::input::ndarray::{NdArgs, NdArray, index_of};
use thalweg_cli::numbers::parse_count;
use thalweg_cli::output::{self, Output};

use super::plain::{Floats, Plain};
use super::{tell_array, tell_engine, tell_written};
use crate::commands::report::{Table, timed};
use crate::commands::summary::Summary;
use crate::commands::{Run, RunArgs};

/// Sizes of a kernel that is made, for one and two dimensions.
const LINE: usize = 63;
const SQUARE: usize = 15;

/// Engines of floats and of integers, some of which are both's.
const ENGINES: &[&str] = &["direct", "spectral", "ntt", "naive"];

/// Convolve an array with a kernel, or correlate them, in one or two dimensions
///
/// Integers with integers are exact: a result that does not fit is an error. float32 with float32 stays float32; everything else
/// is float64. Without files, makes an array and a kernel, and shows what the engine does with them.
#[derive(clap::Args)]
#[command(
    after_help = "The kernel's centre is element m/2, rounded down, as for scipy.ndimage.convolve and correlate. Kernels \
    may be larger than the array. Files are .npy if their name ends so or their content says so, otherwise raw little-endian \
    binary of one dimension; - is standard input or output. NaN passes through. The report goes to stdout, or to stderr if a \
    result does."
)]
pub struct Args {
    /// The kernel: as many dimensions as the array; generated if left out
    #[arg(long, value_name = "FILE")]
    kernel: Option<PathBuf>,

    /// Type of a raw kernel: f32, float32 or <f4; an .npy file knows its own
    #[arg(long, value_name = "TYPE", value_parser = AnyType::from_option, requires = "kernel")]
    kernel_dtype: Option<AnyType>,

    /// Sizes of a kernel to generate (default: 63, or 15,15)
    #[arg(long, value_name = "SIZES", value_parser = parse_count, value_delimiter = ',', conflicts_with = "kernel")]
    kernel_shape: Option<Vec<usize>>,

    /// Where the result goes: int64 (see --unsigned) of integers, otherwise floats
    #[arg(short, long, value_name = "FILE", group = "results")]
    out: Option<PathBuf>,

    /// What lies beyond the array's ends: zeros, the other end, the array mirrored, or its last element
    #[arg(long, value_parser = one_of(Boundary::ALL, Boundary::name), default_value = "zero")]
    boundary: Boundary,

    /// Which elements: as many as the array's, all of n + m - 1 (with boundary zero), or those that need nothing beyond the ends
    #[arg(long, value_parser = one_of(Extent::ALL, Extent::name), default_value = "same")]
    extent: Extent,

    /// Correlate: the kernel is not turned around
    #[arg(long)]
    correlate: bool,

    /// Write uint64 instead of int64, of integers
    #[arg(long)]
    unsigned: bool,

    /// The engine (default: the library's choice; see `thalweg info`, convolution and exact)
    #[arg(long, value_parser = engine_of(ENGINES, |name| name))]
    engine: Option<&'static str>,

    #[command(flatten)]
    array: NdArgs,

    #[command(flatten)]
    device: DeviceArgs,

    #[command(flatten)]
    run: RunArgs,
}

/// Runs the command.
pub fn run(args: Args) -> Outcome {
    let all_given = args.array.array.is_some() && args.kernel.is_some();
    args.array.seed.refuse_if(all_given, "--array and --kernel")?;
    let mut run = Run::start(&args.run, Some(&args.device))?;
    run.progress.stage("reading");
    let array = args.array.open(AnyType::real(DType::F32))?;
    run.progress.say(format_args!("array: {}", array.describe()));
    let kernel = kernel(&args, &array)?;
    run.progress.say(format_args!("kernel: {}", kernel.describe()));
    for input in [&array, &kernel] {
        if input.dtype.is_complex {
            return Err(input.failure(format_args!("{} is complex: real numbers are convolved", input.dtype)));
        }
    }
    let is_float = |input: &NdArray| matches!(input.dtype.part, DType::F32 | DType::F64);
    let options = Options { boundary: args.boundary, extent: args.extent, correlate: args.correlate, engine: None };
    let shape = options.result_shape(&array.shape, &kernel.shape).map_err(|error| told(error, &array, &kernel))?;
    let job = Job { options, shape };
    let out = run.output(args.out.as_deref())?;
    match (is_float(&array) || is_float(&kernel), array.dtype.part, kernel.dtype.part) {
        (false, ..) => integers::solve(&args, run, &array, &kernel, &job, out),
        (true, ..) if args.unsigned => Err(Failure::at("--unsigned", "is for integers, and these are floats")),
        (true, DType::F32, DType::F32) => solve::<f32>(&args, run, &array, &kernel, &job, out),
        (true, ..) => solve::<f64>(&args, run, &array, &kernel, &job, out),
    }
}

/// What is to be done.
struct Job {
    options: Options,
    shape: Shape,
}

/// Opens the kernel, or notes what to make: noise, of the array's type if that is one of floats.
fn kernel(args: &Args, array: &NdArray) -> Outcome<NdArray> {
    if let Some(path) = &args.kernel {
        if args.array.array.as_deref() == Some(path.as_path()) && path.as_os_str() == "-" {
            return Err(Failure::new("standard input cannot be both the array and the kernel"));
        }
        return NdArray::of_file(Loaded::open_any(path, args.kernel_dtype)?, args.kernel_dtype);
    }
    let default = if array.shape.dimensions() == 1 { vec![LINE] } else { vec![SQUARE; array.shape.dimensions()] };
    let sizes = args.kernel_shape.as_ref().unwrap_or(&default);
    let dtype = if array.dtype.part == DType::F64 { DType::F64 } else { DType::F32 };
    let shape = Shape::new(sizes).map_err(|error| Failure::at("--kernel-shape", error))?;
    Ok(NdArray::generated_like(AnyType::real(dtype), shape, args.array.kind, args.array.seed.get().wrapping_add(1)))
}

/// Puts the file or the option in front of what the library says.
fn told(error: Error, array: &NdArray, kernel: &NdArray) -> Failure {
    match error {
        Error::BadOption { option, reason } => Failure::at(format_args!("--{option}"), reason),
        Error::Shape { what: "the kernel", .. } => kernel.failure(error),
        error => array.failure(error),
    }
}

/// The engine with this name, of those there are for integers (`is_exact`) or floats.
fn engine<E: std::str::FromStr<Err = Error>>(args: &Args, is_exact: bool) -> Outcome<Option<E>> {
    let of = if is_exact { "floats" } else { "integers" };
    args.engine
        .map(|name| name.parse().map_err(|_: Error| Failure::new(format_args!("--engine {name} is for {of}"))))
        .transpose()
}

fn solve<T: Float + Element>(
    args: &Args,
    run: Run,
    array: &NdArray,
    kernel: &NdArray,
    job: &Job,
    out: Option<Output>,
) -> Outcome {
    let (values, weights) = (array.real::<T>()?, kernel.real::<T>()?);
    let engine = engine::<Engine>(args, false)?;
    let options = job.options;
    let builder = Builder::new().boundary(options.boundary).extent(options.extent).correlate(options.correlate);
    let builder = builder.engine(engine).device(args.device.open()?);
    run.progress.stage("answering");
    let (found, time) = timed(|| builder.convolve(&values, &array.shape, &weights, &kernel.shape));
    let (found, chosen) = found.map_err(|error| told(error, array, kernel))?.into_parts();
    say_chosen(&run.progress, &chosen, engine.is_some());
    let_go(builder);

    run.progress.stage("checking");
    let floats = Floats::new(Plain::new(&array.shape, &kernel.shape, &options)?, &values, &weights);
    let verified = args.run.verify.check(found.len(), &|_| 4 * kernel.shape.len(), &|i| {
        floats.complaint(i, found[i]).map(|text| format!("engine {}: {text}", chosen.engine()))
    })?;
    let told = Told { chosen, time, verified, dtype: T::DTYPE };
    finish(args, run, [array, kernel], job, told, out, &found)
}

/// Who has answered, how fast, and what was checked.
struct Told {
    chosen: Chosen,
    time: Duration,
    verified: usize,
    dtype: DType,
}

/// Writes the result, and reports.
fn finish<T: Element>(
    args: &Args,
    run: Run,
    [array, kernel]: [&NdArray; 2],
    job: &Job,
    told: Told,
    out: Option<Output>,
    found: &[T],
) -> Outcome {
    let mut summary = Summary::new("convolve");
    tell_array(&mut summary, "array", array);
    tell_array(&mut summary, "kernel", kernel);
    let what = if args.correlate { "correlation" } else { "convolution" };
    summary.line("asked", format_args!("{what}, boundary {}, extent {}", args.boundary, args.extent));
    summary.value("correlate", args.correlate);
    summary.value("boundary", args.boundary.name());
    summary.value("extent", args.extent.name());
    tell_engine(&mut summary, &run, &told.chosen, told.time, job.shape.len());
    let known = match told.dtype {
        DType::F32 | DType::F64 => "equal to plain sums but for rounding",
        _ => "equal to plain sums",
    };
    summary.verified(told.verified, found.len(), "answer", known);
    if let Some(mut out) = out {
        run.progress.steps("writing", found.len());
        out.write(job.shape.sizes(), found, &run.progress)?;
        tell_written(&mut summary, &out, &job.shape, AnyType::real(told.dtype));
        output::commit([out])?;
    }
    let rows = (0..found.len()).map(|i| vec![Value::from(index_of(&job.shape, i)), found[i].to_json()]);
    summary.answers(&Table::first(vec!["index", "value"], rows, found.len()));
    let stdout_taken = run.stdout_taken;
    drop(run);
    summary.print(args.run.json, stdout_taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_engine_can_be_named() {
        let all = Engine::NAMES.iter().chain(thalweg::fourier::exact::Engine::NAMES);
        assert!(all.clone().all(|name| ENGINES.contains(name)));
        assert!(ENGINES.iter().all(|name| all.clone().any(|other| other == name)));
    }
}
