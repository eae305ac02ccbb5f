//! Forests and trees on the device.
//!
//! | what | where | work |
//! |---|---|---|
//! | roots and depths, whether it is a forest at all | [`Forest`] | O(n) |
//! | the children of every node, in increasing order | [`Children`] | O(n) a digit of a sort |
//! | preorder, postorder, levels, subtree sizes, occurrences | [`EulerTour`] | O(n) |
//! | lowest common ancestors | [`lca`] | O(n), O(1) a query |
//! | minimum, sum and size of subtrees | [`EulerTour::subtree_values`] and its siblings | O(n), O(1) a query |
//! | the Cartesian tree of an array | [`Cartesian`] | O(n) |
//!
//! The [contract](thalweg_trees::tree#the-contract-on-every-device) is that of the CPU, for nodes of 32 bits. A forest has
//! fewer than 2^31 nodes, and one with a tour at most 2^30.

mod children;
mod depths;
mod forest;
pub mod lca;
mod of_cartesian;
mod parents;
mod subtree;
mod tour;

pub use thalweg_trees::tree::Engine;

pub use self::children::Children;
pub use self::forest::{Forest, roots_and_depths};
#[doc(inline)]
pub use self::lca::Lca;
pub use self::subtree::Nodes;
pub use self::tour::EulerTour;
pub use crate::cartesian::Cartesian;
