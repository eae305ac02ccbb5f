//! `thalweg matching`: a maximum matching of a graph, and its proof.

use std::path::PathBuf;

use serde_json::{Value, json};
use thalweg::graph::Graph;
use thalweg::graph::matching::{Builder, Engine, Label, Matching, NOBODY, verify_pairs};
use thalweg_cli::choice::engine_of;
use thalweg_cli::device::{DeviceArgs, let_go, say_chosen};
use thalweg_cli::dtype::DType;
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::input::edges::EdgeArgs;
use thalweg_cli::numbers::{counted, show_count, show_each, show_seconds};
use thalweg_cli::output::{self, Output};
use thalweg_cli::progress::Progress;

use super::report::{Table, timed};
use super::summary::Summary;
use super::{Run, RunArgs};

/// Find a maximum matching of a graph: as many edges as possible of which no two share a vertex
///
/// With it comes a proof that there is no larger one, which is checked. Without files, makes a graph and shows what the
/// engine does with it.
#[derive(clap::Args)]
#[command(mut_arg("dtype", |arg| arg.requires("edges").conflicts_with_all(["edge_count", "kind"])), mut_arg("seed", |arg| arg.conflicts_with("edges")), after_help = "Files are .npy if their name ends so or their content says so, otherwise raw little-endian \
    binary; - is standard input or output. Loops and repeated edges are ignored and counted. The certificate has the labels \
    of Gallai and Edmonds: 2 for D, whom some maximum matching leaves alone; 1 for A, the others beside D; 0 for C, the \
    rest. Without A, every component of D is odd, so at most |A| of them are matched to the outside. The proof is checked \
    as a whole unless --no-verify is given. The report goes to stdout, or to stderr if a result does.")]
pub struct Args {
    /// Where the partners go: int64, every vertex's partner, -1 for none
    #[arg(short, long, value_name = "FILE", group = "results")]
    out: Option<PathBuf>,

    /// Where the proof goes: uint8, every vertex's label
    #[arg(long, value_name = "FILE", group = "results")]
    certificate: Option<PathBuf>,

    /// Fail with exit code 1 if a vertex stays without a partner; the certificate proves that one must
    #[arg(long)]
    perfect: bool,

    /// The engine (default: the library's choice; see `thalweg info`)
    #[arg(long, value_parser = engine_of(Engine::ALL, Engine::name))]
    engine: Option<Engine>,

    #[command(flatten)]
    edges: EdgeArgs,

    #[command(flatten)]
    device: DeviceArgs,

    #[command(flatten)]
    run: RunArgs,
}

/// Runs the command.
pub fn run(args: Args) -> Outcome {
    if args.run.verify.is_asked_for() {
        return Err(Failure::at("--verify", "there is no sample to choose: the whole proof is checked"));
    }
    let mut run = Run::start(&args.run, Some(&args.device))?;
    run.progress.stage("reading");
    let input = args.edges.open()?;
    let out = run.output(args.out.as_deref())?;
    let certificate = run.output(args.certificate.as_deref())?;
    let edges = input.get()?;
    run.progress.say(format_args!("edges: {}", input.describe(edges.is_in_place())));

    let builder = Builder::new().engine(args.engine).device(args.device.open()?);
    run.progress.stage("building");
    let (graph, build) = timed(|| Graph::from_pairs(edges.pairs(), input.nodes));
    let graph = graph.map_err(|error| input.failure(error))?;
    run.progress.stage("answering");
    let (found, time) = timed(|| builder.matching(&graph));
    let (found, chosen) = found?.into_parts();
    say_chosen(&run.progress, &chosen, args.engine.is_some());
    let_go(builder);

    run.progress.stage("checking");
    if !args.run.verify.is_off() {
        verify_pairs(edges.pairs(), found.partners(), found.labels())
            .map_err(|complaint| Failure::wrong_answer(format_args!("engine {}: {complaint}", chosen.engine())))?;
    }

    let mut summary = Summary::new("matching");
    let (nodes, ignored) = (graph.nodes(), graph.self_loops() + graph.repeated_edges());
    let size = format!("{}, {}", counted(nodes, "vertex"), counted(graph.edges(), "edge"));
    summary.line("graph", format_args!("{size} ({})", input.origin()));
    if ignored > 0 {
        let (loops, repeated) = (counted(graph.self_loops(), "loop"), counted(graph.repeated_edges(), "repeated edge"));
        summary.line("ignored", format_args!("{loops}, {repeated}"));
    }
    let counts = json!({"origin": input.origin(), "nodes": nodes, "edges": graph.edges(),
        "self_loops": graph.self_loops(), "repeated_edges": graph.repeated_edges()});
    summary.value("graph", counts);
    summary.answered(&chosen, run.threads, "");
    let seconds = build.as_secs_f64();
    summary.line("build", format_args!("{}, {}", show_seconds(seconds), show_each(seconds, graph.edges(), "edge")));
    summary.value("build_seconds", seconds);
    summary.speed(time, graph.edges(), "edge");
    let alone = counted(found.unmatched(), "vertex");
    let rest = if found.is_perfect() { "perfect".to_owned() } else { format!("{alone} alone") };
    summary.line("matching", format_args!("{}, {rest}", counted(found.pairs(), "pair")));
    summary.value("pairs", found.pairs());
    summary.value("unmatched", found.unmatched());
    let [c, a, d] = [Label::C, Label::A, Label::D].map(|label| found.labels().iter().filter(|&&l| l == label).count());
    let [shown_c, shown_a, shown_d] = [c, a, d].map(show_count);
    summary.line("labels", format_args!("{shown_d} D, {shown_a} A, {shown_c} C"));
    summary.value("labels", json!({"C": c, "A": a, "D": d}));
    let checked = if args.run.verify.is_off() { 0 } else { nodes };
    summary.verified(checked, nodes, "label", "they prove that no matching is larger");

    write(out, certificate, &found, &mut summary, &run.progress)?;
    summary.answers(&table(&found));
    let stdout_taken = run.stdout_taken;
    drop(run);
    summary.print(args.run.json, stdout_taken)?;
    if args.perfect && !found.is_perfect() {
        let odd = a + found.unmatched();
        let are = if odd == 1 { "is" } else { "are" };
        let without = format!("without {shown_a} of the vertices {} {are} odd", counted(odd, "component"));
        return Err(Failure::negative(format_args!("there is no perfect matching: {without}")));
    }
    Ok(())
}

/// Writes what is asked for, and lets it appear together.
fn write(
    out: Option<Output>,
    certificate: Option<Output>,
    found: &Matching,
    summary: &mut Summary,
    progress: &Progress,
) -> Outcome {
    let nodes = found.partners().len();
    let mut done = Vec::new();
    let mut note = |out: Output, dtype: DType| {
        summary.written_elements(&out.name, nodes, dtype.name());
        done.push(out);
    };
    if let Some(mut out) = out {
        progress.steps("writing", nodes);
        out.write_as(&[nodes], found.partners(), |u| if u == NOBODY { -1 } else { i64::from(u) }, progress)?;
        note(out, DType::I64);
    }
    if let Some(mut certificate) = certificate {
        progress.steps("writing", nodes);
        certificate.write_as(&[nodes], found.labels(), |label| label as u8, progress)?;
        note(certificate, DType::U8);
    }
    output::commit(done)
}

/// The first few vertices.
fn table(found: &Matching) -> Table {
    let row = |v: usize| vec![v.into(), found.partner(v).into(), Value::from(format!("{:?}", found.labels()[v]))];
    let nodes = found.partners().len();
    Table::first(vec!["vertex", "partner", "label"], (0..nodes).map(row), nodes)
}
