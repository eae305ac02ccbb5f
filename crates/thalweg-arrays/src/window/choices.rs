//! Which one of two spans had the better element, a bit each; and of these bits, afterwards, how far from its first element the best of a
//! window is.
//!
//! To take places along from join to join costs as much again as ranks do: they are compared, shifted and picked like these. To keep the
//! mask of a comparison is one instruction a row. What was chosen is told from the shortest spans to the longest ones, by 64 spans
//! at a time: the best of a span whose right half was chosen is as far in that, and so far behind. A byte holds how far, so windows have up to
//! 256 elements.
//!
//! For [`super::rows`], which make the spans, and for machines that these are for: masks are what AVX-512 compares to.
#![cfg_attr(target_arch = "x86_64", allow(unsafe_code))]
#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]

use super::lanes::{Column, LINE, Near};
use thalweg_core::{Position, dispatch};

/// The widest windows whose elements a byte can count.
pub(super) const WIDEST: usize = 1 << u8::BITS;
/// Joins of such windows at most: spans are doubled seven times, and the last one is shorter.
const MOST: usize = u8::BITS as usize;
/// Bytes before the bits of a join, for rows that come before the first one.
pub(super) const BEFORE: usize = LINE;
/// Spans behind the last one that rows and words may have.
const BEHIND: usize = 4 * LINE;

/// The choices of a stretch of windows.
#[derive(Debug, Default)]
pub(super) struct Choices {
    /// A bit for every span, of every join; how many bytes these are apart; how many spans there is room for.
    bits: Column<u8>,
    apart: usize,
    room: usize,
    /// How far behind the left span the right one was, at every join.
    distances: [usize; MOST],
    joins: usize,
    /// How far from its first element a span's best is.
    far: Column<u8>,
}

impl Choices {
    /// For so many windows of so many elements, at most.
    pub(super) fn begin(&mut self, count: usize, width: usize) {
        assert!(width <= WIDEST);
        self.room = count + width;
        let all = (self.room + BEHIND).next_multiple_of(LINE);
        self.apart = BEFORE + all / 8;
        self.bits.resize(MOST * self.apart);
        self.far.resize(all);
        self.joins = 0;
    }

    /// Bytes of it, at most, for so many elements.
    pub(super) fn bytes(elements: usize) -> usize {
        let all = elements + WIDEST + BEHIND + LINE;
        MOST * (BEFORE + all / 8) + all
    }

    /// Elements are joined with their neighbours, spans with the next ones, and so on, so many times. Where bits of the first join belong, with
    /// room [before](BEFORE) them and some behind, and how far apart those of the next ones are.
    pub(super) fn doubled(&mut self, times: u32, count: usize) -> (*mut u8, usize) {
        assert!(self.joins == 0 && count <= self.room && times as usize <= MOST);
        (0..times).for_each(|n| self.distances[n as usize] = 1 << n);
        self.joins = times as usize;
        (self.bits.as_mut_ptr(), self.apart)
    }

    /// Spans are joined with those at a distance. Where the bits of so many belong, with room for some behind.
    pub(super) fn joined(&mut self, distance: usize, count: usize) -> *mut u8 {
        assert!(count <= self.room && self.joins < MOST);
        self.distances[self.joins] = distance;
        self.joins += 1;
        self.bits[(self.joins - 1) * self.apart + BEFORE..].as_mut_ptr()
    }

    /// The places of the best of the first spans, counted from the first one's first element.
    pub(super) fn near(&mut self, places: &mut [Near]) {
        near(self.far(places.len()), places);
    }

    /// The same, of windows, counted so that the first one's is `base`, to where they are asked for. The first so many places are before the array,
    /// and stand for its first element's.
    pub(super) fn put<P: Position>(&mut self, base: isize, before: usize, places: &mut [P]) {
        let far = self.far(places.len());
        for (i, far) in far[..before.min(places.len())].iter_mut().enumerate() {
            // A window has an element of the array, so these are no more than it is wide.
            *far = (*far).max((before - i) as u8);
        }
        put(far, base, places);
    }

    /// How far the best of each of the first spans is.
    fn far(&mut self, count: usize) -> &mut [u8] {
        let behind: usize = self.distances[..self.joins].iter().sum();
        assert!(count + behind <= self.room);
        // What is not told yet is as far as its first element.
        if self.joins == 0 {
            self.far[..count].fill(0);
        }
        let mut needed = count + behind;
        for (n, &distance) in self.distances[..self.joins].iter().enumerate() {
            needed -= distance;
            let bits = &self.bits[n * self.apart + BEFORE..(n + 1) * self.apart];
            avx512::choose(bits, &mut self.far, distance, needed, n == 0);
        }
        &mut self.far[..count]
    }
}

