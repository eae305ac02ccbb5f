//! The index as an engine of the host, with the host's parents for when the device fails.

use thalweg_arrays::rmq::expect_positions;
use thalweg_core::error::{expect_len, try_filled};
use thalweg_core::{Error, Pairs, Position, PositionsMut, PositionsRef, Result};
use thalweg_trees::tree::lca::{LcaEngine, by_walking};

use super::Lca;

/// Queries of 64 bits that are cut to 32 at a time.
const PART: usize = 1 << 24;

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
    /// [`Error::Length`] if there are not as many.
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
        self.lca.batch_of_slice(&[[x as u32, y as u32]], &mut out)?;
        Ok(out[0].checked())
    }

    fn batch(&self, queries: Pairs<'_>, out: PositionsMut<'_>) -> Result<()> {
        expect_positions(queries, &out)?;
        match (queries, out) {
            (Pairs::U32(queries), PositionsMut::U32(out)) => self.lca.batch_of_slice(queries, out),
            (Pairs::U64(queries), PositionsMut::U64(out)) => {
                for (part, (queries, out)) in queries.chunks(PART).zip(out.chunks_mut(PART)).enumerate() {
                    self.wide(part * PART, queries, out)?;
                }
                Ok(())
            }
            _ => unreachable!("queries and answers have one width"),
        }
    }
}

impl WithParents<'_> {
    /// A part of a batch of 64 bits, whose first row this is. What has more than 32 bits becomes `u32::MAX`, which is no
    /// node.
    fn wide(&self, row: usize, queries: &[[u64; 2]], out: &mut [u64]) -> Result<()> {
        let node = |node: u64| u32::try_from(node).unwrap_or(u32::MAX);
        let narrow: Vec<[u32; 2]> = queries.iter().map(|pair| pair.map(node)).collect();
        let mut answers = try_filled(out.len(), 0u32, "lowest common ancestors")?;
        self.lca.batch_of_slice(&narrow, &mut answers).map_err(|error| match error {
            Error::Node { row: bad, len, .. } => {
                let [x, y] = queries[bad];
                Error::Node { row: row + bad, node: if x < len as u64 { y } else { x }, len }
            }
            other => other,
        })?;
        for (out, answer) in out.iter_mut().zip(answers) {
            *out = answer.checked().map_or(u64::NONE, |node| node as u64);
        }
        Ok(())
    }
}
