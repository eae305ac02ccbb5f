//! Graphs to be matched.

use thalweg_cli::failure::Outcome;
use thalweg_cli::input::edges::{Wanted, generate};
use thalweg_cli::memory;
use thalweg_cli::numbers::parse_count;
use thalweg_data::GraphKind;

use crate::bench::Case;

/// What graphs to make.
#[derive(clap::Args)]
pub struct Edges {
    /// Edges a vertex, of kinds whose shape does not tell
    #[arg(long, value_parser = parse_count, default_value = "5")]
    degree: usize,
    /// Number the vertices at random
    #[arg(long)]
    shuffle: bool,
}

impl Edges {
    /// The edges of a case's graph, if there is memory for all that is done with them.
    pub fn of(&self, case: &Case<'_>) -> Outcome<Vec<[u32; 2]>> {
        let kind = GraphKind::ALL.iter().find(|kind| kind.name() == case.kind).expect("the names have been compared");
        let degree = kind.edges(case.n).is_none().then_some(self.degree.saturating_mul(case.n));
        let wanted = Wanted { kind: *kind, nodes: case.n, edges: degree, shuffle: self.shuffle };
        let edges: Vec<[u32; 2]> = generate(wanted, case.common.seed)?;
        memory::require(edges.len().saturating_mul(120), &case.title())?;
        Ok(edges)
    }
}
