//! Columns of a matrix, a few at a time, to rows of a buffer in the cache and back.
//!
//! Neighbouring columns share cache lines, so a block of them is read and written in runs of whole lines. The buffer's rows
//! are a little longer than a power of two where the columns are one: otherwise all of them would fall to the same places of
//! the first-level cache, which has room for twelve only.
//!
//! With AVX-512 tiles are turned in registers, and matrices that no cache holds are written past the caches, without being
//! read first.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx512;

use std::ops::Range;

use thalweg_core::disjoint::Disjoint;
#[cfg(target_arch = "x86_64")]
use thalweg_core::simd::{Level, level};

/// Matrices from this many bytes on are written past the caches.
const STREAMED: usize = 1 << 25;

/// Elements of a cache line of 64 bytes.
const fn line_of<E>() -> usize {
    let elements = 64 / size_of::<E>();
    if elements == 0 { 1 } else { elements }
}

/// From row to row of the buffer, for columns of this length.
pub(super) const fn pitch<E>(len: usize) -> usize {
    if len.is_multiple_of(256) { len + line_of::<E>() } else { len }
}

/// How the columns of a matrix are cut into blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blocks {
    columns: usize,
    width: usize,
    /// Columns that are missing from the first block.
    missing: usize,
}

impl Blocks {
    /// Blocks of this width.
    pub fn new(columns: usize, width: usize) -> Self {
        Self { columns, width, missing: 0 }
    }

    /// Blocks whose runs begin with a cache line, but for the first, in a matrix that lies here. Where a block begins then
    /// depends on the address: not for work whose result could depend on its neighbours.
    pub fn aligned<E>(columns: usize, width: usize, matrix: *const E) -> Self {
        let lead = matrix.align_offset(64);
        let is_possible = width.is_multiple_of(line_of::<E>())
            && (columns * size_of::<E>()).is_multiple_of(64)
            && lead < line_of::<E>();
        Self { columns, width, missing: if is_possible && lead > 0 { width - lead } else { 0 } }
    }

    pub fn count(&self) -> usize {
        (self.columns + self.missing).div_ceil(self.width)
    }

    pub fn range(&self, block: usize) -> Range<usize> {
        let start = block * self.width;
        start.saturating_sub(self.missing)..(start + self.width - self.missing).min(self.columns)
    }
}

/// Columns of one block, and where it lies: element `i` of column `c` is at `start + i * stride + c`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub start: usize,
    pub stride: usize,
    pub len: usize,
    pub width: usize,
}

impl Block {
    fn check<E>(&self, len: usize, buffer: usize) {
        let last = self.start + (self.len - 1) * self.stride + self.width;
        assert!(self.len > 0 && last <= len && self.width <= self.stride);
        assert!(self.width * pitch::<E>(self.len) <= buffer);
    }

    /// Copies the columns to rows of the buffer.
    pub fn gather_from<E: Copy>(&self, matrix: &[E], buffer: &mut [E]) {
        // SAFETY: nobody writes to it while it is lent.
        unsafe { self.gather_at(matrix.as_ptr(), matrix.len(), buffer) };
    }

    /// Copies the columns to rows of the buffer.
    ///
    /// # Safety
    /// Nobody writes to these columns meanwhile, and they have been written before.
    pub unsafe fn gather<E: Copy>(&self, matrix: Disjoint<'_, E>, buffer: &mut [E]) {
        // SAFETY: the caller's promise.
        unsafe { self.gather_at(matrix.as_ptr(), matrix.len(), buffer) };
    }

    /// # Safety
    /// The matrix has this many elements, and nobody writes to these columns meanwhile.
    unsafe fn gather_at<E: Copy>(&self, matrix: *const E, elements: usize, buffer: &mut [E]) {
        self.check::<E>(elements, buffer.len());
        let Self { start, stride, len, width } = *self;
        let pitch = pitch::<E>(len);
        // SAFETY: checked above.
        unsafe {
            let (from, to) = (matrix.add(start), buffer.as_mut_ptr());
            let [rows, columns] = turn_tiles(from, stride, to, pitch, [len, width], false);
            turn_plainly(from, stride, to, pitch, [0..rows, columns..width]);
            turn_plainly(from, stride, to, pitch, [rows..len, 0..width]);
        }
    }

    /// Copies rows of the buffer to the columns.
    ///
    /// # Safety
    /// Nobody else touches these columns meanwhile.
    pub unsafe fn scatter<E: Copy>(&self, buffer: &[E], matrix: Disjoint<'_, E>) {
        self.check::<E>(matrix.len(), buffer.len());
        let Self { start, stride, len, width } = *self;
        let pitch = pitch::<E>(len);
        let is_streamed = matrix.len() * size_of::<E>() >= STREAMED;
        // SAFETY: checked above.
        unsafe {
            let (from, to) = (buffer.as_ptr(), matrix.as_ptr().add(start));
            let [rows, columns] = turn_tiles(from, pitch, to, stride, [width, len], is_streamed);
            turn_plainly(from, pitch, to, stride, [rows..width, 0..columns]);
            turn_plainly(from, pitch, to, stride, [0..width, columns..len]);
        }
    }
}

