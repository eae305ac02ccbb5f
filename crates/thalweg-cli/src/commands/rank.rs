//! `thalweg rank`: how far it is to the end of linked lists.

use std::path::PathBuf;

use thalweg::Position;
use thalweg::list::{self, Builder, Direction, Engine};
use thalweg_cli::choice::{engine_of, one_of};
use thalweg_cli::device::{DeviceArgs, let_go, say_chosen};
use thalweg_cli::failure::Outcome;
use thalweg_cli::input::links::{Links, ListArgs};
use thalweg_cli::input::{Loaded, integers};
use thalweg_cli::output::Output;
use thalweg_data::lists::successor;

use super::report::{Data, Memory, Report, Speed, Table, timed};
use super::verify::Verified;
use super::{Run, RunArgs, write_positions, write_values};

/// Rank linked lists: the number of links, or the sum of weights, to the end of every element's list
///
/// Without files, makes a list and shows what the engine does with it.
#[derive(clap::Args)]
#[command(mut_arg("seed", |arg| arg.conflicts_with("next")), mut_arg("dtype", |arg| arg.requires("next").conflicts_with("n")), after_help = "Files are .npy if their name ends so or their content says so, otherwise raw little-endian \
    binary; - is standard input or output. Without weights, the last of a list has rank 0; with weights, an element's \
    rank includes its own. The report goes to stdout, or to stderr if a result does.")]
pub struct Args {
    /// Where the ranks go: int64
    #[arg(short, long, value_name = "FILE", group = "results")]
    out: Option<PathBuf>,

    /// A weight for every element: integers; without it links are counted
    #[arg(long, value_name = "FILE", requires = "next")]
    weights: Option<PathBuf>,

    /// What is summed: from the element to the end of its list, or from the head to the element
    #[arg(long, value_parser = one_of(&[Direction::ToEnd, Direction::FromHead], direction_name), default_value = "to-end")]
    direction: Direction,

    /// The engine (default: the library's choice; see `thalweg info`)
    #[arg(long, value_parser = engine_of(Engine::ALL, Engine::name))]
    engine: Option<Engine>,

    #[command(flatten)]
    list: ListArgs,

    #[command(flatten)]
    device: DeviceArgs,

    #[command(flatten)]
    run: RunArgs,
}

fn direction_name(direction: Direction) -> &'static str {
    match direction {
        Direction::ToEnd => "to_end",
        Direction::FromHead => "from_head",
    }
}

/// Runs the command.
pub fn run(args: Args) -> Outcome {
    let mut run = Run::start(&args.run, Some(&args.device))?;
    let links = args.list.open(&run.progress)?;
    if args.engine.is_none() {
        args.device.expect(list::costs(links.len, args.weights.is_some(), run.threads));
    }
    let weights = match &args.weights {
        Some(path) => {
            let file = Loaded::open(path, Some(links.dtype), 1)?;
            run.progress.say(format_args!("weights: {}", file.describe(false)));
            Some(integers::weights(&file, links.len)?)
        }
        None => None,
    };
    let mut out = run.output(args.out.as_deref())?;
    out.iter_mut().for_each(|out| out.expect(links.len, size_of::<i64>()));
    if u32::fits(links.len) {
        solve::<u32>(&args, run, &links, weights.as_deref(), out)
    } else {
        solve::<u64>(&args, run, &links, weights.as_deref(), out)
    }
}

