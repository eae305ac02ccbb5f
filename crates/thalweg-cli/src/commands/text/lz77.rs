//! `thalweg lz77`: the LZ77 factorisation of a text, as a file.

use std::path::PathBuf;

use serde_json::json;
use thalweg::text::container;
use thalweg::text::lz77::{Builder, Engine, Factors, Phrase, Source};
use thalweg_cli::choice::{engine_of, one_of};
use thalweg_cli::device::{DeviceArgs, let_go, say_chosen};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::input::text::TextArgs;
use thalweg_cli::numbers::{show_bytes, show_count};
use thalweg_cli::openmp;
use thalweg_cli::output;

use super::{BareRunArgs, Stages, Summary};
use crate::commands::report::Table;

/// Factorise a text: LZ77, exactly, and write it as a .tlz file
///
/// Without a file, makes a text and tells what became of it.
#[derive(clap::Args)]
#[command(mut_arg("seed", |arg| arg.conflicts_with("file")))]
pub struct Args {
    #[command(flatten)]
    text: TextArgs,

    /// Where the factorisation goes
    #[arg(short, long, alias = "output", value_name = "FILE.tlz")]
    out: Option<PathBuf>,

    /// Tell more about the phrases
    #[arg(long)]
    stats: bool,

    /// Which earlier occurrence of a phrase is its source
    #[arg(long, value_parser = one_of(Source::ALL, Source::name), default_value = "any")]
    source: Source,

    /// The engine (default: the library's choice; see `thalweg info`)
    #[arg(long, value_parser = engine_of(Engine::ALL, Engine::name))]
    engine: Option<Engine>,

    /// Do not decode the result to compare it with the text
    #[arg(long)]
    no_verify: bool,

    #[command(flatten)]
    device: DeviceArgs,

    #[command(flatten)]
    run: BareRunArgs,
}

/// Runs the command.
pub fn run(args: Args) -> Outcome {
    let mut run = args.run.start(Some(&args.device))?;
    run.progress.stage("reading");
    let text = args.text.open()?;
    run.keep(args.text.file.as_deref());
    let bytes = text.bytes();
    let out = run.bytes_output(args.out.as_deref())?;
    // At most 21 bytes a byte, the text among them; see the library.
    let each = if bytes.len() < thalweg::text::WIDE { 20 } else { 40 };
    openmp::require(bytes.len().saturating_mul(each), run.threads, &text.origin)?;

    let stages = Stages::new(&run.progress);
    let watch = |stage| stages.enter(stage);
    let builder = Builder::new().engine(args.engine).source(args.source).watch(&watch).device(args.device.open()?);
    let (factors, chosen) = builder.run(bytes)?.into_parts();
    say_chosen(&run.progress, &chosen, args.engine.is_some());
    let_go(builder);
    stages.enter_named("coding");
    let file = container::write(&factors, bytes)?;
    let times = stages.finish();

    if !args.no_verify {
        run.progress.stage("checking");
        let same = container::read(&file).map_err(|e| Failure::wrong_answer(e.to_string()))? == bytes;
        if !same {
            return Err(Failure::wrong_answer("the decoded text is another one"));
        }
    }

    let mut summary = Summary::new("lz77");
    summary.line("text", text.describe());
    summary.value("text", json!({"origin": text.origin, "bytes": bytes.len()}));
    summary.answered(&chosen, run.threads, &format!("source {}", args.source.name()));
    summary.value("source", args.source.name());
    let each = bytes.len() as f64 / factors.len().max(1) as f64;
    summary.line("phrases", format_args!("{}, {each:.2} bytes each", show_count(factors.len())));
    summary.value("phrases", factors.len());
    let share = 100.0 * file.len() as f64 / bytes.len().max(1) as f64;
    summary.line("size", format_args!("{}, {share:.1} % of the text", show_bytes(file.len() as u64)));
    summary.value("file_bytes", file.len());
    summary.stages(&times, bytes.len());
    let decoded = if args.no_verify { 0 } else { bytes.len() };
    summary.verified(decoded, bytes.len(), "byte", "decoded, the file is the text");
    if args.stats {
        statistics(&mut summary, &factors);
    }
    if let Some(mut out) = out {
        run.progress.stage("writing");
        out.write_bytes(&file)?;
        summary.written(&out.name, file.len());
        output::commit([out])?;
    }
    let stdout_taken = run.stdout_taken;
    drop(run);
    summary.print(args.run.json, stdout_taken)
}

/// Lengths and distances by powers of two.
fn statistics(summary: &mut Summary, factors: &Factors) {
    let (mut lengths, mut distances) = ([0usize; 64], [0usize; 64]);
    let (mut literals, mut longest, mut start) = (0usize, 0, 0);
    for phrase in factors {
        match phrase {
            Phrase::Literal(_) => literals += 1,
            Phrase::Copy { source, length } => {
                lengths[length.ilog2() as usize] += 1;
                distances[(start - source).ilog2() as usize] += 1;
                longest = longest.max(length);
            }
        }
        start += phrase.extent();
    }
    summary.line("literals", show_count(literals));
    summary.value("literals", literals);
    summary.line("longest", show_count(longest));
    summary.value("longest", longest);
    let last = (0..64).rfind(|&i| lengths[i] + distances[i] > 0).map_or(0, |last| last + 1);
    let rows = (0..last).map(|i| [1 << i, lengths[i], distances[i]].map(|n| show_count(n).into()).to_vec()).collect();
    summary.table(&Table::whole(vec!["from", "lengths", "distances"], rows));
    summary.value("lengths_by_power_of_two", lengths[..last].to_vec());
    summary.value("distances_by_power_of_two", distances[..last].to_vec());
}