/// Copies what can be copied in whole tiles: this many rows and columns.
///
/// # Safety
/// Both sides are as large as that, and the target is nobody else's.
unsafe fn turn_tiles<E: Copy>(
    from: *const E,
    from_pitch: usize,
    to: *mut E,
    to_pitch: usize,
    size: [usize; 2],
    is_streamed: bool,
) -> [usize; 2] {
    #[cfg(target_arch = "x86_64")]
    if matches!(size_of::<E>(), 8 | 16) && level() == Level::Avx512 {
        let whole = size.map(|size| size / line_of::<E>() * line_of::<E>());
        let is_aligned = to.addr().is_multiple_of(64) && (to_pitch * size_of::<E>()).is_multiple_of(64);
        let store = if is_streamed && is_aligned { avx512::Store::Streamed } else { avx512::Store::Cached };
        // SAFETY: the level says so, and the caller.
        unsafe { avx512::turn(from, from_pitch, to, to_pitch, whole, store) };
        return if whole.contains(&0) { [0, 0] } else { whole };
    }
    let _ = (from, from_pitch, to, to_pitch, size, is_streamed);
    [0, 0]
}

/// Copies `rows` of `columns` to columns, a line's worth of the target at a time.
///
/// # Safety
/// As [`turn_tiles`].
unsafe fn turn_plainly<E: Copy>(
    from: *const E,
    from_pitch: usize,
    to: *mut E,
    to_pitch: usize,
    [rows, columns]: [Range<usize>; 2],
) {
    let tile = line_of::<E>();
    for row in rows.clone().step_by(tile) {
        let end = rows.end.min(row + tile);
        for column in columns.clone() {
            for row in row..end {
                // SAFETY: the caller's promise.
                unsafe { to.add(column * to_pitch + row).write(from.add(row * from_pitch + column).read()) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_core::simd::Level;

    #[test]
    fn there_and_back_at_every_level() {
        for &chosen in Level::available() {
            thalweg_core::simd::set_level(chosen).unwrap();
            there_and_back::<u64>(&|x| x);
            there_and_back::<[u64; 2]>(&|x| [x, !x]);
            there_and_back::<u32>(&|x| x as u32);
        }
        // Other tests run meanwhile; any level is right for them.
        thalweg_core::simd::set_level(Level::best()).unwrap();
    }

    fn there_and_back<E: Copy + Default + PartialEq + std::fmt::Debug>(element: &dyn Fn(u64) -> E) {
        for (len, stride) in [(1, 1), (5, 3), (8, 8), (17, 20), (256, 33), (512, 16), (259, 9)] {
            let mut matrix: Vec<E> = (1..=(len * stride) as u64).map(element).collect();
            let before = matrix.clone();
            for width in 1..=stride.min(19) {
                let block = Block { start: stride - width, stride, len, width };
                let mut buffer = vec![E::default(); width * pitch::<E>(len)];
                // SAFETY: one thread.
                unsafe { block.gather(Disjoint::new(&mut matrix), &mut buffer) };
                for c in 0..width {
                    for i in 0..len {
                        assert_eq!(buffer[c * pitch::<E>(len) + i], before[block.start + i * stride + c]);
                    }
                }
                matrix.fill(E::default());
                // SAFETY: as above.
                unsafe { block.scatter(&buffer, Disjoint::new(&mut matrix)) };
                let inside = |at: usize| at % stride >= stride - width;
                assert!((0..len * stride).all(|at| matrix[at] == if inside(at) { before[at] } else { E::default() }));
                matrix.copy_from_slice(&before);
            }
        }
    }

    #[test]
    fn blocks_cover_all_columns_once_and_begin_with_lines() {
        let memory = vec![0u64; 4096];
        for (columns, width) in [(1, 1), (16, 8), (64, 16), (100, 16), (4000, 32), (7, 16), (8, 16)] {
            for offset in 0..9 {
                let matrix = memory[offset..].as_ptr();
                for blocks in [Blocks::aligned(columns, width, matrix), Blocks::new(columns, width)] {
                    let covered: Vec<usize> = (0..blocks.count()).flat_map(|block| blocks.range(block)).collect();
                    assert!(covered.into_iter().eq(0..columns), "{blocks:?}");
                }
                let blocks = Blocks::aligned(columns, width, matrix);
                if columns % 8 == 0 && width % 8 == 0 {
                    for block in 1..blocks.count() {
                        assert_eq!(memory[offset + blocks.range(block).start..].as_ptr().addr() % 64, 0);
                    }
                }
            }
        }
    }

    /// As large as the matrices that are written past the caches.
    #[test]
    fn streamed_lines_arrive() {
        let (len, stride) = (1024, STREAMED / 8 / 1024);
        let mut matrix = vec![0u64; len * stride];
        let blocks = Blocks::aligned(stride, 32, matrix.as_ptr());
        for columns in (0..blocks.count()).map(|block| blocks.range(block)) {
            let block = Block { start: columns.start, stride, len, width: columns.len() };
            let mut buffer = vec![0; block.width * pitch::<u64>(len)];
            for (c, row) in columns.zip(buffer.chunks_mut(pitch::<u64>(len))) {
                row.iter_mut().enumerate().for_each(|(i, x)| *x = (i * stride + c) as u64);
            }
            // SAFETY: one thread.
            unsafe { block.scatter(&buffer, Disjoint::new(&mut matrix)) };
        }
        assert!(matrix.into_iter().eq(0..(len * stride) as u64));
    }
}