fn solve<P: Position>(args: &Args, run: Run, links: &Links, weights: Option<&[i64]>, out: Option<Output>) -> Outcome {
    let next: Vec<P> = links.get()?;
    let builder = Builder::new().engine(args.engine).direction(args.direction).device(args.device.open()?);

    let scratch = builder.options().extra_bytes::<P>(next.len(), weights.is_some().into());
    // The ranks, or their sums; and a list that was made took as much more meanwhile.
    let needed = scratch.saturating_add(next.len().saturating_mul(size_of::<P>() + 8));
    run.require(needed, &links.origin(), Some(&args.device))?;
    run.progress.stage("answering");
    let (ranks, time, chosen) = match weights {
        Some(weights) => {
            let (sums, time) = timed(|| builder.sums(&next, weights));
            let (sums, chosen) = sums.map_err(|e| links.failure(e))?.into_parts();
            (Ranks::Sums(sums), time, chosen)
        }
        None => {
            let (ranks, time) = timed(|| builder.rank(&next));
            let (ranks, chosen) = ranks.map_err(|e| links.failure(e))?.into_parts();
            (Ranks::Links(ranks), time, chosen)
        }
    };
    let engine = chosen.engine();
    let extra_bytes = match chosen.is_cpu() {
        true => builder.options().extra_bytes::<P>(next.len(), weights.is_some().into()),
        // Links, sums, marks and, with weights, records, each of 4 or 8 bytes and more.
        false => next.len() * if weights.is_some() { 52 } else { 16 },
    };
    say_chosen(&run.progress, &chosen, args.engine.is_some());
    let_go(builder);

    run.progress.stage("checking");
    let walk = Walk { next: &next, weights, ranks: &ranks, direction: args.direction };
    let rows = args.run.verify.check(next.len(), &|_| STEPS, &|i| {
        walk.wrong(i).map(|text| format!("element {i}: engine {engine} found {}, {text}", ranks.at(i)))
    })?;

    let verified = Verified { rows, of: next.len(), with: "a plain walk of up to 1,000 links".into() };

    let outputs = match &ranks {
        Ranks::Links(ranks) => {
            write_positions(out.into_iter().map(|out| (out, P::view(ranks))).collect(), &run.progress)?
        }
        Ranks::Sums(sums) => write_values(out, sums, &run.progress)?,
    };
    let report = Report {
        version: env!("CARGO_PKG_VERSION"),
        problem: "rank",
        data: "list",
        array: Data { origin: links.origin(), count: next.len(), dtype: links.own_dtype(P::NAME) },
        queries: None,
        asked: format!(
            "{} {}",
            if weights.is_some() { "weights" } else { "links" },
            direction_name(args.direction).replace('_', " ")
        ),
        engine,
        device: chosen.device().to_owned(),
        threads: run.threads,
        open: None,
        build: None,
        answer: Speed::new(time, next.len(), "element"),
        memory: Memory::new(extra_bytes, next.len()),
        verified,
        outputs,
        answers: table(&next, weights, &ranks),
    };
    let stdout_taken = run.stdout_taken;
    drop(run);
    report.print(args.run.json, stdout_taken)
}

/// Links that a check follows at most: to the end of the list, or to an element whose rank must differ by what lies
/// between.
const STEPS: usize = 1000;

/// What was found, as the library tells it.
enum Ranks<P> {
    /// Numbers of links.
    Links(Vec<P>),
    /// Sums of weights.
    Sums(Vec<i64>),
}

impl<P: Position> Ranks<P> {
    fn at(&self, element: usize) -> i64 {
        match self {
            Self::Links(ranks) => ranks[element].get() as i64,
            Self::Sums(sums) => sums[element],
        }
    }
}

struct Walk<'w, P> {
    next: &'w [P],
    weights: Option<&'w [i64]>,
    ranks: &'w Ranks<P>,
    direction: Direction,
}

impl<P: Position> Walk<'_, P> {
    /// What is wrong with the rank of an element, by a walk from it.
    fn wrong(&self, element: usize) -> Option<String> {
        let weight = |i: usize| self.weights.map_or(1, |weights| weights[i]);
        // The sum of the weights from the element on, up to but not including `at`.
        let (mut at, mut between) = (element, 0i64);
        let mut ended = None;
        for _ in 0..STEPS {
            between = between.wrapping_add(weight(at));
            match successor(self.next, at) {
                Some(to) => at = to,
                None => {
                    // Without weights the last element counts nothing.
                    ended = Some(if self.weights.is_some() { between } else { between - 1 });
                    break;
                }
            }
        }
        let own = self.ranks.at(element);
        match (self.direction, ended) {
            (Direction::ToEnd, Some(sum)) => (own != sum).then(|| format!("a plain walk {sum}")),
            (Direction::ToEnd, None) => {
                let want = self.ranks.at(at).wrapping_add(between);
                (own != want).then(|| format!("a plain walk to element {at} {want}"))
            }
            (Direction::FromHead, _) => {
                // What lies behind the element and up to `at`, without the former and with the latter.
                let step = match ended {
                    Some(_) => between.wrapping_sub(weight(element)),
                    None => between.wrapping_sub(weight(element)).wrapping_add(weight(at)),
                };
                let want = self.ranks.at(at).wrapping_sub(step);
                (own != want).then(|| format!("a plain walk to element {at} {want}"))
            }
        }
    }
}

/// The first few answers.
fn table<P: Position>(next: &[P], weights: Option<&[i64]>, ranks: &Ranks<P>) -> Table {
    let mut columns = vec!["element", "next"];
    columns.extend(weights.map(|_| "weight"));
    columns.push("rank");
    let rows = (0..next.len()).map(|i| {
        let mut row = vec![i.into(), successor(next, i).into()];
        row.extend(weights.map(|weights| weights[i].into()));
        row.push(ranks.at(i).into());
        row
    });
    Table::first(columns, rows, next.len())
}
