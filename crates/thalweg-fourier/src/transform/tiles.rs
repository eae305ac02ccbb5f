//! Columns of a matrix, a few at a time, to rows of a buffer in the cache and back.
//!
//! Neighbouring columns share cache lines, so a block of them is read in runs of whole lines. The buffer's rows are a little
//! longer than a power of two where the columns are one: otherwise all of them would fall to the same places of the
//! first-level cache, which has room for twelve only.
#![allow(unsafe_code)]

use thalweg_core::disjoint::Disjoint;

/// Columns of one block, and where it lies: element `i` of column `c` is at `start + i * stride + c`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub start: usize,
    pub stride: usize,
    pub len: usize,
    pub width: usize,
}

/// Elements of a cache line of 64 bytes.
const fn line_of<E>() -> usize {
    let elements = 64 / size_of::<E>();
    if elements == 0 { 1 } else { elements }
}

/// From row to row of the buffer, for columns of this length.
pub(super) const fn pitch<E>(len: usize) -> usize {
    if len.is_multiple_of(256) { len + line_of::<E>() } else { len }
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
    /// Nobody writes to these columns meanwhile.
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
        let tile = line_of::<E>();
        // SAFETY: checked above.
        unsafe {
            let from = matrix.add(start);
            let to = buffer.as_mut_ptr();
            let mut i = 0;
            while i + tile <= len {
                for c in 0..width {
                    let (from, to) = (from.add(i * stride + c), to.add(c * pitch + i));
                    for k in 0..tile {
                        to.add(k).write(from.add(k * stride).read());
                    }
                }
                i += tile;
            }
            for i in i..len {
                for c in 0..width {
                    to.add(c * pitch + i).write(from.add(i * stride + c).read());
                }
            }
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
        let tile = line_of::<E>();
        // SAFETY: checked above.
        unsafe {
            let from = buffer.as_ptr();
            let to = matrix.as_ptr().add(start);
            let mut i = 0;
            while i + tile <= len {
                let mut c = 0;
                while c + tile <= width {
                    for k in 0..tile {
                        let (from, to) = (from.add(c * pitch + i + k), to.add((i + k) * stride + c));
                        for e in 0..tile {
                            to.add(e).write(from.add(e * pitch).read());
                        }
                    }
                    c += tile;
                }
                for c in c..width {
                    for k in 0..tile {
                        to.add((i + k) * stride + c).write(from.add(c * pitch + i + k).read());
                    }
                }
                i += tile;
            }
            for i in i..len {
                for c in 0..width {
                    to.add(i * stride + c).write(from.add(c * pitch + i).read());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        for (len, stride) in [(1, 1), (5, 3), (8, 8), (17, 20), (256, 33), (512, 16), (259, 9)] {
            let mut matrix: Vec<u64> = (0..(len * stride) as u64).collect();
            let before = matrix.clone();
            for width in 1..=stride.min(19) {
                let block = Block { start: stride - width, stride, len, width };
                let mut buffer = vec![0; width * pitch::<u64>(len)];
                // SAFETY: one thread.
                unsafe { block.gather(Disjoint::new(&mut matrix), &mut buffer) };
                for c in 0..width {
                    for i in 0..len {
                        assert_eq!(buffer[c * pitch::<u64>(len) + i], before[block.start + i * stride + c]);
                    }
                }
                matrix.fill(0);
                // SAFETY: as above.
                unsafe { block.scatter(&buffer, Disjoint::new(&mut matrix)) };
                let inside = |at: usize| at % stride >= stride - width;
                assert!((0..len * stride).all(|at| matrix[at] == if inside(at) { before[at] } else { 0 }));
                matrix.copy_from_slice(&before);
            }
        }
    }
}
