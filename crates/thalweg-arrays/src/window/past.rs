//! Answers that are written past the caches: long stretches of equal ones, of so many windows that the first ones are out of the caches
//! before the last ones are there. Memory is read before a part of a line is written, but not for a line that comes as a whole.
#![cfg_attr(target_arch = "x86_64", allow(unsafe_code))]

use super::lanes::{LINE, lanes};
use thalweg_core::Rank;

/// Bytes of answers from which on they go this way. Not measured: as much as a second-level cache of some cores.
const MANY: usize = 1 << 24;

/// Whether so many bytes of answers are written past the caches.
pub(super) const fn is_best(bytes: usize) -> bool {
    cfg!(target_arch = "x86_64") && bytes >= MANY
}

/// Writes one answer everywhere.
pub(super) fn fill<R: Rank>(to: &mut [R], answer: R) {
    let len = to.len();
    let mut writer = Writer::new(to, answer);
    writer.go_on(len, answer);
    writer.finish();
}

/// Writes answers from left to right, line by line.
pub(super) struct Writer<'o, R> {
    to: &'o mut [R],
    /// Elements before the first line, and those written.
    head: usize,
    done: usize,
    /// The line that is begun, and room for as much behind it.
    line: [R; 2 * LINE],
}

impl<'o, R: Rank> Writer<'o, R> {
    pub(super) fn new(to: &'o mut [R], any: R) -> Self {
        let head = to.as_ptr().align_offset(LINE).min(to.len());
        Self { to, head, done: 0, line: [any; 2 * LINE] }
    }

    /// Writes one answer up to an element, exclusive.
    #[inline]
    pub(super) fn go_on(&mut self, until: usize, answer: R) {
        let Self { to, head, done, line } = self;
        if *done < *head {
            let end = until.min(*head);
            to[*done..end].fill(answer);
            *done = end;
        }
        if *done >= until {
            return;
        }
        let begun = (*done - *head) % lanes::<R>();
        if begun > 0 {
            // What is too much is overwritten by the next answer.
            line[begun..begun + lanes::<R>()].fill(answer);
            let first = *done - begun;
            if until - first < lanes::<R>() {
                *done = until;
                return;
            }
            *done = first + lanes::<R>();
            put_lines(&mut to[first..*done], &line[..lanes::<R>()]);
        }
        line[..lanes::<R>()].fill(answer);
        let end = until - (until - *done) % lanes::<R>();
        put_lines(&mut to[*done..end], &line[..lanes::<R>()]);
        *done = until;
    }

    /// Writes the line that is begun. Whoever learns of the end sees all answers.
    pub(super) fn finish(self) {
        let Self { to, head, done, line } = self;
        let begun = done.saturating_sub(head) % lanes::<R>();
        to[done - begun..done].copy_from_slice(&line[..begun]);
        fence();
    }
}

/// Writes whole lines, all the same.
#[cfg(target_arch = "x86_64")]
#[inline]
fn put_lines<R: Rank>(to: &mut [R], line: &[R]) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};

    assert!(size_of_val(line) == LINE && size_of_val(to).is_multiple_of(LINE) && to.as_ptr().align_offset(LINE) == 0);
    let line: *const __m128i = line.as_ptr().cast();
    let lines = size_of_val(to) / LINE;
    let to: *mut __m128i = to.as_mut_ptr().cast();
    // SAFETY: a line has four of these words, all lengths are whole lines, and lines begin where such words may be written.
    unsafe {
        let words = [0, 1, 2, 3].map(|k| _mm_loadu_si128(line.add(k)));
        for i in 0..lines {
            for (k, &word) in words.iter().enumerate() {
                _mm_stream_si128(to.add(4 * i + k), word);
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn fence() {
    // SAFETY: every such machine has it.
    unsafe { std::arch::x86_64::_mm_sfence() }
}

#[cfg(not(target_arch = "x86_64"))]
fn put_lines<R: Rank>(to: &mut [R], line: &[R]) {
    to.chunks_exact_mut(line.len()).for_each(|to| to.copy_from_slice(line));
}

#[cfg(not(target_arch = "x86_64"))]
fn fence() {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stretches of every length at every place of a line, and nothing beside them.
    #[test]
    fn stretches_of_every_length() {
        fn check<R: Rank>() {
            let number = |i: usize| R::from_u64(i as u64 % 251);
            for (first, step) in (0..70).flat_map(|first| [1, 3, 16, 40, 129].map(|step| (first, step))) {
                let mut got = vec![R::WORST; first + 700];
                let mut writer = Writer::new(&mut got[first..first + 600], R::WORST);
                for (i, until) in (step..600).step_by(step).chain([600]).enumerate() {
                    writer.go_on(until, number(i));
                }
                writer.finish();
                let written = |i: usize| (first..first + 600).contains(&i);
                let same = |i: usize| got[i] == if written(i) { number((i - first) / step) } else { R::WORST };
                assert!((0..got.len()).all(same), "{first} {step}");
            }
        }
        check::<u8>();
        check::<u16>();
        check::<u32>();
        check::<u64>();
    }
}
