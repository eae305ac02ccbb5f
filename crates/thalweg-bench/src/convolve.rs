//! `thalweg-bench convolve`: convolutions of lines and grids.

use std::hint::black_box;

use thalweg::fourier::convolution::{Boundary, Builder, Engine, Options, choose};
use thalweg::fourier::{Float, Shape};
use thalweg::{Answer, Device};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::memory;
use thalweg_cli::numbers::parse_count;
use thalweg_data::Random;
use thalweg_data::convolutions::{NaiveConvolution, NaiveSum};

use crate::bench::{Bench, Case, Common, Selection, drive};
use crate::columns::{self, table};
use crate::report::Row;
use crate::timing::time;

/// Convolutions of lines and square grids, borders reflected
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    common: Common,
    /// Engines to time, or all
    #[arg(long, num_args = 1.., value_delimiter = ',', default_value = "all")]
    engine: Vec<String>,
    /// Sides of the kernels, which are square for grids
    #[arg(long, num_args = 1.., value_delimiter = ',', value_parser = parse_count, default_values = ["3", "15", "63"])]
    kernel: Vec<usize>,
}

/// The engine that computes in twice the precision takes part up to so many products, unless it is named.
const SLOW: usize = 1 << 22;
/// Elements whose exact sum an answer is compared with.
const SAMPLES: u64 = 40;

/// Runs the benchmark.
pub fn run(args: Args) -> Outcome {
    if args.common.device != "cpu" {
        return Err(Failure::at("--device", format_args!("{}: convolutions are timed on the CPU", args.common.device)));
    }
    if args.kernel.contains(&0) {
        return Err(Failure::at("--kernel", "a kernel of 0 elements has nothing to time"));
    }
    let selection = Selection::parse(&args.engine, Engine::ALL)?;
    let kernels = args.kernel.iter().map(|&side| (side, &*format!("kernel {side}").leak())).collect();
    drive(&ConvolveBench { selection, kernels }, &args.common)
}

struct ConvolveBench {
    selection: Selection<Engine>,
    /// With their names.
    kernels: Vec<(usize, &'static str)>,
}

const OPTIONS: Options = Options {
    boundary: Boundary::Reflect,
    extent: thalweg::fourier::convolution::Extent::Same,
    correlate: false,
    engine: None,
};

impl ConvolveBench {
    fn case<T: Float>(&self, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        let side = case.n.isqrt();
        let shape = if case.kind == "line" { Shape::line(case.n)? } else { Shape::new(&[side, side])? };
        memory::require(case.n.saturating_mul(16 * size_of::<T>() + 8), &case.title())?;
        let random = Random::new(case.common.seed, 22);
        let numbers =
            |len: usize, from: u64| -> Vec<T> { (from..).take(len).map(|i| T::of(random.normal(i))).collect() };
        let array = numbers(shape.len(), 0);

        let mut rows = Vec::new();
        for &(side, name) in &self.kernels {
            let kernel_shape = if case.kind == "line" { Shape::line(side)? } else { Shape::new(&[side, side])? };
            let kernel = numbers(kernel_shape.len(), 1 << 40);
            let mut engines = self.selection.engines.clone();
            if case.n.saturating_mul(kernel.len()) > SLOW && !self.selection.named {
                engines.retain(|&engine| engine != Engine::Naive);
                case.skip(Engine::Naive.name(), format_args!("takes long with {name} (name it to wait for it)"));
            }
            let exact = exact(case, &array, &shape, &kernel, &kernel_shape);
            for pool in case.pools {
                let timings = case.race(pool, name, engines.len(), |i| {
                    let builder = Builder::new().device(Device::Cpu).boundary(OPTIONS.boundary).engine(engines[i]);
                    let convolve = || builder.convolve(black_box(&array), &shape, &kernel, &kernel_shape);
                    let (took, result) = time(|| convolve().map(Answer::into_inner));
                    check(&format!("{}, {name}, {}", engines[i], case.title()), &result?, kernel.len(), &exact)?;
                    Ok(took)
                })?;
                let chosen = choose::<T>(&shape, &kernel_shape, &OPTIONS)?;
                for (&engine, timing) in engines.iter().zip(timings) {
                    let row = case.row(pool, "convolve", engine.name()).timed(timing, array.len());
                    let mut row = row.moving(2 * size_of_val(&array[..]), pool.copy_gb_per_s);
                    row.queries = Some(name);
                    row.default = engine == chosen;
                    rows.push(row);
                }
            }
        }
        Ok(rows)
    }
}

/// Some elements with their exact sums: the first, the last, and some at random.
fn exact<T: Float>(
    case: &Case<'_>,
    array: &[T],
    shape: &Shape,
    kernel: &[T],
    kernel_shape: &Shape,
) -> Vec<(usize, NaiveSum)> {
    let wide = |values: &[T]| values.iter().map(|x| x.wide()).collect::<Vec<_>>();
    let in_rows = |shape: &Shape| {
        let columns = shape.sizes()[shape.dimensions() - 1];
        [shape.len() / columns, columns]
    };
    let naive = NaiveConvolution {
        array: &wide(array),
        size: in_rows(shape),
        kernel: &wide(kernel),
        kernel_size: in_rows(kernel_shape),
        boundary: OPTIONS.boundary.name(),
        extent: OPTIONS.extent.name(),
        correlate: false,
    };
    let random = Random::new(case.common.seed, 23);
    let places = (0..SAMPLES).map(|i| random.below(i, array.len() as u64) as usize);
    [0, array.len() - 1].into_iter().chain(places).map(|at| (at, naive.nth(at))).collect()
}

/// Fails unless a result has these elements, as nearly as a sum of products is.
fn check<T: Float>(who: &str, result: &[T], products: usize, exact: &[(usize, NaiveSum)]) -> Outcome {
    for &(at, NaiveSum { value, magnitude }) in exact {
        let error = (result[at].wide() - value).abs();
        // Transforms err by the norm of what is near, and numbers are about 1.
        let most = T::ROUNDING * (products as f64 + 64.0) * (magnitude + 1.0);
        if error.is_nan() || error > most {
            let found = result[at].wide();
            return crate::check::wrong(who, format!("element {at} is {found}, not {value}: {error:e} off"));
        }
    }
    Ok(())
}

impl Bench for ConvolveBench {
    const NAME: &'static str = "convolve";
    const SIZES: &'static [usize] = &[1 << 20];
    const UNIT: &'static str = "ns per element";
    const DEFAULT_DTYPE: &'static str = "f32";
    const DEFAULT_KIND: &'static str = "grid";
    const DTYPES: &'static [&'static str] = &["f32", "f64"];

    fn kinds() -> Vec<&'static str> {
        vec!["line", "grid"]
    }

    fn run(&self, dtype: &str, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        match dtype {
            "f32" => self.case::<f32>(case),
            _ => self.case::<f64>(case),
        }
    }

    fn tables(&self, rows: &[Row]) -> String {
        let columns = [
            columns::asked("kernel"),
            columns::engine_or_choice("engine"),
            columns::threads().together(),
            columns::ms(),
            columns::ns("ns/element"),
            columns::gb_per_s(),
        ];
        table(rows, columns).to_string()
    }

    fn panel(row: &Row) -> Option<String> {
        row.queries.map(Into::into)
    }

    fn how_to_read(&self) -> String {
        "Some elements of every result were compared with sums in twice the precision. GB/s: over the bytes of array and\n\
         result. scipy on the same sizes: bench/blur-peers.py --convolve."
            .into()
    }
}
