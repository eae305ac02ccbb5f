//! `thalweg window`: the minimum or maximum of every window.

use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use serde_json::Value;
use thalweg::window::{self, Align, Border, Builder, Engine, Outputs, Shape, Windows};
use thalweg::{Chosen, Order, Position, Positions};
use thalweg_cli::choice::{engine_of, one_of};
use thalweg_cli::device::{DeviceArgs, let_go, say_chosen};
use thalweg_cli::dtype::{DType, Element, with_dtype};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::input::array::{Array, ArrayArgs};
use thalweg_cli::input::{Loaded, integers, is_overflown};
use thalweg_cli::memory;
use thalweg_cli::numbers::{counted_plainly, parse_count};
use thalweg_cli::output::{self, Output};
use thalweg_core::bits::BitsMut;
use thalweg_core::parallel;
use thalweg_data::oracles::argmin_in;

use super::report::{Data, Memory, Report, SHOWN, Speed, Table, Written, timed};
use super::verify::Verified;
use super::{Run, RunArgs};

/// Find the minimum or maximum of every window, and where it is
///
/// Without files, makes an array and shows what the engine does with it.
#[derive(clap::Args)]
#[command(mut_arg("seed", |arg| arg.conflicts_with("array")), after_help = "Files are .npy if their name ends so or their content says so, otherwise raw little-endian \
    binary; - is standard input or output. An array of two dimensions (.npy, .npz) has windows of rows and columns; positions then count row by row. \
    NaN is worse than every number, with --max too; a window of NaN alone is answered by its first element. \
    The report goes to stdout, or to stderr if a result does.")]
pub struct Args {
    /// Where the answers go: values of the array's type, or positions as int64, -1 for none
    #[arg(short, long, value_name = "FILE", group = "results")]
    out: Option<PathBuf>,

    /// Where positions go, beside the values or alone: int64, -1 for none
    #[arg(long, value_name = "FILE", group = "results")]
    positions: Option<PathBuf>,

    /// What is asked of a window; of equal elements the leftmost is told
    #[arg(long, value_enum, default_value = "value")]
    what: What,

    /// Find maxima
    #[arg(long)]
    max: bool,

    /// Elements of a window; of a picture rows and columns (3,5), or one number for both
    #[arg(long, value_name = "W", value_parser = parse_count, value_delimiter = ',', default_value = "64", num_args = 1..=2)]
    width: Vec<usize>,

    /// Every how many-th window, from the first that is told on; of a picture down and along (2,4), or one number for both
    #[arg(long, value_name = "S", value_parser = parse_count, value_delimiter = ',', default_value = "1", num_args = 1..=2)]
    stride: Vec<usize>,

    /// Where a window lies, seen from its element; of an even width, centred, the element is the first of the right half
    #[arg(long, value_parser = one_of(&Align::ALL, Align::name), default_value = "centred")]
    align: Align,

    /// What becomes of windows that reach over the ends
    #[arg(long, value_parser = one_of(&Border::ALL, Border::name), default_value = "shrink")]
    border: Border,

    /// The value of windows that have none: with --border fill, or empty ones (default: NaN for floats; integers must name one)
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    fill: Option<String>,

    /// Windows by bounds instead: where they start, ascending integers
    #[arg(long, value_name = "FILE", requires = "ends", conflicts_with_all = ["width", "stride", "align", "border"])]
    starts: Option<PathBuf>,

    /// Their ends, exclusive: ascending integers
    #[arg(long, value_name = "FILE", requires = "starts")]
    ends: Option<PathBuf>,

    /// The engine (default: the library's choice; see `thalweg info`)
    #[arg(long, value_parser = engine_of(Engine::ALL, Engine::name))]
    engine: Option<Engine>,

    #[command(flatten)]
    array: ArrayArgs,

    #[command(flatten)]
    device: DeviceArgs,

