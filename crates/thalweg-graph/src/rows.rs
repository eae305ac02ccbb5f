//! Compressed rows: whom the arcs of every vertex lead to, one vertex after the other.

/// Compressed rows, borrowed: row `v` is `targets[offsets[v]..offsets[v + 1]]`.
///
/// The offsets may be a part of those of a larger graph: they count from the beginning of `targets`, wherever the first row
/// is.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    offsets: &'a [usize],
    targets: &'a [u32],
}

impl<'a> Rows<'a> {
    /// Rows with these offsets, one more than there are rows, into the targets.
    ///
    /// # Panics
    /// If there are no offsets, or the last is beyond the targets. (Offsets that decrease make a row panic.)
    pub fn new(offsets: &'a [usize], targets: &'a [u32]) -> Self {
        assert!(offsets.last().is_some_and(|&last| last <= targets.len()), "offsets end inside the targets");
        Self { offsets, targets }
    }

    /// How many vertices there are.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many arcs there are: in an undirected graph, twice the edges.
    pub fn arcs(&self) -> usize {
        self.offsets[self.len()] - self.offsets[0]
    }

    /// The neighbours of a vertex.
    #[inline(always)]
    pub fn row(&self, v: u32) -> &'a [u32] {
        &self.targets[self.offsets[v as usize]..self.offsets[v as usize + 1]]
    }

    /// How many neighbours a vertex has.
    #[inline(always)]
    pub fn degree(&self, v: u32) -> usize {
        self.offsets[v as usize + 1] - self.offsets[v as usize]
    }

    /// The offsets.
    pub fn offsets(&self) -> &'a [usize] {
        self.offsets
    }

    /// The targets, into which the offsets point.
    pub fn targets(&self) -> &'a [u32] {
        self.targets
    }
}
