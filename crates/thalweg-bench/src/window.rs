//! `thalweg-bench window`: sliding windows of all widths.

use std::hint::black_box;

use thalweg::window::{Align, Builder, Engine, Outputs, Windows};
use thalweg::{Device, Key, Position};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::memory;
use thalweg_cli::numbers::parse_count;
use thalweg_core::bits::BitsMut;

use crate::bench::{Bench, Case, Common, Selection, drive, on_gpu, timed_types};
use crate::cases::window::widths;
use crate::check;
use crate::columns::{self, table};
use crate::report::Row;
use crate::timing::time;
use crate::walks;

/// Minima of sliding windows, trailing and shrunk: their values, their positions
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    common: Common,
    /// Engines to time, or all
    #[arg(long, num_args = 1.., value_delimiter = ',', default_value = "all")]
    engine: Vec<String>,
    /// Widths of the windows [default: powers of two and others, from 2 to n/2]
    #[arg(long, num_args = 1.., value_delimiter = ',', value_parser = parse_count)]
    width: Vec<usize>,
}

/// Widths that are timed where none is named, up to half of the array; and that half.
const WIDTHS: [usize; 10] = [2, 4, 16, 32, 100, 1024, 4000, 1 << 13, 1 << 16, 1 << 20];
/// Elements that `naive` may look at before it is left out: some tenths of a second.
const NAIVE_READS: usize = 1 << 28;
/// The peer's name, and a copy's.
const QUEUE: &str = "monotonic queue";
const COPY: &str = "copy";

/// Runs the benchmark.
pub fn run(args: Args) -> Outcome {
    if args.width.contains(&0) {
        return Err(Failure::at("--width", "a window of 0 elements has no minimum"));
    }
    on_gpu!(args.common, crate::gpu::window::run(&args.common, &args.engine, &args.width));
    let selection = Selection::parse(&args.engine, Engine::ALL)?;
    drive(&WindowBench { selection, widths: args.width }, &args.common)
}

struct WindowBench {
    selection: Selection<Engine>,
    widths: Vec<usize>,
}

/// What is asked of a window.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Values,
    Positions,
}

impl What {
    fn name(self) -> &'static str {
        if self == Self::Values { "values" } else { "positions" }
    }
}

/// Who takes part.
#[derive(Clone, Copy)]
enum Entrant {
    Ours(Engine),
    Queue,
    Copy,
}

impl Entrant {
    fn name(self) -> &'static str {
        match self {
            Self::Ours(engine) => engine.name(),
            Self::Queue => QUEUE,
            Self::Copy => COPY,
        }
    }
}

