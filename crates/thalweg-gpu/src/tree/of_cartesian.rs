//! Cartesian trees as forests.

use thalweg_core::Result;

use super::forest::Forest;
use crate::cartesian::Cartesian;

impl Cartesian {
    /// The tree as a forest of one tree, for everything else that is asked of trees.
    pub fn forest(&self) -> Result<Forest> {
        Forest::from_parents(self.parents()?)
    }
}
