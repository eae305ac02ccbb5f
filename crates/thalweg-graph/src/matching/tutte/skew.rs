//! Skew-symmetric matrices, pivoted by pairs.
//!
//! A principal pivot on the pair (p, q) of a skew-symmetric matrix replaces the 2 x 2 block by its inverse and all others by
//! their Schur complements. With r and s the rows p and q, and a = r(q), it adds
//!
//! > (s rᵀ - r sᵀ) / a, in which r(p) and s(q) are taken to be -1 instead of 0,
//!
//! to the whole matrix, the pivot's own rows and columns included: a product of two columns and two rows. So pivots wait until
//! there are many, and are then added together, tile by tile. Meanwhile a row that is asked for is computed.
//!
//! After pivots on pairs that cover a set B, the block of B is its inverse; a second pivot on a pair takes it back.

use thalweg_core::Result;
use thalweg_core::dispatch;
use thalweg_core::memory::large_zeroed;
use thalweg_core::parallel::for_each_chunk_mut;

use super::field::{PRIME, fold, invert, mul, negate, reduce};

/// Columns that are added to at a time: sums in registers.
const TILE: usize = 32;
/// Rows and columns that wait, at most: two a pivot.
const WAITING: usize = 64;
/// Rows of a task.
const ROWS: usize = 16;

/// A skew-symmetric matrix over the field. Only what is on and right of the tile on the diagonal is kept up to date.
#[derive(Debug)]
pub(super) struct Skew {
    /// How many rows there are, and how many places a row takes: whole tiles.
    size: usize,
    stride: usize,
    entries: Vec<u32>,
    /// Rows that wait to be added, each in whole tiles, and for every one of them the column that it is multiplied by.
    rows: Vec<u32>,
    columns: Vec<u32>,
    waiting: usize,
}

impl Skew {
    /// Zero.
    pub(super) fn new(size: usize) -> Result<Self> {
        let stride = size.next_multiple_of(TILE);
        Ok(Self {
            size,
            stride,
            entries: large_zeroed(size * stride, "matrix")?,
            rows: large_zeroed(WAITING * stride, "waiting rows")?,
            columns: large_zeroed(WAITING * stride, "waiting columns")?,
            waiting: 0,
        })
    }

    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Room for a row.
    pub(super) fn room(&self) -> Vec<u32> {
        vec![0; self.stride]
    }

    /// The block of some rows and their columns; nothing may wait.
    pub(super) fn block(&self, is_kept: &[bool]) -> Result<Self> {
        let kept: Vec<usize> = (0..self.size).filter(|&i| is_kept[i]).collect();
        let mut block = Self::new(kept.len())?;
        let stride = block.stride;
        for_each_chunk_mut(&mut block.entries, ROWS * stride.max(1), &|start, entries| {
            let mut row = self.room();
            for (&i, out) in kept[start / stride..].iter().zip(entries.chunks_exact_mut(stride)) {
                self.row(i, &mut row);
                out.iter_mut().zip(&kept).for_each(|(out, &j)| *out = row[j]);
            }
        });
        Ok(block)
    }

    /// Sets an entry and its mirror image; nothing may wait.
    pub(super) fn set(&mut self, i: usize, j: usize, value: u32) {
        self.entries[i * self.stride + j] = value;
        self.entries[j * self.stride + i] = negate(value);
    }

    /// Writes row `i`, as it is now, to the front of `out`.
    pub(super) fn row(&self, i: usize, out: &mut [u32]) {
        // Left of the diagonal's tile, the column above tells.
        let tile = i / TILE * TILE;
        for (j, out) in out[..tile].iter_mut().enumerate() {
            *out = negate(self.entries[j * self.stride + i]);
        }
        out[tile..self.stride].copy_from_slice(&self.entries[i * self.stride + tile..(i + 1) * self.stride]);
        let coefficients: [u32; WAITING] =
            std::array::from_fn(|k| if k < self.waiting { self.columns[k * self.stride + i] } else { 0 });
        add(&mut out[..self.stride], &self.rows, self.stride, &coefficients[..self.waiting.next_multiple_of(4)]);
    }

    /// Pivots on the pair (p, q), whose entry is not 0. `r` and `s` are rows p and q as they are now; they are overwritten.
    pub(super) fn pivot(&mut self, p: usize, q: usize, r: &mut [u32], s: &mut [u32]) {
        let inverse = invert(r[q]);
        (r[p], s[q]) = (PRIME - 1, PRIME - 1);
        for (row, column, factor) in [(&*r, &*s, inverse), (&*s, &*r, negate(inverse))] {
            let place = self.waiting * self.stride..(self.waiting + 1) * self.stride;
            self.rows[place.clone()].copy_from_slice(&row[..self.stride]);
            for (out, &entry) in self.columns[place].iter_mut().zip(column) {
                *out = mul(entry, factor);
            }
            self.waiting += 1;
        }
        if self.waiting == WAITING {
            self.flush();
        }
    }

