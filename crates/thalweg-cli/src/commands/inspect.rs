//! `thalweg inspect`: what is in the file of an index.

use std::path::PathBuf;

use serde_json::{Value, json};
use thalweg::Order;
use thalweg::rmq::file::Section;
use thalweg_cli::failure::Outcome;
use thalweg_cli::numbers::{show_bytes, show_count};

use super::query;
use super::report::{Table, timed};
use super::summary::{BareRunArgs, Summary};

/// Show what is in the file of an index, and whether it is as it was written
///
/// Exits with 2 if it is not.
#[derive(clap::Args)]
pub struct Args {
    /// The index
    #[arg(value_name = "FILE.thw")]
    index: PathBuf,

    /// Do not compare the checksums: only the header is read
    #[arg(long)]
    no_verify: bool,

    #[command(flatten)]
    run: BareRunArgs,
}

/// Runs the command.
pub fn run(args: Args) -> Outcome {
    let run = args.run.start(None)?;
    run.progress.stage("reading");
    let (stored, _) = query::open(&args.index)?;
    let header = stored.header();

    run.progress.stage("checksums");
    let check = |section: &Section| if args.no_verify { None } else { Some(stored.check(section)) };
    let (checked, time) = timed(|| header.sections.iter().map(check).collect::<Vec<_>>());
    let states: Vec<Option<bool>> = checked.iter().map(|done| done.as_ref().map(Result::is_ok)).collect();
    // The first damage there is, if any.
    let intact: thalweg::Result<()> = checked.into_iter().flatten().collect();

    let name = args.index.display().to_string();
    let mut summary = Summary::new("inspect");
    summary.line("file", format_args!("{name}: {}, version {}", show_bytes(header.file_bytes), header.version));
    summary.value("file", json!({"name": name, "bytes": header.file_bytes, "version": header.version}));
    let (best, order) = if header.order == Order::Max { ("maxima", "max") } else { ("minima", "min") };
    summary.line("array", format_args!("{} x {}", show_count(header.len), header.dtype));
    summary.value("array", json!({"count": header.len, "dtype": header.dtype}));
    let options: Vec<String> = header.options.iter().map(|(name, value)| format!(", {name} {value}")).collect();
    summary.line("engine", format_args!("{} ({best}){}", header.engine, options.concat()));
    summary.value("engine", header.engine.name());
    summary.value("order", order);
    summary.value(
        "options",
        Value::Object(header.options.iter().map(|(name, value)| (name.clone(), (*value).into())).collect()),
    );
    summary.value("position_bytes", header.position_bytes);
    summary.index_size(header);
    let text = match &intact {
        _ if args.no_verify => "not compared with the checksums".to_owned(),
        Ok(()) => format!("as written, {:.1} GB/s", header.file_bytes as f64 / 1e9 / time.as_secs_f64()),
        Err(_) => "DAMAGED".to_owned(),
    };
    summary.line("content", text);
    summary.value("intact", if args.no_verify { Value::Null } else { intact.is_ok().into() });
    summary.value("seconds", time.as_secs_f64());
    summary.table(&table(&header.sections, &states));
    let section = |(section, state): (&Section, &Option<bool>)| {
        let Section { name, element_bytes, offset, bytes, checksum, .. } = section;
        let checksum = format!("{checksum:016x}");
        json!({"name": name, "element_bytes": element_bytes, "offset": offset, "bytes": bytes, "checksum": checksum,
            "intact": state})
    };
    summary.value("sections", header.sections.iter().zip(&states).map(section).collect::<Vec<Value>>());
    drop(run);
    summary.print(args.run.json, false)?;
    Ok(intact?)
}

fn table(sections: &[Section], states: &[Option<bool>]) -> Table {
    let row = |(section, state): (&Section, &Option<bool>)| {
        let state = match state {
            Some(true) => "ok",
            Some(false) => "BAD",
            None => "not checked",
        };
        let elements = section.bytes / u64::from(section.element_bytes.max(1));
        vec![
            section.name.clone().into(),
            show_count(elements as usize).into(),
            format!("{} B", section.element_bytes).into(),
            show_count(section.offset as usize).into(),
            show_bytes(section.bytes).into(),
            format!("{:016x}", section.checksum).into(),
            state.into(),
        ]
    };
    let columns = vec!["section", "elements", "each", "offset", "size", "checksum", "state"];
    Table::whole(columns, sections.iter().zip(states).map(row).collect())
}