impl WindowBench {
    /// Times everybody on one array.
    fn case<K: Key>(&self, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        // The array, answers of both kinds, and those that are right.
        memory::require(case.n * (2 * size_of::<K>() + 8), &case.title())?;
        let array = case.array::<K>()?;
        let mut values = memory::filled(case.n, K::default(), "values of windows")?;
        let mut positions = memory::filled(case.n, 0u32, "positions of windows")?;
        let mut expected = memory::filled(case.n, 0u32, "the right positions")?;
        let mut rows = Vec::new();
        for width in widths(&self.widths, &WIDTHS, case.n) {
            walks::window::minima(&array, width, |i, at| expected[i] = at as u32);
            let name: &'static str = format!("w = {}", crate::table::count(width)).leak();
            let mut entrants: Vec<Entrant> = self.selection.engines.iter().map(|&e| Entrant::Ours(e)).collect();
            if width.saturating_mul(case.n) > NAIVE_READS && !self.selection.named {
                entrants.retain(|entrant| !matches!(entrant, Entrant::Ours(Engine::Naive)));
                case.skip("naive", format_args!("{name} looks at {:.1e} elements", width as f64 * case.n as f64));
            }
            entrants.push(Entrant::Copy);
            if case.common.peers {
                entrants.push(Entrant::Queue);
            }
            for what in [What::Values, What::Positions] {
                for pool in case.pools {
                    let timings = case.race(pool, name, entrants.len(), |i| {
                        // Poison: an answer that is not written shows.
                        values.fill(K::default());
                        positions.fill(u32::MAX - 1);
                        let (array, entrant) = (black_box(&array[..]), entrants[i]);
                        let (took, done) = time(|| ask(entrant, what, width, array, &mut values, &mut positions));
                        done?;
                        let who = format!("{}, {name}, {}", entrant.name(), case.title());
                        match (entrant, what) {
                            (Entrant::Copy, _) => {}
                            (_, What::Positions) => check::equal(&who, "positions", &expected, &positions, |&x| x)?,
                            (_, What::Values) => {
                                let wrong =
                                    |&i: &usize| values[i].to_low_bits() != array[expected[i] as usize].to_low_bits();
                                if let Some(i) = (0..case.n).find(wrong) {
                                    let (got, want) = (values[i], array[expected[i] as usize]);
                                    return check::wrong(&who, format_args!("values[{i}] is {got:?}, not {want:?}"));
                                }
                            }
                        }
                        Ok(took)
                    })?;
                    for (entrant, timing) in entrants.iter().zip(timings) {
                        let written = if what == What::Values { size_of::<K>() } else { 4 };
                        let bytes = case.n * (size_of::<K>() + written);
                        let row = case.row(pool, what.name(), entrant.name()).timed(timing, case.n);
                        let mut row = row.moving(bytes, pool.copy_gb_per_s);
                        row.queries = Some(name);
                        row.peer = matches!(entrant, Entrant::Queue);
                        row.default = matches!(entrant, Entrant::Ours(engine) if *engine == Engine::default());
                        rows.push(row);
                    }
                }
            }
        }
        Ok(rows)
    }
}

/// Runs one of them.
fn ask<K: Key>(
    entrant: Entrant,
    what: What,
    width: usize,
    array: &[K],
    values: &mut [K],
    positions: &mut [u32],
) -> Outcome {
    match (entrant, what) {
        (Entrant::Ours(engine), _) => {
            let windows = Windows { align: Align::Trailing, ..Windows::new(width) };
            let outputs = match what {
                What::Values => Outputs { values: Some(BitsMut::of(values)), positions: None },
                What::Positions => Outputs { values: None, positions: Some(u32::buffer(positions)) },
            };
            Builder::new(windows).engine(engine).device(Device::Cpu).run_into(array, outputs)?;
        }
        (Entrant::Queue, What::Values) => walks::window::minima(array, width, |i, at| values[i] = array[at]),
        (Entrant::Queue, What::Positions) => walks::window::minima(array, width, |i, at| positions[i] = at as u32),
        (Entrant::Copy, What::Values) => walks::window::copy(array, values, |&key| key),
        // As many bytes: what the positions are does not matter.
        (Entrant::Copy, What::Positions) => walks::window::copy(array, positions, |key| key.to_low_bits() as u32),
    }
    Ok(())
}

impl Bench for WindowBench {
    const NAME: &'static str = "window";
    const SIZES: &'static [usize] = &[1 << 24];
    const UNIT: &'static str = "ns per element";
    const DEFAULT_DTYPE: &'static str = "f32";

    timed_types!(u8, u32, f32, f64);

    fn tables(&self, rows: &[Row]) -> String {
        let columns = [
            columns::asked("windows"),
            columns::words("what", |row| row.what.into()),
            columns::engine("engine"),
            columns::threads().together(),
            columns::ns("ns/element"),
            columns::gb_per_s(),
            columns::of_copy(),
            columns::versus("vs queue"),
        ];
        table(rows, columns).to_string()
    }

    fn panel(row: &Row) -> Option<String> {
        row.queries.map(|windows| format!("{}, {windows}", row.what))
    }

    fn how_to_read(&self) -> String {
        "Every answer was checked. GB/s: the array read and the answers written, once. 'of copy': of the speed of a copy of\n\
         256 MiB; the row 'copy' is one of this array, in pieces, in the same run. 'vs queue': the textbook's monotonic queue,\n\
         on one thread, over this one's time. bottleneck and scipy on the same windows: bench/window-peers.py."
            .into()
    }
}