    /// Adds what waits.
    pub(super) fn flush(&mut self) {
        let (stride, waiting) = (self.stride, self.waiting.next_multiple_of(4));
        self.waiting = 0;
        // Rows behind those that wait, up to a multiple of four, count as 0.
        let (rows, columns) = (&self.rows, &self.columns);
        for_each_chunk_mut(&mut self.entries, ROWS * stride, &|start, entries| {
            for (i, row) in (start / stride..).zip(entries.chunks_exact_mut(stride)) {
                let coefficients: [u32; WAITING] =
                    std::array::from_fn(|k| if k < waiting { columns[k * stride + i] } else { 0 });
                let tile = i / TILE * TILE;
                add(&mut row[tile..], &rows[tile..], stride, &coefficients[..waiting]);
            }
        });
        self.columns.fill(0);
    }
}

dispatch! {
    /// Adds to `out`, whole tiles, multiples of rows, which lie `stride` apart. As many coefficients as a multiple of four.
    fn add<>(out: &mut [u32], rows: &[u32], stride: usize, coefficients: &[u32]) = add_body;
}

#[inline(always)]
fn add_body(out: &mut [u32], rows: &[u32], stride: usize, coefficients: &[u32]) {
    let (tiles, _) = out.as_chunks_mut::<TILE>();
    for (at, out) in (0..).step_by(TILE).zip(tiles) {
        let mut sums = out.map(u64::from);
        for (k, four) in (0..).step_by(4).zip(coefficients.as_chunks::<4>().0) {
            let row = |i: usize| -> &[u32; TILE] {
                let start = (k + i) * stride + at;
                rows[start..start + TILE].try_into().expect("a tile")
            };
            let [a, b, c, d] = [row(0), row(1), row(2), row(3)];
            for j in 0..TILE {
                let product = |i: usize, row: &[u32; TILE]| u64::from(four[i]) * u64::from(row[j]);
                // What is folded and four products: less than 2^64, see `field`.
                sums[j] = fold(sums[j] + product(0, a) + product(1, b) + product(2, c) + product(3, d));
            }
        }
        *out = sums.map(reduce);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A matrix of small numbers, some of them 0.
    fn example(size: usize) -> Skew {
        let mut matrix = Skew::new(size).unwrap();
        for i in 0..size {
            for j in 0..i {
                matrix.set(i, j, ((i * 7 + j * 13) % 11) as u32);
            }
        }
        matrix
    }

    fn rows(matrix: &Skew) -> Vec<Vec<u32>> {
        (0..matrix.size)
            .map(|i| {
                let mut row = matrix.room();
                matrix.row(i, &mut row);
                row.truncate(matrix.size);
                row
            })
            .collect()
    }

    /// Pivots on whatever pairs there are, in order.
    fn pivot_all(matrix: &mut Skew) -> Vec<[usize; 2]> {
        let (mut r, mut s) = (matrix.room(), matrix.room());
        let mut is_done = vec![false; matrix.size];
        let mut pairs = Vec::new();
        for p in 0..matrix.size {
            matrix.row(p, &mut r);
            if let Some(q) = (p + 1..matrix.size).find(|&q| !is_done[p] && !is_done[q] && r[q] != 0) {
                matrix.row(q, &mut s);
                matrix.pivot(p, q, &mut r, &mut s);
                (is_done[p], is_done[q]) = (true, true);
                pairs.push([p, q]);
            }
        }
        pairs
    }

    #[test]
    fn pivots_on_everything_are_the_inverse() {
        for size in [2, 8, 40, 100] {
            let mut matrix = example(size);
            let before = rows(&matrix);
            let pairs = pivot_all(&mut matrix);
            assert_eq!(2 * pairs.len(), size, "the example has full rank");
            let after = rows(&matrix);
            for (i, row) in before.iter().enumerate() {
                for j in 0..size {
                    let products = row.iter().zip(&after).map(|(&entry, other)| mul(entry, other[j]));
                    let sum = products.fold(0, |sum, product| reduce(u64::from(sum) + u64::from(product)));
                    assert_eq!(sum, u32::from(i == j), "{size}: {i}, {j}");
                }
            }
        }
    }

    #[test]
    fn a_second_pivot_takes_the_first_back() {
        let mut matrix = example(50);
        let before = rows(&matrix);
        let pairs = pivot_all(&mut matrix);
        assert_ne!(rows(&matrix), before);
        let (mut r, mut s) = (matrix.room(), matrix.room());
        for &[p, q] in pairs.iter().rev() {
            matrix.row(p, &mut r);
            matrix.row(q, &mut s);
            matrix.pivot(p, q, &mut r, &mut s);
        }
        assert_eq!(rows(&matrix), before);
        matrix.flush();
        assert_eq!(rows(&matrix), before);
    }
}
