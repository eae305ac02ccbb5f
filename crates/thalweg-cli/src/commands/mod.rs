//! The subcommands, one file each, and what those that solve a problem share.

pub mod ansv;
pub mod bench;
pub mod blur;
pub mod build;
pub mod cartesian;
pub mod envelope;
pub mod forest;
pub mod fourier;
pub mod generate;
pub mod hull;
pub mod in_order;
mod in_parts;
pub mod info;
pub mod inspect;
pub mod lca;
pub mod matching;
mod nearest;
mod needs;
pub mod path;
pub mod query;
pub mod ranges;
pub mod rank;
mod report;
pub mod rmq;
pub mod subtree;
pub mod sudoku;
pub mod summary;
pub mod text;
mod threads;
pub mod tree;
mod verify;
pub mod view;
pub mod window;

use std::borrow::Cow;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use thalweg::{Position, PositionsRef};
use thalweg_cli::device::{self, DeviceArgs};
use thalweg_cli::dtype::{DType, Element};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::format::Named;
use thalweg_cli::input::array::{Array, ArrayArgs};
use thalweg_cli::numbers::{show_count, show_seconds};
use thalweg_cli::output::{self, Output, is_stdout, same_place};
use thalweg_cli::progress::Progress;

use self::report::Written;
use self::verify::VerifyArgs;

/// How to run and what to tell
///
/// Options for results that `--raw` bears upon are in the group `results`, of which it needs one; a test holds every command to it.
#[derive(clap::Args)]
#[command(next_help_heading = "Running", group = clap::ArgGroup::new("results").multiple(true))]
pub struct RunArgs {
    /// Number of threads (default: one per logical core)
    #[arg(long, value_parser = threads::parse_threads)]
    threads: Option<usize>,

    #[command(flatten)]
    pub verify: VerifyArgs,

    /// Write raw little-endian binary whatever the outputs' names (.bin and .raw always are)
    #[arg(long, requires = "results")]
    raw: bool,

    /// Print the report as JSON
    #[arg(long)]
    pub json: bool,

    /// Say on stderr what is chosen and why, and where the time went
    #[arg(short, long)]
    verbose: bool,
}

/// A run of a problem, set up: threads started, outputs ready to be written.
pub struct Run {
    pub threads: usize,
    pub progress: Progress,
    /// Whether a result goes to stdout, so that the report must not.
    pub stdout_taken: bool,
    raw: bool,
    /// Where results go, and files that none may replace.
    places: Vec<(PathBuf, Taken)>,
}

/// Why no other result may go to a place.
#[derive(Clone, Copy)]
enum Taken {
    ByResult,
    ByInput,
}

impl Run {
    /// Starts the threads, and one more that opens the GPU, if one is asked for, while files are read.
    pub fn start(args: &RunArgs, device: Option<&DeviceArgs>) -> Outcome<Self> {
        Self::with(args.threads, args.verbose, args.raw, device)
    }

    /// The same for commands that take other options.
    fn with(threads: Option<usize>, verbose: bool, raw: bool, device: Option<&DeviceArgs>) -> Outcome<Self> {
        let why = if threads.is_some() { "--threads" } else { "the default" };
        let threads = threads::start(threads)?;
        let progress = Progress::new(verbose);
        if let Some(device) = device {
            device.begin();
        }
        progress.say(format_args!("threads: {threads}, {why}"));
        Ok(Self { threads, progress, stdout_taken: false, raw, places: Vec::new() })
    }

    /// Opens the array.
    pub fn open_array(&self, args: &ArrayArgs) -> Outcome<Array> {
        self.progress.stage("reading");
        args.open()
    }

