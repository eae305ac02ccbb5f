//! `thalweg-bench graph matching`: maximum matchings.

use std::hint::black_box;
use std::time::Duration;

use petgraph::graph::UnGraph;
use thalweg::Device;
use thalweg::graph::Graph;
use thalweg::graph::matching::{Builder, Engine, verify};
use thalweg_cli::failure::Outcome;
use thalweg_data::GraphKind;

use crate::bench::{Bench, Case, Common, Selection, drive, on_gpu};
use crate::cases::matching::Edges;
use crate::check;
use crate::columns::{self, table};
use crate::report::Row;
use crate::timing::time;

/// Maximum matchings: from edges, and from a graph that is there
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    common: Common,
    /// Engines to time, or all
    #[arg(long, num_args = 1.., value_delimiter = ',', default_value = "all")]
    engine: Vec<String>,
    #[command(flatten)]
    edges: Edges,
}

/// Engines and peers take part up to these numbers of vertices unless they are named: cubic and exponential ones, and a peer
/// whose time grows with the square.
const CUBIC: usize = 1 << 10;
const EXPONENTIAL: usize = 22;
const SQUARE: usize = 1 << 15;

/// Runs the benchmark.
pub fn run(args: Args) -> Outcome {
    on_gpu!(args.common, crate::gpu::matching::run(&args.common, &args.engine, args.edges));
    let selection = Selection::parse(&args.engine, Engine::ALL)?;
    drive(&MatchingBench { selection, edges: args.edges }, &args.common)
}

struct MatchingBench {
    selection: Selection<Engine>,
    edges: Edges,
}

/// Who takes part.
#[derive(Clone, Copy, PartialEq)]
enum Entrant {
    Ours(Engine),
    /// The crate `petgraph`: Gabow's algorithm of 1976, on one thread.
    Petgraph,
}

impl Entrant {
    fn name(self) -> &'static str {
        match self {
            Self::Ours(engine) => engine.name(),
            Self::Petgraph => "petgraph",
        }
    }
}

/// What is timed: from the edges, or from the graph in the form that the entrant takes.
const TASKS: [&str; 2] = ["edges", "graph"];

impl MatchingBench {
    fn entrants(&self, case: &mut Case<'_>) -> Vec<Entrant> {
        let mut entrants = Vec::new();
        for &engine in &self.selection.engines {
            let most = match engine {
                Engine::Tutte(_) => CUBIC,
                Engine::Naive => EXPONENTIAL,
                _ => usize::MAX,
            };
            if case.n > most && !self.selection.named {
                case.skip(engine.name(), "takes long (name it to wait for it)");
            } else {
                entrants.push(Entrant::Ours(engine));
            }
        }
        if case.common.peers && case.n > SQUARE {
            case.skip("petgraph", format_args!("takes minutes beyond {SQUARE} vertices"));
        } else if case.common.peers {
            entrants.push(Entrant::Petgraph);
        }
        entrants
    }

    fn case(&self, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        let edges = self.edges.of(case)?;
        let entrants = self.entrants(case);
        let graph = Graph::from_edges(&edges, Some(case.n))?;
        let expected = self.verified(case, &edges, &graph, Engine::default())?;
        let others = petgraph_of(&edges);

        let mut rows = Vec::new();
        for pool in case.pools {
            for task in TASKS {
                let timings = case.race(pool, task, entrants.len(), |i| match entrants[i] {
                    Entrant::Ours(engine) => self.ours(case, task, &edges, &graph, engine, expected),
                    Entrant::Petgraph => petgraph(case, task, &edges, &others, expected),
                })?;
                for (&entrant, timing) in entrants.iter().zip(timings) {
                    let mut row = case.row(pool, task, entrant.name()).timed(timing, edges.len());
                    row.peer = entrant == Entrant::Petgraph;
                    row.default = entrant == Entrant::Ours(Engine::default());
                    rows.push(row);
                }
            }
        }
        Ok(rows)
    }

    fn ours(
        &self,
        case: &Case<'_>,
        task: &str,
        edges: &[[u32; 2]],
        graph: &Graph,
        engine: Engine,
        expected: usize,
    ) -> Outcome<Duration> {
        let builder = Builder::new().device(Device::Cpu).engine(engine);
        let (took, found) = match task {
            "edges" => time(|| builder.matching(&Graph::from_edges(black_box(edges), Some(case.n))?)),
            _ => time(|| builder.matching(black_box(graph))),
        };
        let (who, found) = (format!("{} on {}", engine.name(), case.title()), found?);
        match verify(edges, found.partners(), found.labels()) {
            Ok(pairs) if pairs == expected => Ok(took),
            Ok(pairs) => check::wrong(&who, format_args!("{pairs} pairs, not {expected}")),
            Err(complaint) => check::wrong(&who, complaint),
        }
    }

    /// How many pairs there are, with the proof checked.
    fn verified(&self, case: &Case<'_>, edges: &[[u32; 2]], graph: &Graph, engine: Engine) -> Outcome<usize> {
        let found = Builder::new().device(Device::Cpu).engine(engine).matching(graph)?;
        match verify(edges, found.partners(), found.labels()) {
            Ok(pairs) => Ok(pairs),
            Err(complaint) => check::wrong(&format!("the default on {}", case.title()), complaint),
        }
    }
}

/// The graph as users of `petgraph` would have it.
fn petgraph_of(edges: &[[u32; 2]]) -> UnGraph<(), ()> {
    UnGraph::from_edges(edges.iter().map(|&[a, b]| (a, b)))
}

fn petgraph(
    case: &Case<'_>,
    task: &str,
    edges: &[[u32; 2]],
    graph: &UnGraph<(), ()>,
    expected: usize,
) -> Outcome<Duration> {
    let (took, pairs) = match task {
        "edges" => time(|| petgraph::algo::maximum_matching(&petgraph_of(black_box(edges))).len()),
        _ => time(|| petgraph::algo::maximum_matching(black_box(graph)).len()),
    };
    if pairs == expected {
        Ok(took)
    } else {
        check::wrong(&format!("petgraph on {}", case.title()), format_args!("{pairs} pairs, not {expected}"))
    }
}

impl Bench for MatchingBench {
    const NAME: &'static str = "graph matching";
    const SIZES: &'static [usize] = &[10_000, 1_000_000];
    const UNIT: &'static str = "ns per edge";
    /// The edges' type.
    const DTYPES: &'static [&'static str] = &["u32"];

    fn kinds() -> Vec<&'static str> {
        GraphKind::ALL.iter().map(|kind| kind.name()).collect()
    }

    fn run(&self, _dtype: &str, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        self.case(case)
    }

    fn tables(&self, rows: &[Row]) -> String {
        let columns = [
            columns::what("from"),
            columns::engine("engine"),
            columns::threads(),
            columns::ms(),
            columns::ns("ns/edge"),
            columns::versus("vs petgraph"),
        ];
        table(rows, columns).to_string()
    }

    fn panel(row: &Row) -> Option<String> {
        Some(format!("from the {}", row.what))
    }

    fn how_to_read(&self) -> String {
        "Every matching of ours was proved to be maximum; petgraph's have as many pairs. From edges: with the time to make a\n\
         graph of them. petgraph runs on one thread. Above 1x is faster than petgraph."
            .into()
    }
}
