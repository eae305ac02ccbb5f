//! Maximum matchings in general graphs, on any device.
//!
//! A matching is a set of edges of which no two share a vertex; a maximum one has as many as possible. Every answer has its
//! proof: the [labels](Label) of Gallai and Edmonds, which [`verify`] checks against the edges. [`maximum_matching`] serves
//! the common case on the CPU, [`Builder`] chooses engine and device:
//!
//! | engine | idea | work | where |
//! |---|---|---|---|
//! | `forest` (default) | Karp-Sipser, then trees of alternating paths from all free vertices, with blossoms | O(n m), in practice a few passes | CPU, parts that are not connected in parallel |
//! | `tutte` | the rank of a random skew-symmetric matrix, and its inverse | O(n³) a component | CPU, all threads; GPU |
//! | `naive` | all subsets of vertices | O(2^n d) | CPU, one thread |

pub use thalweg_graph::matching::{
    Complaint, Engine, Label, Matching, NOBODY, TutteOptions, maximum_matching, maximum_matching_with, tutte, verify,
    verify_pairs,
};

use thalweg_core::{Answer, Result};
use thalweg_graph::Graph;

use crate::Device;
use crate::costs::Costs;
use crate::device::{Question, on_device, threads};
use crate::setters::setters;

/// What a maximum matching of a graph with so many vertices and edges costs: on the CPU 0.1 µs a vertex and 20 ns an edge.
/// (If its components are small, that is divided by the threads.)
pub fn costs(nodes: usize, edges: usize) -> Costs {
    let (nodes, edges) = (nodes as f64, edges as f64);
    Costs { cpu: 1e-7 * nodes + 2e-8 * edges, bytes_up: 8.0 * (nodes + edges), bytes_down: 5.0 * nodes, device: 0.0 }
}

/// What the engine `tutte` costs on a connected graph with so many vertices and edges: on the CPU 0.1 ns for n³, over the
/// threads; on a GPU 12 µs a vertex and 0.4 ps for n³, as an H200 took with 1,024 and 4,096 vertices.
pub fn costs_of_tutte(nodes: usize, edges: usize, threads: usize) -> Costs {
    let (nodes, edges) = (nodes as f64, edges as f64);
    Costs {
        cpu: 1e-10 * nodes.powi(3) / threads as f64,
        bytes_up: 4.0 * nodes + 8.0 * edges,
        bytes_down: 8.0 * nodes,
        device: 1.2e-5 * nodes + 4e-13 * nodes.powi(3),
    }
}

/// Finds maximum matchings with a choice of engine and device.
///
/// ```
/// use thalweg::graph::Graph;
/// use thalweg::graph::matching::{Builder, Engine, Label};
/// // A star with three leaves: one of them is matched.
/// let star = Graph::from_edges(&[[0u32, 1], [0, 2], [0, 3]], None)?;
/// let found = Builder::new().matching(&star)?;
/// assert_eq!((found.pairs(), found.unmatched()), (1, 2));
/// // Without the centre three odd components are left, so there cannot be more.
/// assert_eq!(found.labels(), [Label::A, Label::D, Label::D, Label::D]);
/// let same = Builder::new().engine(Engine::Naive).matching(&star)?;
/// assert_eq!(same.labels(), found.labels());
/// assert_eq!(same.chosen().engine(), "naive");
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Builder {
    engine: Option<Engine>,
    device: Device,
}

impl Builder {
    /// Default engine, [`Device::Auto`].
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Chooses the engine; `None` leaves the choice to the library.
        engine: Option<Engine>,
        /// Chooses the device.
        device: Device,
    }

    /// The engine that would run on the CPU. A GPU that is asked for has `tutte`.
    pub fn chosen_engine(&self) -> Engine {
        self.engine.unwrap_or_default()
    }

    /// A maximum matching, and its proof.
    ///
    /// # Errors
    /// [`Error::BadOption`](crate::Error::BadOption) for a graph that is too large for the engine;
    /// [`Error::NotOnDevice`](crate::Error::NotOnDevice) for an engine that GPUs do not have; those of the device.
    pub fn matching(&self, graph: &Graph) -> Result<Answer<Matching>> {
        let engine = self.chosen_engine();
        let gpu_engine = self.engine.unwrap_or(Engine::Tutte(TutteOptions::DEFAULT));
        let question = Question {
            engine: engine.name(),
            gpu_engine: gpu_engine.name(),
            asked: self.engine.is_some(),
            on_cpu: true,
            on_gpu: matches!(engine, Engine::Tutte(_)),
            costs: match engine {
                Engine::Tutte(_) => costs_of_tutte(graph.nodes(), graph.edges(), threads()),
                _ => costs(graph.nodes(), graph.edges()),
            },
        };
        on_device!(
            self.device,
            question,
            |gpu| thalweg_gpu::graph::matching::maximum_matching(gpu, graph, gpu_engine),
            || maximum_matching_with(graph, engine)
        )
    }
}
