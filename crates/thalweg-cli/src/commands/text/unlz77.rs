//! `thalweg unlz77`: a .tlz file back to its text.

use std::path::PathBuf;

use serde_json::json;
use thalweg::Error;
use thalweg::text::container::Reader;
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::input::{Bytes, name_of};
use thalweg_cli::memory;
use thalweg_cli::numbers::{counted, parse_count, show_bytes};
use thalweg_cli::output;

use super::{BareRunArgs, Stages, Summary};

/// Restore a text from a .tlz file
#[derive(clap::Args)]
pub struct Args {
    /// The file; - is standard input
    #[arg(value_name = "FILE.tlz")]
    file: PathBuf,

    /// Where the text goes; left out, the file is only checked
    #[arg(short, long, alias = "output", value_name = "FILE")]
    out: Option<PathBuf>,

    /// Refuse texts longer than this (default: what the memory can hold)
    #[arg(long, value_name = "BYTES", value_parser = parse_count)]
    max_size: Option<usize>,

    #[command(flatten)]
    run: BareRunArgs,
}

/// Runs the command.
pub fn run(args: Args) -> Outcome {
    let mut run = args.run.start(None)?;
    run.progress.stage("reading");
    let name = name_of(&args.file);
    let bytes = Bytes::open(&args.file, &name)?;
    run.keep(Some(&args.file));
    let out = run.bytes_output(args.out.as_deref())?;
    let failed = |e: Error| Failure::at(&name, e);
    let mut reader = Reader::open(bytes.get()).map_err(failed)?;
    if let Some(max) = args.max_size {
        reader = reader.max_len(max);
    }
    let head = reader.head();
    // The phrases, 8 bytes each or 16, are bounded by the file; the text only by what the head says.
    let entry = if head.text_len < thalweg::text::WIDE { 8 } else { 16 };
    let needed = head.text_len.saturating_add(head.phrases.saturating_mul(entry));
    if args.max_size.is_none_or(|max| head.text_len <= max) {
        memory::require(needed, &name)?;
    }
    let stages = Stages::new(&run.progress);
    stages.enter_named("decoding");
    let text = reader.text().map_err(failed)?;
    let times = stages.finish();

    let mut summary = Summary::new("unlz77");
    let phrases = counted(head.phrases, "phrase");
    summary.line("file", format_args!("{name}: {}, {phrases}", show_bytes(bytes.get().len() as u64)));
    summary.value("file", json!({"name": name, "bytes": bytes.get().len()}));
    summary.value("phrases", head.phrases);
    summary.line("text", format_args!("{}, checksum {:016x}, as written", counted(text.len(), "byte"), head.checksum));
    summary.value("text_bytes", text.len());
    summary.value("checksum", format!("{:016x}", head.checksum));
    summary.stages(&times, text.len());
    if let Some(mut out) = out {
        run.progress.stage("writing");
        out.write_bytes(&text)?;
        summary.written(&out.name, text.len());
        output::commit([out])?;
    }
    let stdout_taken = run.stdout_taken;
    drop(run);
    summary.print(args.run.json, stdout_taken)
}