/// Never called: there are no spans from registers.
#[cfg(not(target_arch = "x86_64"))]
mod avx512 {
    pub(super) fn choose(_: &[u8], _: &mut [u8], _: usize, _: usize, _: bool) {
        unreachable!("there are no such registers");
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use super::LINE;
    use thalweg_core::simd::Level;

    /// Of the first `count` spans of a join: a span's best is as far as in the right one, and the distance, where its bit is set. Before the
    /// first join all are at their first element, whatever stands there.
    pub(super) fn choose(bits: &[u8], far: &mut [u8], distance: usize, count: usize, first: bool) {
        assert!(bits.len() >= count.div_ceil(LINE) * 8 && far.len() >= count.next_multiple_of(LINE) + distance);
        assert!(Level::best() == Level::Avx512);
        // SAFETY: the machine has all features, and lengths are right.
        unsafe {
            if first { spans::<true>(bits, far, distance, count) } else { spans::<false>(bits, far, distance, count) }
        }
    }

    /// # Safety
    /// The machine has AVX-512; bits can be read for whole words, and bytes so far behind.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    unsafe fn spans<const FIRST: bool>(bits: &[u8], far: &mut [u8], distance: usize, count: usize) {
        let (bits, far) = (bits.as_ptr().cast::<u64>(), far.as_mut_ptr());
        let step = _mm512_set1_epi8(distance as i8);
        for n in 0..count.div_ceil(LINE) {
            // SAFETY: by the caller. What is read behind was not written yet.
            unsafe {
                let takes = bits.add(n).read_unaligned();
                let to = far.add(n * LINE);
                let told = if FIRST {
                    _mm512_maskz_mov_epi8(takes, step)
                } else {
                    let right = _mm512_add_epi8(_mm512_loadu_si512(to.add(distance).cast()), step);
                    _mm512_mask_blend_epi8(takes, _mm512_loadu_si512(to.cast()), right)
                };
                _mm512_storeu_si512(to.cast(), told);
            }
        }
    }
}

#[inline(always)]
fn near_body(far: &[u8], places: &mut [Near]) {
    for (i, (place, &far)) in places.iter_mut().zip(far).enumerate() {
        *place = i as Near + Near::from(far);
    }
}

dispatch! {
    fn near<>(far: &[u8], places: &mut [Near]) = near_body;
}

/// Line by line, in which 32 bits count: if 64 did, as many instructions again would make places of 32 bits of them.
#[inline(always)]
fn put_body<P: Position>(far: &[u8], base: isize, places: &mut [P]) {
    let count = places.len();
    let (lines, rest) = places.as_chunks_mut::<LINE>();
    let (far_lines, far_rest) = far[..count].as_chunks::<LINE>();
    let line = |places: &mut [P], far: &[u8], first: usize| {
        for (i, (place, &far)) in (0u32..).zip(places.iter_mut().zip(far)) {
            *place = P::new(first.wrapping_add((i + u32::from(far)) as usize));
        }
    };
    for (n, (places, far)) in lines.iter_mut().zip(far_lines).enumerate() {
        line(places, far, (n * LINE).wrapping_add_signed(base));
    }
    line(rest, far_rest, (count - far_rest.len()).wrapping_add_signed(base));
}

dispatch! {
    fn put<P: Position>(far: &[u8], base: isize, places: &mut [P]) = put_body::<P>;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Also where the last line is not whole.
    #[test]
    fn places_are_counted_from_the_first_window_s() {
        fn check<P: Position>(base: isize) {
            for count in [0, 1, LINE - 1, LINE, LINE + 1, 5 * LINE + 9] {
                let far: Vec<u8> = (0..count + 3).map(|i| (i * 7 % 251) as u8).collect();
                let mut places = vec![P::NONE; count];
                put(&far, base, &mut places);
                let expected = |i: usize| (i + usize::from(far[i])).wrapping_add_signed(base);
                assert!((0..count).all(|i| places[i].get() == expected(i)), "{count} {base}");
            }
        }
        for base in [0, 1000, 1 << 31] {
            check::<u32>(base);
            check::<u64>(base);
        }
        check::<u64>(1 << 40);
    }
}
