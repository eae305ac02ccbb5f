//! `thalweg-bench fft`: Fourier transforms.

use std::hint::black_box;

use rayon::prelude::*;
use rustfft::FftPlanner;
use thalweg::Device;
use thalweg::fourier::transform::{Builder, Options, error_limit};
use thalweg::fourier::{Axes, Complex, Float, Shape};
use thalweg_cli::failure::Outcome;
use thalweg_cli::memory;

use crate::bench::{Bench, Case, Common, drive, on_gpu};
use crate::cases::fft::{KINDS, Layout, check, relative, signal};
use crate::columns::{self, table};
use crate::report::Row;
use crate::timing::time;

/// Fourier transforms: a line, a matrix, a cube, a batch of rows; complex and real
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    common: Common,
    /// Shape of the array, such as 4096x4096, in place of --n and --kind
    #[arg(long, value_name = "SIZES", value_parser = parse_shape, conflicts_with_all = ["n", "kind"])]
    shape: Option<Shape>,
    /// Transform the rows of --shape alone
    #[arg(long, requires = "shape")]
    rows: bool,
    /// Time real transforms too
    #[arg(long)]
    real: bool,
}

fn parse_shape(text: &str) -> Result<Shape, String> {
    let sizes: Result<Vec<usize>, String> = text.split('x').map(thalweg_cli::numbers::parse_count).collect();
    Shape::new(&sizes?).map_err(|error| error.to_string())
}

/// Runs the benchmark.
pub fn run(mut args: Args) -> Outcome {
    if let Some(shape) = &args.shape {
        args.common.n = vec![shape.len()];
    }
    let layout = Layout { shape: args.shape, rows: args.rows };
    on_gpu!(args.common, crate::gpu::fft::run(&args.common, layout));
    drive(&FftBench { layout, real: args.real }, &args.common)
}

struct FftBench {
    layout: Layout,
    real: bool,
}

/// Who takes part.
#[derive(Clone, Copy, PartialEq)]
enum Entrant {
    Ours,
    /// The crate `rustfft` itself, with its plan and its scratch made before: one line after another, on one thread.
    Rustfft,
    /// Writes every value where it is, times a number, on all threads: one pass over memory.
    Pass,
}

impl Entrant {
    fn name(self) -> &'static str {
        match self {
            Self::Ours => "two_pass",
            Self::Rustfft => "rustfft",
            Self::Pass => "plain pass",
        }
    }
}

impl FftBench {
    fn case<T: Float>(&self, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        let (shape, axes) = self.layout.of(case)?;
        memory::require(case.n.saturating_mul(size_of::<Complex<T>>() * 6), &case.title())?;
        let signal = signal::<T>(case);
        let mut values = memory::filled(case.n, Complex::<T>::default(), "the values")?;
        let mut entrants = vec![Entrant::Ours];
        if case.common.peers {
            let last = shape.dimensions() - 1;
            if axes.as_slice() == [last] || shape.dimensions() == 1 {
                entrants.push(Entrant::Rustfft);
            } else {
                case.skip("rustfft", "transforms contiguous lines only");
            }
            entrants.push(Entrant::Pass);
        }
        let line = *shape.sizes().last().expect("a dimension");
        let plan = FftPlanner::<T>::new().plan_fft_forward(line);
        let mut scratch = memory::filled(plan.get_inplace_scratch_len(), Complex::<T>::default(), "scratch")?;
        let builder = Builder::new().device(Device::Cpu).axes(axes);
        let mut first: Option<Vec<Complex<T>>> = None;

        let mut rows = Vec::new();
        for pool in case.pools {
            let timings = case.race(pool, "complex", entrants.len(), |i| {
                values.par_iter_mut().zip(&signal).for_each(|(value, x)| *value = *x);
                let who = format!("{} on {}", entrants[i].name(), case.title());
                match entrants[i] {
                    Entrant::Ours => {
                        let (took, done) = time(|| builder.transform(black_box(&mut values), &shape));
                        done?;
                        match &first {
                            // On any number of threads the same, bit by bit.
                            Some(first) if *first != values => return crate::check::wrong(&who, "another result"),
                            Some(_) => {}
                            None => {
                                check(&who, &signal, &values, &shape, axes)?;
                                first = Some(values.clone());
                            }
                        }
                        Ok(took)
                    }
                    Entrant::Rustfft => {
                        let (took, ()) = time(|| plan.process_with_scratch(black_box(&mut values), &mut scratch));
                        // Its errors are larger for large primes.
                        let error = relative(&values, first.as_ref().expect("ours is the first"));
                        if error.is_nan() || error > 8.0 * error_limit::<T>(line) {
                            return crate::check::wrong(&who, format!("off by {error:e}"));
                        }
                        Ok(took)
                    }
                    Entrant::Pass => {
                        let pass = |values: &mut [Complex<T>]| {
                            let task = values.len().div_ceil(8 * pool.threads).max(1);
                            values.par_chunks_mut(task).for_each(|part| part.iter_mut().for_each(|x| *x = *x + *x));
                        };
                        Ok(time(|| pass(black_box(&mut values))).0)
                    }
                }
            })?;
            for (&entrant, timing) in entrants.iter().zip(timings) {
                let row = case.row(pool, "complex", entrant.name()).timed(timing, case.n);
                let mut row = row.moving(2 * size_of_val(&signal[..]), pool.copy_gb_per_s);
                row.peer = entrant == Entrant::Rustfft;
                row.default = entrant == Entrant::Ours;
                rows.push(row);
            }
            if self.real {
                rows.push(self.real_row(case, pool, &signal, &shape, axes)?);
            }
        }
        Ok(rows)
    }

