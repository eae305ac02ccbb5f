//! `thalweg view`: arrays on a page of this machine, however long they are.

mod browser;
mod kept;
mod waiting;

use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use serde_json::json;
use thalweg_cli::choice::one_of;
use thalweg_cli::dtype::{DType, with_dtype};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::input::array::{Array, ArrayArgs};
use thalweg_cli::numbers::{parse_count, show_count};
use thalweg_cli::output;
use thalweg_core::bits;
use thalweg_data::ArrayKind;
use thalweg_view::{Kind, Series, Server, Watch, export};

use self::kept::Kept;
use super::summary::{BareRunArgs, Summary};
use super::{Run, needs};

/// Bytes of data in a page that needs no server, unless somebody says otherwise.
const PAGE: usize = 4_000_000;

/// Look at arrays of up to billions of elements in a browser
///
/// Opens a page on this machine: pan and zoom with mouse, touch or keys; every column of pixels shows the minimum and the maximum of its elements, exactly.
#[derive(clap::Args)]
#[command(
    after_help = "The page is served at 127.0.0.1 only, at an address with a random token, until Ctrl-C. Indexes that were kept \
    beside a file (--keep) are mapped the next time, if the file has not changed."
)]
pub struct Args {
    /// The arrays, one dimension of integers or floats each; generated if left out
    #[arg(value_name = "FILE")]
    arrays: Vec<PathBuf>,

    /// Type of raw or generated arrays: f32, float32 or <f4 (f32 if generated); an .npy file knows its own
    #[arg(long, value_name = "TYPE", value_parser = DType::from_option)]
    dtype: Option<DType>,

    /// Number of elements to generate
    #[arg(long, value_parser = parse_count, default_value = "2^24", conflicts_with = "arrays")]
    n: usize,

    /// Kind of array to generate
    #[arg(long, value_parser = one_of(ArrayKind::ALL, ArrayKind::name), default_value = "runs", conflicts_with = "arrays")]
    kind: ArrayKind,

    /// Seed of what is generated
    #[arg(long, default_value_t = 7, conflicts_with = "arrays")]
    seed: u64,

    /// Keep the indexes beside the files (FILE.min.thw, FILE.max.thw: 3 bits an element each for 32-bit types), which must be such as are
    /// used where they lie: .npy, stored members of .npz or raw, in this machine's byte order, not packed
    #[arg(long, requires = "arrays")]
    keep: bool,

    /// Where a page goes that needs no server, with as much detail as it can hold; nothing is served then
    #[arg(short, long, value_name = "FILE.html")]
    out: Option<PathBuf>,

    /// Bytes of data in that page, about (default: 4 MB)
    #[arg(long, value_parser = parse_count, requires = "out")]
    size: Option<usize>,

    /// Do not open a browser
    #[arg(long)]
    no_open: bool,

    /// The port (default: any that is free)
    #[arg(long, conflicts_with = "out")]
    port: Option<u16>,

    /// End after so many seconds (default: with Ctrl-C)
    #[arg(long = "for", value_name = "SECONDS")]
    seconds: Option<u64>,

    #[command(flatten)]
    run: BareRunArgs,
}

/// A series' array, and what belongs to it.
struct Input<'a> {
    path: Option<&'a PathBuf>,
    array: &'a Array,
    kind: Kind,
    elements: bits::Array<'a>,
    /// Its indexes from a file.
    kept: Option<[Kept; 2]>,
}

/// Runs the command.
pub fn run(args: Args) -> Outcome {
    let mut run = args.run.start(None)?;
    run.progress.stage("reading");
    let arrays = open(&args)?;
    args.arrays.iter().for_each(|path| run.keep(Some(path)));
    let out = run.bytes_output(args.out.as_deref())?;
    let inputs: Vec<Input<'_>> = inputs(&args, &run, &arrays)?;
    let series: Vec<Series<'_>> = inputs.iter().map(series).collect::<Outcome<_>>()?;
    let missing: usize = inputs.iter().filter(|input| input.kept.is_none()).map(|input| input.elements.len()).sum();
    run.require(2 * needs::rmq(None, missing), "the indexes", None)?;

    let mut summary = Summary::new("view");
    let told = series.iter().map(|series| {
        json!({"name": series.name(), "count": series.len(), "dtype": series.kind().name(), "index_kept": series.is_ready()})
    });
    summary.value("series", told.collect::<Vec<_>>());
    if let Some(mut out) = out {
        build(&args, &run, &inputs, &series)?;
        run.progress.stage("writing");
        let title = inputs.iter().map(|input| input.array.origin()).collect::<Vec<_>>().join(", ");
        let mut page = Vec::new();
        export::write(&series, &title, args.size.unwrap_or(PAGE), &mut page).map_err(|e| Failure::io(&out.name, &e))?;
        let written = std::io::Write::write_all(&mut out.writer(&run.progress), &page);
        written.map_err(|e| Failure::io(&out.name, &e))?;
        summary.written(&out.name, page.len());
        output::commit([out])?;
        let stdout_taken = run.stdout_taken;
        drop(run);
        return summary.print(args.run.json, stdout_taken);
    }

    let port = args.port.unwrap_or(0);
    let server = Server::bind(port).map_err(|e| Failure::io(format_args!("127.0.0.1:{port}"), &e))?;
    let address = server.address();
    for series in &series {
        summary
            .line("series", format_args!("{}: {} x {}", series.name(), show_count(series.len()), series.kind().name()));
    }
    summary.line("page", &address);
    summary.plain(if args.seconds.is_some() { "" } else { "Ctrl-C ends it." });
    summary.value("address", &address[..]);
    summary.print(args.run.json, false)?;
    serve(&args, &run, &server, &inputs, &series)
}

