//! Forests and trees on the device.
//!
//! A [`Forest`] is an array of parents; a root is its own parent, or has none (`u32::MAX`). From it follow [roots and
//! depths](Forest::depths), [children](Forest::children) and the [Euler tour](Forest::tour) with preorder, postorder,
//! sizes and depths.

mod children;
mod depths;
mod forest;
pub mod lca;
mod of_cartesian;
mod subtree;
mod tour;

pub use self::children::Children;
pub use self::depths::{Depths, Engine};
pub use self::forest::Forest;
pub use self::subtree::Nodes;
pub use self::tour::Tour;
pub use crate::cartesian::Cartesian;