    /// Real values to half of their frequencies, compared with the complex transform.
    fn real_row<T: Float>(
        &self,
        case: &Case<'_>,
        pool: &crate::bench::Pool,
        signal: &[Complex<T>],
        shape: &Shape,
        axes: Axes,
    ) -> Outcome<Row> {
        let reals: Vec<T> = signal.iter().map(|x| x.re).collect();
        let builder = Builder::new().device(Device::Cpu).axes(axes);
        let mut checked = false;
        let timings = case.race(pool, "real", 1, |_| {
            let (took, half) = time(|| builder.transform_real(black_box(&reals), shape));
            let half = half?;
            if !checked {
                let back = Builder::new().device(Device::Cpu).options(Options::INVERSE).axes(axes);
                let back = back.restore_real(&half, shape)?;
                let complex =
                    |reals: &[T]| -> Vec<Complex<T>> { reals.iter().map(|&x| Complex::new(x, T::of(0.0))).collect() };
                let error = relative(&complex(&back), &complex(&reals));
                let len: usize = axes.as_slice().iter().map(|&axis| shape.sizes()[axis]).product();
                if error.is_nan() || error > 2.0 * error_limit::<T>(len) {
                    let who = format!("real on {}", case.title());
                    return crate::check::wrong(&who, format!("there and back is off by {error:e}"));
                }
                checked = true;
            }
            Ok(took)
        })?;
        let row = case.row(pool, "real", Entrant::Ours.name()).timed(timings[0], case.n);
        Ok(row.moving(2 * size_of_val(&reals[..]), pool.copy_gb_per_s))
    }
}

impl Bench for FftBench {
    const NAME: &'static str = "fft";
    const SIZES: &'static [usize] = &[1 << 20, 1 << 24];
    const UNIT: &'static str = "ns per element";
    const DEFAULT_DTYPE: &'static str = "f32";
    const DEFAULT_KIND: &'static str = "line";
    const DTYPES: &'static [&'static str] = &["f32", "f64"];

    fn run(&self, dtype: &str, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        if dtype == "f32" { self.case::<f32>(case) } else { self.case::<f64>(case) }
    }

    fn kinds() -> Vec<&'static str> {
        KINDS.to_vec()
    }

    fn tables(&self, rows: &[Row]) -> String {
        let columns = [
            columns::what("values"),
            columns::engine("engine"),
            columns::threads(),
            columns::ms(),
            columns::ns("ns/element"),
            columns::gb_per_s(),
            columns::of_copy(),
            columns::versus("vs rustfft"),
        ];
        table(rows, columns).to_string()
    }

    fn panel(row: &Row) -> Option<String> {
        Some(format!("{}, {}", row.what, row.kind))
    }

    fn how_to_read(&self) -> String {
        "Some frequencies of every transform were compared with their sums in double precision, the whole by the way back, and\n\
         all runs with the first, bit by bit. GB/s: over the bytes read and written once. rustfft runs on one thread, with its\n\
         plan and scratch made before; the plain pass only goes through memory. Above 1x is faster than rustfft."
            .into()
    }
}