    /// The array's elements. `T` must be its type.
    pub fn elements<'a, T: Element>(&self, array: &'a Array) -> Outcome<Cow<'a, [T]>> {
        let elements = array.elements()?;
        match array.file() {
            Some(file) => {
                let in_place = matches!(elements, Cow::Borrowed(_));
                self.progress.say(format_args!("array: {}", file.describe(in_place)));
            }
            None => {
                let count = show_count(array.len);
                self.progress.say(format_args!("array: no --array, so {count} x {} are generated", array.dtype));
            }
        }
        Ok(elements)
    }

    /// Prepares an output, if one is asked for.
    pub fn output(&mut self, path: Option<&Path>) -> Outcome<Option<Output>> {
        let Some(path) = path else { return Ok(None) };
        self.take_place(&Named::output(path, self.raw).path)?;
        Output::create(path, self.raw).map(Some)
    }

    /// The same for what is no array: a text, a picture, an index.
    pub fn bytes_output(&mut self, path: Option<&Path>) -> Outcome<Option<Output>> {
        let Some(path) = path else { return Ok(None) };
        self.take_place(&Named::output(path, true).path)?;
        Output::create_text(path).map(Some)
    }

    /// Lets no result replace a file that is read: an index or a text is more than what is asked of it.
    pub fn keep(&mut self, input: Option<&Path>) {
        self.places.extend(input.map(|path| (path.to_owned(), Taken::ByInput)));
    }

    /// Notes where a result goes. A place has room for one, and so has standard output.
    fn take_place(&mut self, path: &Path) -> Outcome {
        if is_stdout(path) {
            if self.stdout_taken {
                return Err(Failure::new("only one result can go to standard output"));
            }
            self.stdout_taken = true;
            return Ok(());
        }
        if let Some((_, taken)) = self.places.iter().find(|(place, _)| same_place(place, path)) {
            return Err(Failure::at(
                path.display(),
                match taken {
                    Taken::ByResult => "two results would go to the same file",
                    Taken::ByInput => "is read, and a result would replace it",
                },
            ));
        }
        self.places.push((path.to_owned(), Taken::ByResult));
        Ok(())
    }
}

/// With `--verbose`, tells where the time went.
impl Drop for Run {
    fn drop(&mut self) {
        let (total, stages) = self.progress.times();
        let shown = |name: &str, time: Duration| format!("{name} {}", show_seconds(time.as_secs_f64()));
        let stages: Vec<String> = stages.into_iter().map(|(name, time)| shown(name, time)).collect();
        self.progress.say(format_args!("time: {}: {}", show_seconds(total.as_secs_f64()), stages.join(", ")));
        if let Some(phases) = device::times() {
            self.progress.say(format_args!("time of the GPU: {phases}"));
        }
    }
}

/// Writes lists of positions as int64, -1 for none, and lets them appear together.
pub fn write_positions(lists: Vec<(Output, PositionsRef<'_>)>, progress: &Progress) -> Outcome<Vec<Written>> {
    write_columns(lists.into_iter().map(|(out, list)| (out, vec![list])).collect(), progress)
}

/// The same where a file may have several lists of the same length as its columns.
pub fn write_columns(files: Vec<(Output, Vec<PositionsRef<'_>>)>, progress: &Progress) -> Outcome<Vec<Written>> {
    let (mut done, mut written) = (Vec::new(), Vec::new());
    progress.steps("writing", files.iter().flat_map(|(_, lists)| lists).map(|list| list.len()).sum());
    for (mut out, lists) in files {
        let (rows, columns) = (lists.first().map_or(0, |list| list.len()), lists.len());
        let fill = |rows: Range<usize>, out: &mut [i64]| {
            for (column, list) in lists.iter().enumerate() {
                match list {
                    PositionsRef::U32(list) => put_column(&list[rows.clone()], out, column, columns),
                    PositionsRef::U64(list) => put_column(&list[rows.clone()], out, column, columns),
                }
            }
        };
        let shape = if columns == 1 { vec![rows] } else { vec![rows, columns] };
        out.write_made(&shape, columns, &fill, progress)?;
        let count = lists.iter().map(|list| list.len()).sum();
        written.push(Written { file: out.name.clone(), count, dtype: DType::I64.name() });
        done.push(out);
    }
    output::commit(done)?;
    Ok(written)
}

/// Puts positions into a column of a table, -1 for none.
fn put_column<P: Position>(list: &[P], out: &mut [i64], column: usize, columns: usize) {
    let signed = |position: P| if position == P::NONE { -1 } else { position.get() as i64 };
    match columns {
        // In a loop of its own, which becomes vector code.
        1 => out.iter_mut().zip(list).for_each(|(out, &position)| *out = signed(position)),
        _ => out.chunks_exact_mut(columns).zip(list).for_each(|(row, &position)| row[column] = signed(position)),
    }
}

/// Writes one list of any type, and lets it appear.
pub fn write_values<T: Element>(out: Option<Output>, values: &[T], progress: &Progress) -> Outcome<Vec<Written>> {
    let Some(mut out) = out else { return Ok(Vec::new()) };
    progress.steps("writing", values.len());
    out.write(&[values.len()], values, progress)?;
    let written = Written { file: out.name.clone(), count: values.len(), dtype: T::DTYPE.name() };
    output::commit([out])?;
    Ok(vec![written])
}