    #[command(flatten)]
    run: RunArgs,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum What {
    /// The best value
    Value,
    /// Its position
    Index,
    /// Values, and positions to --positions
    Both,
}

/// Runs the command.
pub fn run(args: Args) -> Outcome {
    if args.what == What::Both && args.out.is_some() && args.positions.is_none() {
        return Err(Failure::new("--what both: --positions says where the positions go, beside the values in --out"));
    }
    if args.what == What::Index && args.positions.is_some() {
        return Err(Failure::new("--what index: the positions go to --out; --positions is for those beside values"));
    }
    if args.fill.is_some() && args.what == What::Index {
        return Err(Failure::new("--fill: with --what index no values are asked for"));
    }
    if args.fill.is_some() && args.border != Border::Fill && args.starts.is_none() {
        return Err(Failure::new(
            "--fill: for --border fill, and for windows by bounds that may be empty (--starts, --ends)",
        ));
    }
    let mut run = Run::start(&args.run, Some(&args.device))?;
    run.progress.stage("reading");
    let (array, columns) = args.array.open_rows()?;
    let bounds = Bounds::open(&args, array.len, columns)?;
    let shape = shape(&args, &bounds, columns)?;
    let count = shape.count(array.len)?;
    let sizes = match shape {
        Shape::Grid { columns, windows } => {
            let rows = array.len.checked_div(columns).unwrap_or(0);
            vec![windows[0].count(rows), windows[1].count(columns)]
        }
        _ => vec![count],
    };
    let mut outputs = [run.output(args.out.as_deref())?, run.output(args.positions.as_deref())?];
    let size = if args.what == What::Index { size_of::<i64>() } else { array.dtype.size() };
    outputs.iter_mut().zip([size, size_of::<i64>()]).for_each(|(out, size)| {
        if let Some(out) = out {
            out.expect(count, size);
        }
    });
    let job = Job { args: &args, run: &run, array: &array, shape, sizes };
    let solved = with_dtype!(array.dtype, T => job.solve::<T>(outputs)?);
    let report = Report {
        version: env!("CARGO_PKG_VERSION"),
        problem: "window",
        data: "array",
        array: Data { origin: array.origin(), count: array.len, dtype: array.dtype.name() },
        queries: None,
        asked: if args.max { "max" } else { "min" }.to_owned(),
        engine: solved.chosen.engine(),
        device: solved.chosen.device().to_owned(),
        threads: run.threads,
        open: None,
        build: None,
        answer: Speed::new(solved.time, count, "window"),
        memory: Memory::new(solved.extra_bytes, array.len),
        verified: solved.verified,
        outputs: solved.written,
        answers: solved.table,
    };
    let stdout_taken = run.stdout_taken;
    drop(run);
    report.print(args.run.json, stdout_taken)
}

/// Bounds from files.
struct Bounds {
    starts: Vec<u64>,
    ends: Vec<u64>,
}

impl Bounds {
    fn open(args: &Args, len: usize, columns: Option<usize>) -> Outcome<Option<Self>> {
        let (Some(starts), Some(ends)) = (&args.starts, &args.ends) else { return Ok(None) };
        if columns.is_some() {
            return Err(Failure::new("--starts: windows by bounds are for arrays of one dimension"));
        }
        let open = |path: &PathBuf| Loaded::open(path, Some(DType::I64), 1);
        let files = [open(starts)?, open(ends)?];
        let bounds = Self {
            starts: integers::bounds::<u64>(&files[0], "starts", len)?,
            ends: integers::bounds::<u64>(&files[1], "ends", len)?,
        };
        bounds.check(&files)?;
        Ok(Some(bounds))
    }

    /// What is wrong with them is told by the files that they come from.
    fn check(&self, [starts, ends]: &[Loaded; 2]) -> Outcome {
        let Self { starts: from, ends: to } = self;
        if from.len() != to.len() {
            let (name, others) = (&starts.name, counted_plainly(from.len(), "start"));
            return Err(ends.failure(format_args!("has {}, but {name} has {others}", counted_plainly(to.len(), "end"))));
        }
        let descends = |bounds: &[u64], j: usize| j > 0 && bounds[j - 1] > bounds[j];
        let is_wrong = |&j: &usize| from[j] > to[j] || descends(from, j) || descends(to, j);
        let Some(j) = parallel::find_first(from.len(), 1 << 16, &|mut range| range.find(is_wrong)) else {
            return Ok(());
        };
        let after = |file: &Loaded, bounds: &[u64]| {
            file.failure(format_args!(
                "{}: {} comes after {}, but bounds must ascend",
                file.place(j),
                bounds[j],
                bounds[j - 1]
            ))
        };
        Err(if descends(from, j) {
            after(starts, from)
        } else if descends(to, j) {
            after(ends, to)
        } else {
            let (start, name) = (starts.place(j), &starts.name);
            ends.failure(format_args!(
                "{}: the window ends at {}, and starts at {} ({name}: {start})",
                ends.place(j),
                to[j],
                from[j]
            ))
        })
    }
}

/// Which windows.
fn shape<'b>(args: &Args, bounds: &'b Option<Bounds>, columns: Option<usize>) -> Outcome<Shape<'b>> {
    if let Some(Bounds { starts, ends }) = bounds {
        return Ok(Shape::Ragged { starts: u64::view(starts), ends: u64::view(ends) });
    }
    let one = |axis: usize| Windows {
        width: *args.width.get(axis).unwrap_or(&args.width[0]),
        stride: *args.stride.get(axis).unwrap_or(&args.stride[0]),
        align: args.align,
        border: args.border,
    };
    let dimensions = if columns.is_some() { 2 } else { 1 };
    for (name, given) in [("--width", args.width.len()), ("--stride", args.stride.len())] {
        if given > dimensions {
            let text =
                format_args!("{name}: {given} numbers for an array of {}", counted_plainly(dimensions, "dimension"));
            return Err(Failure::new(text));
        }
    }
    let windows = [one(0), one(1)];
    windows.iter().try_for_each(Windows::check).map_err(|error| Failure::new(format_args!("--{error}")))?;
    Ok(match columns {
        Some(columns) => Shape::Grid { columns, windows },
        None => Shape::Regular(windows[0]),
    })
}

