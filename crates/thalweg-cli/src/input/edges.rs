//! Graphs: edges from a file of any integer type, or generated.

use std::path::PathBuf;

use thalweg::{Error, Pairs, Position};
use thalweg_data::GraphKind;

use super::Loaded;
use super::queries::{Batch, Words, all_pairs};
use crate::choice::one_of;
use crate::dtype::DType;
use crate::failure::{Failure, Outcome};
use crate::memory;
use crate::numbers::{parse_count, show_count};

/// Where the graph comes from
#[derive(clap::Args)]
#[command(next_help_heading = "Graph")]
pub struct EdgeArgs {
    /// The edges, pairs of vertices from 0: integers of shape (m, 2); generated if left out
    #[arg(long, value_name = "FILE")]
    pub edges: Option<PathBuf>,

    /// Number of vertices (default: as the largest number in the file tells; 2^20 if generated)
    #[arg(long, value_name = "N", value_parser = parse_count)]
    pub nodes: Option<usize>,

    /// Type of raw edges: pairs of this in a file that is not .npy
    #[arg(long, value_name = "TYPE", value_parser = DType::from_option, default_value = "i64")]
    pub dtype: DType,

    #[command(flatten)]
    generated: GeneratedArgs,

    /// Seed of everything that is generated
    #[arg(long, default_value_t = 7)]
    pub seed: u64,
}

/// What graph to generate.
#[derive(clap::Args)]
struct GeneratedArgs {
    /// Number of edges to generate, of kinds whose shape does not tell (default: 5 a vertex)
    #[arg(long, value_name = "M", value_parser = parse_count, conflicts_with = "edges")]
    edge_count: Option<usize>,

    /// Kind of graph to generate
    #[arg(long, alias = "graph-kind", value_parser = one_of(GraphKind::ALL, GraphKind::name), default_value = "random", conflicts_with = "edges")]
    kind: GraphKind,

    /// Number the vertices of a generated graph at random
    #[arg(long, conflicts_with = "edges")]
    shuffle: bool,
}

/// Vertices that are generated unless somebody says otherwise.
const NODES: usize = 1 << 20;

/// The edges of a graph, from a file or to be generated.
pub struct Edges {
    /// How many vertices, if that was said.
    pub nodes: Option<usize>,
    source: Source,
}

enum Source {
    File(Loaded),
    Generated { wanted: Wanted, seed: u64 },
}

/// A graph to be generated.
#[derive(Clone, Copy)]
pub struct Wanted {
    /// What it looks like.
    pub kind: GraphKind,
    /// How many vertices.
    pub nodes: usize,
    /// How many edges, if that was said.
    pub edges: Option<usize>,
    /// Whether the vertices are numbered at random.
    pub shuffle: bool,
}

impl EdgeArgs {
    /// Opens the file, or notes what to generate.
    pub fn open(&self) -> Outcome<Edges> {
        let Some(path) = &self.edges else {
            let GeneratedArgs { edge_count, kind, shuffle } = self.generated;
            let nodes = self.nodes.unwrap_or(NODES);
            let wanted = Wanted { kind, nodes, edges: edge_count, shuffle };
            return Ok(Edges { nodes: Some(nodes), source: Source::Generated { wanted, seed: self.seed } });
        };
        Ok(Edges { nodes: self.nodes, source: Source::File(Loaded::open(path, Some(self.dtype), 2)?) })
    }
}

impl Edges {
    /// The edges: in place, converted, or generated now.
    pub fn get(&self) -> Outcome<Batch<'_>> {
        match &self.source {
            Source::File(file) => {
                all_pairs(file, &Words { what: "edges", shape: "(m, 2)", ends: ["vertex", "vertex"] })
            }
            Source::Generated { wanted, seed } if u32::fits(wanted.nodes) => {
                Ok(Batch::U32(generate(*wanted, *seed)?.into()))
            }
            Source::Generated { wanted, seed } => Ok(Batch::U64(generate(*wanted, *seed)?.into())),
        }
    }

    /// The file's name, or the kind that is generated.
    pub fn origin(&self) -> String {
        match &self.source {
            Source::File(file) => file.name.clone(),
            Source::Generated { wanted, seed } => {
                let order = if wanted.shuffle { ", shuffled" } else { "" };
                format!("{}{order}, seed {seed}", wanted.kind.name())
            }
        }
    }

    /// What they are and how they were taken, for `--verbose`. `in_place`: used where they lie.
    pub fn describe(&self, in_place: bool) -> String {
        match &self.source {
            Source::File(file) => file.describe(in_place),
            Source::Generated { wanted, .. } => {
                format!("no --edges, so a graph of {} vertices is generated", show_count(wanted.nodes))
            }
        }
    }

    /// Puts the file's name in front of what the library says of the edges.
    pub fn failure(&self, error: Error) -> Failure {
        match (&self.source, error) {
            (Source::File(file), Error::Edge { row, node, len }) => {
                let limit = if self.nodes.is_some() { "--nodes says" } else { "at most" };
                file.failure(format_args!("{}: there is no vertex {node}, {limit} {len}", file.place(row)))
            }
            (_, error) => error.into(),
        }
    }
}

impl Batch<'_> {
    /// The pairs in their width.
    pub fn pairs(&self) -> Pairs<'_> {
        match self {
            Self::U32(pairs) => Pairs::U32(pairs),
            Self::U64(pairs) => Pairs::U64(pairs),
        }
    }
}

/// The edges of a graph of a kind, if there is memory for them.
pub fn generate<P: Position>(wanted: Wanted, seed: u64) -> Outcome<Vec<[P; 2]>> {
    let Wanted { kind, nodes, edges, shuffle } = wanted;
    let count = match (kind.edges(nodes), edges) {
        (Some(_), Some(_)) => {
            return Err(Failure::new(format_args!(
                "a graph of kind {} has as many edges as its shape says",
                kind.name()
            )));
        }
        (Some(count), None) => count,
        (None, edges) => edges.unwrap_or(nodes.saturating_mul(5)),
    };
    if nodes == 0 && count > 0 {
        return Err(Failure::new("a graph without vertices has no edges"));
    }
    let each = 2 * size_of::<P>() * if shuffle { 2 } else { 1 };
    memory::require(count.saturating_mul(each).saturating_add(nodes.saturating_mul(24)), "the edges")?;
    Ok(if shuffle { kind.shuffled(nodes, count, seed) } else { kind.make(nodes, count, seed) })
}