/// Serves the page while the indexes are built, and until the end.
fn serve(args: &Args, run: &Run, server: &Server, inputs: &[Input<'_>], series: &[Series<'_>]) -> Outcome {
    /// Ends the server however this function ends.
    struct Stop<'s>(&'s Server);
    impl Drop for Stop<'_> {
        fn drop(&mut self) {
            self.0.stop();
        }
    }
    thread::scope(|scope| {
        let stop = Stop(server);
        let running = thread::Builder::new().spawn_scoped(scope, || server.run(series));
        let running = running.map_err(|e| Failure::io("the server's thread", &e))?;
        if !args.no_open {
            browser::open(&server.address());
        }
        build(args, run, inputs, series)?;
        run.progress.stage("serving");
        let checks = thread::Builder::new().spawn_scoped(scope, || check(inputs, series, args.keep));
        let checks = checks.map_err(|e| Failure::io("a thread", &e))?;
        waiting::for_the_end(args.seconds.map(Duration::from_secs));
        drop(stop);
        match running.join() {
            Ok(ended) => ended.map_err(|e| Failure::io(server.address(), &e))?,
            Err(_) => return Err(Failure::new("the server has failed")),
        }
        checks.join().unwrap_or_else(|_| Err(Failure::new("the comparison of checksums has failed")))
    })
}

/// Compares the checksums of indexes that were kept, while somebody is looking already. The page is told of damage at once, who has started the
/// command when it ends; and what is to be kept anew is removed.
fn check(inputs: &[Input<'_>], series: &[Series<'_>], keep: bool) -> Outcome {
    let mut first = Ok(());
    for (input, series) in inputs.iter().zip(series) {
        for kept in input.kept.iter().flatten() {
            let Err(e) = kept.stored.verify() else { continue };
            let removed = keep && std::fs::remove_file(&kept.place).is_ok();
            let text = format!(
                "{e}: {}",
                if removed { "it was removed, so start again" } else { "remove it, and start again" }
            );
            series.give_up(&text[..]);
            first = first.and(Err(Failure::new(text)));
        }
    }
    first
}

/// Opens the files, or notes what to generate.
fn open(args: &Args) -> Outcome<Vec<Array>> {
    let open = |path: Option<&PathBuf>| {
        let Args { dtype, n, kind, seed, .. } = *args;
        ArrayArgs { array: path.cloned(), dtype, n, kind, seed }.open()
    };
    if args.arrays.is_empty() {
        Ok(vec![open(None)?])
    } else {
        args.arrays.iter().map(|path| open(Some(path))).collect()
    }
}

fn inputs<'a>(args: &'a Args, run: &Run, arrays: &'a [Array]) -> Outcome<Vec<Input<'a>>> {
    let input = |(i, array): (usize, &'a Array)| {
        let path = args.arrays.get(i);
        let (kind, elements) = with_dtype!(array.dtype, T => {
            (Kind::of::<T>(), bits::Array::of::<T>(array.elements_unread::<T>()?))
        });
        if elements.is_empty() {
            return Err(Failure::at(array.origin(), "has no elements, so there is nothing to see"));
        }
        let is_mapped = array.file().is_some_and(|file| file.mapped().is_some());
        if args.keep && !is_mapped {
            return Err(Failure::at(
                array.origin(),
                "is not used where it lies, so no index can be kept beside it (--keep)",
            ));
        }
        let kept = match path.filter(|_| is_mapped) {
            // A server compares checksums while somebody is looking already.
            Some(path) => kept::open(path, array, kind, args.out.is_some(), &run.progress),
            None => None,
        };
        Ok(Input { path, array, kind, elements, kept })
    };
    arrays.iter().enumerate().map(input).collect()
}

fn series<'a>(input: &'a Input<'_>) -> Outcome<Series<'a>> {
    let name = input.array.origin();
    let mut series = Series::new(&name[..], input.kind, input.elements.bits());
    if let Some((file, bytes)) = input.array.file().and_then(|file| file.mapped()) {
        let file = file.try_clone().map_err(|e| Failure::io(&name, &e))?;
        series.watch(Watch::new(&name[..], file).map_err(|e| Failure::io(&name, &e))?, bytes);
    }
    if let Some(kept) = &input.kept {
        let mut engines = Vec::new();
        for kept in kept {
            let file = kept.file.try_clone().map_err(|e| Failure::io(&kept.name, &e))?;
            series
                .watch(Watch::new(&kept.name[..], file).map_err(|e| Failure::io(&kept.name, &e))?, kept.stored.bytes());
            engines.push(kept.stored.engine_over(kept::lent(input.elements.bits()))?);
        }
        let [minima, maxima] = engines.try_into().map_err(|_| Failure::new("two indexes were opened"))?;
        series.put([minima, maxima]);
    }
    Ok(series)
}

/// Builds what is missing, and keeps it if that is asked for.
fn build(args: &Args, run: &Run, inputs: &[Input<'_>], series: &[Series<'_>]) -> Outcome {
    let missing = || inputs.iter().zip(series).filter(|(_, series)| !series.is_ready());
    run.progress.steps("building", missing().map(|(_, series)| series.len()).sum());
    let built: Vec<_> = missing().collect();
    for (input, series) in &built {
        if let Some(file) = input.array.file() {
            file.fetch_all();
        }
        series.build(&|elements| run.progress.advance(elements))?;
    }
    for (input, series) in built {
        if let (true, Some(path)) = (args.keep, input.path) {
            kept::save(path, input.array, series, &run.progress)?;
        }
    }
    Ok(())
}