/// What is to be solved, but for the keys' type.
struct Job<'j> {
    args: &'j Args,
    run: &'j Run,
    array: &'j Array,
    shape: Shape<'j>,
    /// Of the answers.
    sizes: Vec<usize>,
}

/// What came out.
struct Solved {
    chosen: Chosen,
    time: Duration,
    verified: Verified,
    extra_bytes: usize,
    written: Vec<Written>,
    table: Table,
}

impl Job<'_> {
    /// Answers, checks and writes: all that depends on the type.
    fn solve<T: Element>(&self, outputs: [Option<Output>; 2]) -> Outcome<Solved> {
        let Self { args, run, shape, .. } = *self;
        let fill = self.fill::<T>()?;
        let array = run.elements::<T>(self.array)?;
        let count = shape.count(array.len())?;
        let (with_values, with_positions) =
            (args.what != What::Index, args.what != What::Value || args.positions.is_some());
        let order = if args.max { Order::Max } else { Order::Min };
        let builder = Builder::of(shape).order(order).engine(args.engine).device(args.device.open()?).fill(fill);
        let mut values = memory::filled(if with_values { count } else { 0 }, T::default(), "the answers")?;
        let places = if with_positions { count } else { 0 };
        let mut positions = if u32::fits(array.len()) {
            Positions::U32(memory::filled(places, 0, "the answers")?)
        } else {
            Positions::U64(memory::filled(places, 0, "the answers")?)
        };
        run.progress.stage("answering");
        let buffers = Outputs {
            values: with_values.then(|| BitsMut::of(&mut values)),
            positions: with_positions.then(|| match &mut positions {
                Positions::U32(positions) => u32::buffer(positions),
                Positions::U64(positions) => u64::buffer(positions),
            }),
        };
        let (done, time) = timed(|| builder.run_into(&array, buffers));
        let chosen = done?.into_parts().1;
        say_chosen(&run.progress, &chosen, args.engine.is_some());
        let engine = builder.chosen_engine();
        let_go(builder);

        run.progress.stage("checking");
        let scan = |j: usize| self.scan(&array, order, j);
        let cost = |j: usize| self.elements_of(j, array.len());
        let wrong = |j: usize| {
            let expected = scan(j);
            let value = expected.map_or(fill, |at| array[at]);
            if with_positions && positions.at(j) != expected {
                return Some(format!("window {j}: found position {:?}, a plain scan {expected:?}", positions.at(j)));
            }
            (with_values && values[j].to_low_bits() != value.to_low_bits())
                .then(|| format!("window {j}: found {}, a plain scan {value}", values[j]))
        };
        let rows = args.run.verify.check(count, &cost, &wrong)?;
        let verified = Verified { rows, of: count, with: "a plain scan".to_owned() };

        run.progress.steps("writing", count * outputs.iter().flatten().count());
        let (mut done, mut written) = (Vec::new(), Vec::new());
        for (out, is_index) in outputs.into_iter().zip([args.what == What::Index, true]) {
            let Some(mut out) = out else { continue };
            let dtype = if is_index { DType::I64 } else { T::DTYPE };
            if is_index {
                let fill = |rows: std::ops::Range<usize>, out: &mut [i64]| {
                    out.iter_mut().zip(rows).for_each(|(out, j)| *out = positions.at(j).map_or(-1, |at| at as i64));
                };
                out.write_made(&self.sizes, 1, &fill, &run.progress)?;
            } else {
                out.write(&self.sizes, &values, &run.progress)?;
            }
            written.push(Written { file: out.name.clone(), count, dtype: dtype.name() });
            done.push(out);
        }
        output::commit(done)?;

        let mut columns = vec!["window"];
        columns.extend(with_positions.then_some("position"));
        columns.extend(with_values.then_some("value"));
        let shown = (0..count.min(SHOWN)).map(|j| {
            let mut row: Vec<Value> = vec![j.into()];
            row.extend(with_positions.then(|| positions.at(j).map_or(Value::Null, Value::from)));
            row.extend(with_values.then(|| values[j].to_json()));
            row
        });
        let table = Table::first(columns, shown, count);
        let engine = window::engine(engine);
        let extra_bytes = engine.extra_bytes(array.len(), size_of::<T>(), &shape);
        Ok(Solved { chosen, time, verified, extra_bytes, written, table })
    }

    /// The value of windows that have none.
    fn fill<T: Element>(&self) -> Outcome<T> {
        let args = self.args;
        if let Some(text) = &args.fill {
            let bad = || Failure::new(format_args!("--fill: '{text}' is no {}", T::DTYPE));
            if T::FLOAT {
                let value = T::from_f64(text.trim().parse().map_err(|_| bad())?);
                return if is_overflown(value.to_f64(), text.as_bytes()) { Err(bad()) } else { Ok(value) };
            }
            let number: i128 = text.trim().parse().map_err(|_| bad())?;
            let value = T::from_low_bits(number as u64);
            return if value.to_string() == number.to_string() { Ok(value) } else { Err(bad()) };
        }
        if T::FLOAT {
            return Ok(T::from_f64(f64::NAN));
        }
        let empty = match self.shape {
            Shape::Ragged { starts, ends } => {
                let bound = |bounds, j: usize| match bounds {
                    thalweg::PositionsRef::U32(bounds) => u64::from(bounds[j]),
                    thalweg::PositionsRef::U64(bounds) => bounds[j],
                };
                let of = starts.len().min(ends.len());
                (0..of).find(|&j| bound(starts, j) == bound(ends, j)).map(|j| format!("window {j} is empty"))
            }
            _ => (args.border == Border::Fill).then(|| "--border fill".to_owned()),
        };
        match empty.filter(|_| args.what != What::Index) {
            Some(why) => Err(Failure::new(format_args!("{why}: integers have no NaN, so --fill must say a value"))),
            None => Ok(T::default()),
        }
    }

    /// How many elements a window has.
    fn elements_of(&self, j: usize, len: usize) -> usize {
        match self.ranges(j, len) {
            Some([down, along]) => down.len() * along.len(),
            None => 0,
        }
    }

    /// The rows and columns of a window, unless it is filled; an array of one dimension is one row.
    fn ranges(&self, j: usize, len: usize) -> Option<[std::ops::Range<usize>; 2]> {
        let fits = |windows: &Windows, j, len| windows.border != Border::Fill || windows.is_whole(j, len);
        match self.shape {
            Shape::Regular(windows) => fits(&windows, j, len).then(|| [0..1, windows.range(j, len)]),
            Shape::Ragged { starts, ends } => {
                let bound = |bounds| match bounds {
                    thalweg::PositionsRef::U32(bounds) => bounds[j] as usize,
                    thalweg::PositionsRef::U64(bounds) => bounds[j] as usize,
                };
                Some([0..1, bound(starts)..bound(ends)])
            }
            Shape::Grid { columns, windows: [down, along] } => {
                let (rows, across) = (len / columns, self.sizes[1]);
                let (row, column) = (j / across, j % across);
                let fits = fits(&down, row, rows) && fits(&along, column, columns);
                fits.then(|| [down.range(row, rows), along.range(column, columns)])
            }
            _ => None,
        }
    }

    /// The answer of a window by looking at all of it.
    fn scan<T: Element>(&self, array: &[T], order: Order, j: usize) -> Option<usize> {
        let [down, along] = self.ranges(j, array.len())?;
        let columns = if let Shape::Grid { columns, .. } = self.shape { columns } else { 0 };
        let best_of_row = |row: usize| {
            let first = row * columns + along.start;
            (!along.is_empty()).then(|| argmin_in(array, order, first..first + along.len()))
        };
        // Of equal ones the first.
        down.filter_map(best_of_row).min_by_key(|&at| array[at].rank(order))
    }
}
