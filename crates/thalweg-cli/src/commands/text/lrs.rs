//! `thalweg lrs`: the longest substring that occurs twice.

use serde_json::json;
use thalweg::text::SuffixBuilder;
use thalweg_cli::device::{DeviceArgs, say_chosen};
use thalweg_cli::failure::Outcome;
use thalweg_cli::input::text::{TextArgs, excerpt};
use thalweg_cli::numbers::show_count;
use thalweg_cli::openmp;

use super::{BareRunArgs, Stages, Summary};

/// Find the longest substring that occurs more than once, and its places
///
/// Of several, that which begins first. Occurrences may overlap. Without a file, makes a text.
#[derive(clap::Args)]
#[command(mut_arg("seed", |arg| arg.conflicts_with("file")))]
pub struct Args {
    #[command(flatten)]
    text: TextArgs,

    #[command(flatten)]
    device: DeviceArgs,

    #[command(flatten)]
    run: BareRunArgs,
}

/// Places that are shown.
const PLACES: usize = 20;

/// Runs the command.
pub fn run(args: Args) -> Outcome {
    let run = args.run.start(Some(&args.device))?;
    run.progress.stage("reading");
    let text = args.text.open()?;
    let bytes = text.bytes();
    openmp::require(bytes.len().saturating_mul(16), run.threads, &text.origin)?;
    let symbols = text.with_separators()?;
    let stages = Stages::new(&run.progress);
    let watch = |stage| stages.enter(stage);
    let builder = SuffixBuilder::new().device(args.device.open()?).watch(&watch);
    let repeat = match &symbols {
        None => builder.longest_repeat(bytes)?,
        Some(symbols) => builder.longest_repeat(symbols)?,
    };
    let (repeat, chosen) = repeat.into_parts();
    say_chosen(&run.progress, &chosen, false);
    let times = stages.finish();

    let mut summary = Summary::new("lrs");
    summary.line("text", text.describe());
    summary.value("text", json!({"origin": text.origin, "bytes": bytes.len()}));
    summary.answered(&chosen, run.threads, "");
    summary.stages(&times, bytes.len());
    summary.line("length", show_count(repeat.length));
    summary.value("length", repeat.length);
    let places: Vec<String> = repeat.places.iter().take(PLACES).map(|&place| text.place(place)).collect();
    let more = repeat.places.len() - places.len();
    let more = if more > 0 { format!(" and {} more", show_count(more)) } else { String::new() };
    let count = show_count(repeat.places.len());
    match repeat.places.first() {
        None => summary.line("places", "nothing occurs twice"),
        Some(&first) => {
            summary.line("places", format_args!("{count}: {}{more}", places.join(" ")));
            summary.plain(format_args!("\n  {}", excerpt(&bytes[first..first + repeat.length], 200)));
        }
    }
    let all: Vec<String> = repeat.places.iter().map(|&place| text.place(place)).collect();
    match symbols {
        None => summary.value("places", repeat.places),
        Some(_) => summary.value("places", all),
    }
    drop(run);
    summary.print(args.run.json, false)
}
