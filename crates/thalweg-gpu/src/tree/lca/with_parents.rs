//! The index as an engine of the host, with the host's parents for when the device fails.

use thalweg_arrays::rmq::expect_positions;
use thalweg_core::error::expect_len;
use thalweg_core::{Pairs, Position, PositionsMut, PositionsRef, Result};
use thalweg_trees::tree::lca::{LcaEngine, by_walking};

use super::Lca;

impl Lca {
    /// An engine of the host, with the parents that the index was built from: single queries are answered from them should
    /// the device fail.
    ///
    /// ```no_run
    /// use thalweg_gpu::tree;
    /// use thalweg_trees::tree::Lca;
    /// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
    /// let parents = [0u32, 0, 0];
    /// let engine = tree::Lca::new(&device.upload(&parents)?)?.with_parents(&parents)?;
    /// let chosen = thalweg_core::Chosen::on_device(device.name(), engine.name(), "an example");
    /// assert_eq!(Lca::<u32>::from_engine(engine, chosen).ask(1, 2), Some(0));
    /// # Ok::<(), thalweg_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Length`](thalweg_core::Error::Length) if there are not as many.
    pub fn with_parents<'a, P: Position>(self, parents: &'a [P]) -> Result<Box<dyn LcaEngine + 'a>> {
        expect_len("parents", parents.len(), self.len())?;
        Ok(Box::new(WithParents { lca: self, parents: P::view(parents) }))
    }
}

#[derive(Debug)]
struct WithParents<'a> {
    lca: Lca,
    parents: PositionsRef<'a>,
}

impl LcaEngine for WithParents<'_> {
    fn name(&self) -> &'static str {
        self.lca.engine()
    }

    fn len(&self) -> usize {
        self.lca.len()
    }

    fn extra_bytes(&self) -> usize {
        self.lca.device_bytes()
    }

    fn ask(&self, x: usize, y: usize) -> Option<usize> {
        self.try_ask(x, y).unwrap_or_else(|_| match self.parents {
            PositionsRef::U32(parents) => by_walking(parents, x, y),
            PositionsRef::U64(parents) => by_walking(parents, x, y),
        })
    }

    fn try_ask(&self, x: usize, y: usize) -> Result<Option<usize>> {
        let mut out = [0];
        self.lca.streamed(&[[x as u64, y as u64]], &mut out)?;
        Ok(out[0].checked())
    }

    fn batch(&self, queries: Pairs<'_>, out: PositionsMut<'_>) -> Result<()> {
        expect_positions(queries, &out)?;
        match (queries, out) {
            (Pairs::U32(queries), PositionsMut::U32(out)) => self.lca.streamed(queries, out),
            (Pairs::U64(queries), PositionsMut::U64(out)) => self.lca.streamed(queries, out),
            _ => unreachable!("queries and answers have one width"),
        }
    }
}
