//! `thalweg sa`: the suffix array of a text.

use std::path::PathBuf;

use serde_json::json;
use thalweg::text::{Parts, Sorted, SuffixArray, SuffixBuilder};
use thalweg::{Chosen, Positions};
use thalweg_cli::budget::MemoryArgs;
use thalweg_cli::device::{DeviceArgs, let_go, say_chosen};
use thalweg_cli::dtype::DType;
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::input::text::{Text, TextArgs, excerpt};
use thalweg_cli::openmp;
use thalweg_cli::output::{self, Output};

use super::{Stages, Summary};
use crate::commands::report::{SHOWN, Table};
use crate::commands::{Run, RunArgs, in_parts};

/// Sort the suffixes of a text; common prefixes, Burrows-Wheeler transform
///
/// Without a file, makes a text and shows its first suffixes.
#[derive(clap::Args)]
#[command(mut_arg("seed", |arg| arg.conflicts_with("file")))]
pub struct Args {
    #[command(flatten)]
    text: TextArgs,

    /// Where the suffixes' positions go, in lexicographic order: int64; in a text with --fasta record:offset
    #[arg(short, long, value_name = "FILE", group = "results")]
    out: Option<PathBuf>,

    /// Where the lengths of the common prefixes of neighbours go: int64, 0 for the first
    #[arg(long, value_name = "FILE", group = "results")]
    lcp: Option<PathBuf>,

    /// Where the Burrows-Wheeler transform goes: bytes, the symbol of the whole text's row left out (the report tells
    /// where)
    #[arg(long, value_name = "FILE", group = "results")]
    bwt: Option<PathBuf>,

    #[command(flatten)]
    device: DeviceArgs,

    #[command(flatten)]
    memory: MemoryArgs,

    #[command(flatten)]
    run: RunArgs,
}

/// Runs the command.
pub fn run(args: Args) -> Outcome {
    if args.memory.is_limited() {
        return run_in_blocks(&args);
    }
    let mut run = Run::start(&args.run, Some(&args.device))?;
    run.progress.stage("reading");
    let text = args.text.open()?;
    run.keep(args.text.file.as_deref());
    let bytes = text.bytes();
    let (mut out, mut lcp_out) = (run.output(args.out.as_deref())?, run.output(args.lcp.as_deref())?);
    let mut bwt_out = run.output(args.bwt.as_deref())?;
    // Positions, and for LCP two arrays more while it is made.
    let wide = if bytes.len() < thalweg::text::WIDE { 4 } else { 8 };
    openmp::require(
        bytes.len().saturating_mul(if args.lcp.is_some() { 3 * wide } else { wide + 1 }),
        run.threads,
        &text.origin,
    )?;

    let stages = Stages::new(&run.progress);
    let watch = |stage| stages.enter(stage);
    let builder = SuffixBuilder::new().device(args.device.open()?).watch(&watch);
    let check = !args.run.verify.is_off();
    let parts = Parts { lcp: args.lcp.is_some(), bwt: args.bwt.is_some(), check };
    let (Sorted { suffixes, lcp, bwt, all_checked, .. }, chosen) = builder.build_parts(bytes, parts)?.into_parts();
    say_chosen(&run.progress, &chosen, false);
    let_go(builder);
    let times = stages.finish();

    run.progress.stage("checking");
    let verified = if all_checked && check {
        bytes.len()
    } else {
        // Without LCP nobody knows how far neighbours agree: possibly to the end of the text.
        let cost = |rank: usize| lcp.as_ref().map_or(bytes.len(), |lcp| lcp.at(rank).unwrap_or(0));
        args.run.verify.check(bytes.len(), &cost, &|rank| wrong(&suffixes, lcp.as_ref(), rank))?
    };

    let mut summary = Summary::new("sa");
    summary.line("text", text.describe());
    summary.value("text", json!({"origin": text.origin, "bytes": bytes.len()}));
    summary.answered(&chosen, run.threads, "");
    summary.stages(&times, bytes.len());
    summary.verified(verified, bytes.len(), "suffix", "in order with those before them");
    if let Some(bwt) = &bwt {
        summary.line("bwt", format_args!("the whole text is row {} of the sorted rotations", bwt.primary));
        summary.value("bwt_primary", bwt.primary);
    }
    let progress = &run.progress;
    for (output, list, are_places) in
        [(&mut out, Some(suffixes.positions()), text.has_records()), (&mut lcp_out, lcp.as_ref(), false)]
    {
        if let (Some(output), Some(list)) = (output, list) {
            progress.steps("writing", list.len());
            if are_places && output.is_table() {
                output.write_words(
                    list.len(),
                    &|rank| list.at(rank).map_or_else(String::new, |p| text.place(p)),
                    progress,
                )?;
            } else {
                write(output, list, progress)?;
            }
            summary.written(&output.name, list.len() * DType::I64.size());
        }
    }
    if let (Some(output), Some(bwt)) = (&mut bwt_out, &bwt) {
        output.write_bytes(&bwt.symbols)?;
        summary.written(&output.name, bwt.symbols.len());
    }
    output::commit([out, lcp_out, bwt_out].into_iter().flatten())?;
    show(&mut summary, &text, &suffixes);
    let stdout_taken = run.stdout_taken;
    drop(run);
    summary.print(args.run.json, stdout_taken)
}

