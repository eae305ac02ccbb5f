//! Forests: rooted trees, given by the parent of every node.
//!
//! | what | where | work |
//! |---|---|---|
//! | roots and depths, whether it is a forest at all | [`Forest`] | O(n log depth) or O(n) |
//! | the children of every node, in increasing order | [`Children`] | O(n) |
//! | preorder, postorder, levels, subtree sizes, occurrences | [`EulerTour`] | O(n) |
//! | lowest common ancestors | [`lca`] | O(n), O(1) a query |
//! | minimum, sum and size of subtrees | [`Subtrees`], [`subtree_sums`] | O(n), O(1) a query |
//! | the Cartesian tree of an array | [`Cartesian`] | O(n) |
//! | binary search trees over keys | [`SearchTree`] | O(n log n) |
//!
//! # The contract, on every device
//! - A root is its own parent, or has none ([`Position::NONE`](thalweg_core::Position::NONE)). There may be any number of
//!   trees, also none.
//! - Children are taken in increasing order and so are the roots, so preorder and everything that follows from it is
//!   unique.
//! - Results have the width of the parents. Positions are `u32` or `u64`; a tour has two places a node, so with `u32`
//!   there may be 2^31 - 1 nodes. More are [`Error::Width`](thalweg_core::Error::Width).
//! - Whether the parents make a forest is found out when a [`Forest`], an [`EulerTour`] or an [`Lca`] is made, never
//!   later: a parent that does not exist is [`Error::Link`](thalweg_core::Error::Link) of the first node that has one;
//!   else a cycle is [`Error::Cycle`](thalweg_core::Error::Cycle) of the smallest node on one. Only [`Children`] do
//!   without: rows of children say nothing of cycles.
//! - Queries by node answer `None`, in batches [`Position::NONE`](thalweg_core::Position::NONE), where there is no answer:
//!   nodes of different trees have no common ancestor. One query about a node that does not exist is `None` as well; in a
//!   batch it is [`Error::Node`](thalweg_core::Error::Node) of the first row with such a node, and the output is
//!   unspecified then.
//!
//! Roots and depths have two engines. On one thread and 2^22 nodes with shuffled numbers, pointer jumping took 63 ns a node
//! and the tour 145 on a random tree, 163 and 139 on a deep one, 207 and 154 on a path:
//!
//! | engine | idea | work | span | source |
//! |---|---|---|---|---|
//! | `pointer_jumping` (default) | everybody's link jumps over its parent, again and again | O(n log depth) | O(log depth) | JáJá 1992 |
//! | `euler_tour` | the tour's levels | O(n) | that of list ranking | Tarjan, Vishkin 1985 |
//!
//! ```
//! # use thalweg_trees as thalweg;
//! use thalweg::tree::Forest;
//! // 2 is the root of 0 and 3, 0 that of 1; 4 is alone.
//! let forest = Forest::from_parents(&[2u32, 0, 2, 2, 4])?;
//! assert_eq!(forest.roots(), [2, 2, 2, 2, 4]);
//! assert_eq!(forest.depths(), [1, 2, 0, 1, 0]);
//! assert_eq!(forest.tour()?.order(), [2, 0, 1, 3, 4]);
//! # Ok::<(), thalweg::Error>(())
//! ```

mod children;
mod euler;
mod forest;
pub mod lca;
mod nodes;
mod pointer_jumping;
mod search;
mod subtree;

pub use self::children::Children;
pub use self::euler::EulerTour;
pub use self::forest::{Engine, Forest};
#[doc(inline)]
pub use self::lca::Lca;
pub use self::search::{Reports, SearchTree};
pub use self::subtree::{Subtrees, subtree_sums};
pub use thalweg_arrays::Cartesian;
