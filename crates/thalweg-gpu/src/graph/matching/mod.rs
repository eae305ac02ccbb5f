//! Maximum matchings on the device.
//!
//! The [contract](thalweg_graph::matching) is that of the CPU: every answer has its proof, which the host has checked. The engine
//! is `tutte`, whose n x n matrix stays on the device: edges go there, partners come back. On a connected graph the answer is the
//! CPU's for the same seed. The other engines of the CPU are [`Error::NotOnDevice`](thalweg_core::Error::NotOnDevice).

mod tutte;

use thalweg_core::Result;
use thalweg_graph::Graph;
use thalweg_graph::matching::tutte::maximum_matching_by;
pub use thalweg_graph::matching::{Engine, Matching, TutteOptions};

use crate::device::Device;

/// A maximum matching, and its proof.
///
/// Work O(n³) for a component of n vertices; small components are put together. Memory: 4 n² bytes, which must fit one binding.
///
/// ```no_run
/// use thalweg_gpu::{Choice, Device, graph::matching::{Engine, TutteOptions, maximum_matching}};
/// use thalweg_graph::Graph;
/// let device = Device::open(&Choice::Auto)?;
/// let graph = Graph::from_edges(&[[0u32, 1], [1, 2], [2, 3]], None)?;
/// let matching = maximum_matching(&device, &graph, Engine::Tutte(TutteOptions::DEFAULT))?;
/// assert!(matching.is_perfect());
/// # Ok::<(), thalweg_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::NotOnDevice`](thalweg_core::Error::NotOnDevice) for an engine that GPUs do not have,
/// [`Error::BadOption`](thalweg_core::Error::BadOption) for a component that is too large; those of the device.
pub fn maximum_matching(device: &Device, graph: &Graph, engine: Engine) -> Result<Matching> {
    match engine {
        Engine::Tutte(options) => maximum_matching_by(graph, options, &|rows, key| tutte::round(device, rows, key)),
        other => Err(crate::not_on_gpu("matching", other.name(), "tutte")),
    }
}