/// The same with `--memory`.
fn run_in_blocks(args: &Args) -> Outcome {
    in_parts::expect_cpu(&args.device)?;
    if args.text.fasta.fasta {
        return Err(Failure::new("--fasta joins sequences in memory: not with --memory"));
    }
    let mut run = Run::start(&args.run, None)?;
    run.progress.stage("reading");
    let text = args.text.open()?;
    if args.text.file.is_none() || !(text.is_mapped() || text.bytes().is_empty()) {
        return Err(Failure::at(&text.origin, "--memory is for texts in plain files, which are used where they lie"));
    }
    run.keep(args.text.file.as_deref());
    let places = [args.out.as_deref(), args.bwt.as_deref(), args.lcp.as_deref()];
    let outputs = [run.output(places[0])?, run.output(places[1])?, run.output(places[2])?];
    let budget = args.memory.budget()?.expect("there is a limit");
    let job = in_parts::sa::Job { run: &run, budget, text: &text, verify: &args.run.verify, places };
    let done = job.solve(outputs)?;

    let mut summary = Summary::new("sa");
    summary.line("text", text.describe());
    summary.value("text", json!({"origin": text.origin, "bytes": text.bytes().len()}));
    summary.answered(&Chosen::on_cpu("libsais", "--memory is for it"), run.threads, &done.how);
    summary.stages(&done.times, text.bytes().len());
    summary.verified(done.verified, text.bytes().len(), "suffix", "in order with those before them");
    if let Some(primary) = done.primary {
        summary.line("bwt", format_args!("the whole text is row {primary} of the sorted rotations"));
        summary.value("bwt_primary", primary);
    }
    summary.memory(&budget);
    for (output, size) in done.outputs.iter().zip([size_of::<i64>(), 1, size_of::<i64>()]) {
        if let Some(output) = output {
            summary.written(&output.name, text.bytes().len() * size);
        }
    }
    output::commit(done.outputs.into_iter().flatten())?;
    show_first(&mut summary, &text, &done.first);
    let stdout_taken = run.stdout_taken;
    drop(run);
    summary.print(args.run.json, stdout_taken)
}

fn write(output: &mut Output, list: &Positions, progress: &thalweg_cli::progress::Progress) -> Outcome {
    match list {
        Positions::U32(list) => output.write_as(&[list.len()], list, i64::from, progress),
        Positions::U64(list) => output.write_as(&[list.len()], list, |x| x as i64, progress),
    }
}

/// Compares a suffix with the one before it.
fn wrong(suffixes: &SuffixArray<'_, u8>, lcp: Option<&Positions>, rank: usize) -> Option<String> {
    let before = suffixes.positions().at(rank.checked_sub(1)?)?;
    let here = suffixes.positions().at(rank)?;
    let (before, here) = (&suffixes.text()[before..], &suffixes.text()[here..]);
    if before >= here {
        return Some(format!("the suffixes of rank {} and {rank} are not in order", rank - 1));
    }
    let (got, want) = (lcp?.at(rank)?, before.iter().zip(here).take_while(|(x, y)| x == y).count());
    (got != want).then(|| format!("rank {rank}: {got} symbols in common, a plain scan finds {want}"))
}

/// The first few suffixes.
fn show(summary: &mut Summary, text: &Text, suffixes: &SuffixArray<'_, u8>) {
    let first: Vec<usize> = suffixes.positions().iter().take(SHOWN).flatten().collect();
    show_first(summary, text, &first);
}

fn show_first(summary: &mut Summary, text: &Text, first: &[usize]) {
    summary.value("first", first);
    let row = |&position: &usize| vec![text.place(position).into(), excerpt(&text.bytes()[position..], 60).into()];
    summary.answers(&Table::first(vec!["position", "suffix"], first.iter().map(row), text.bytes().len()));
}
