//! Forests, walked node by node.

use thalweg::Position;
use thalweg::tree::Children;
use thalweg_cli::failure::Outcome;

/// A forest as the plain walks leave it: the right answers.
pub struct Walked {
    pub children: Children<u32>,
    pub depths: Vec<u32>,
    pub order: Vec<u32>,
    pub preorder: Vec<u32>,
    pub sizes: Vec<u32>,
}

/// Depths by walking up to the first node whose depth is known, and back.
pub fn depths_by_walk(parents: &[u32]) -> Vec<u32> {
    let mut depths = vec![u32::MAX; parents.len()];
    let mut path = Vec::new();
    for v in 0..parents.len() {
        let mut at = v;
        while depths[at] == u32::MAX {
            path.push(at);
            match parents[at].checked().filter(|&up| up != at) {
                Some(up) => at = up,
                None => break,
            }
        }
        let mut depth = if depths[at] == u32::MAX { 0 } else { depths[at] + 1 };
        while let Some(at) = path.pop() {
            depths[at] = depth;
            depth += 1;
        }
    }
    depths
}

/// Order, preorder numbers and sizes, by a walk over the children in compressed rows.
pub fn tour_by_walk(parents: &[u32], children: &Children<u32>) -> [Vec<u32>; 3] {
    let n = parents.len();
    let (mut order, mut preorder, mut sizes) = (Vec::with_capacity(n), vec![0; n], vec![1; n]);
    let mut stack: Vec<u32> = children.roots().iter().rev().copied().collect();
    while let Some(v) = stack.pop() {
        preorder[v as usize] = order.len() as u32;
        order.push(v);
        stack.extend(children.of(v as usize).iter().rev());
    }
    for &v in order.iter().rev() {
        if let Some(up) = parents[v as usize].checked().filter(|&up| up != v as usize) {
            sizes[up] += sizes[v as usize];
        }
    }
    [order, preorder, sizes]
}

/// Minima of all subtrees, from the last node in preorder to the first.
pub fn minima_by_walk(parents: &[u32], order: &[u32], values: &[u32]) -> Vec<u32> {
    let mut minima = values.to_vec();
    for &v in order.iter().rev() {
        if let Some(up) = parents[v as usize].checked().filter(|&up| up != v as usize) {
            minima[up] = minima[up].min(minima[v as usize]);
        }
    }
    minima
}

impl Walked {
    /// Walks.
    pub fn new(parents: &[u32]) -> Outcome<Self> {
        let children = Children::new(parents)?;
        let [order, preorder, sizes] = tour_by_walk(parents, &children);
        Ok(Self { children, depths: depths_by_walk(parents), order, preorder, sizes })
    }

    fn contains(&self, v: u32, node: u32) -> bool {
        let first = self.preorder[v as usize];
        (first..first + self.sizes[v as usize]).contains(&self.preorder[node as usize])
    }

    /// Of some siblings, the one whose subtree a node is in.
    fn above(&self, siblings: &[u32], node: u32) -> u32 {
        let after = siblings.partition_point(|&v| self.preorder[v as usize] <= self.preorder[node as usize]);
        siblings[after - 1]
    }

    /// Whether `found` is the lowest common ancestor: it has both nodes in its subtree, and no child of it does.
    pub fn is_lca(&self, [x, y]: [u32; 2], found: u32) -> bool {
        if found == u32::MAX {
            return !self.contains(self.above(self.children.roots(), x), y);
        }
        if found as usize >= self.depths.len() || !self.contains(found, x) || !self.contains(found, y) {
            return false;
        }
        found == x || found == y || !self.contains(self.above(self.children.of(found as usize), x), y)
    }
}
