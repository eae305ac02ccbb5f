//! The way into the lanes on machines whose registers shift: ranks of a stretch of keys, and at once the best of the next 2, 4, 8, ...
//! elements from every one on.
//!
//! A row of [`lanes`] has spans of twice the length if it takes the better ones of its own and of the same shifted, where the next
//! row's move up; beyond a row's length nothing is shifted any more, but taken from a row further down. So rows wait in registers
//! until others are as far, and nothing is written but the last spans, of which two, or up to four, are a window. Passes through the
//! first-level cache, which do the same by loads that straddle its lines, take half as long again (2^24 `f32` on two threads, by turns,
//! windows of 60: values 0.83 ns an element, and this way 0.46; positions 0.79 and 0.52).
//!
//! Where positions are asked for, a bit is kept of every comparison ([`super::choices`]), and nothing else goes along.
//!
//! Answers are written after that, in another pass, so the memory is asked for their places here. (To write past the caches was tried,
//! and is slower: answers must be put together first.)
//!
//! For keys of 32 and 64 bits and AVX-512, whose `valignd` shifts two registers as one; compilers do not make it of loops.
#![cfg_attr(target_arch = "x86_64", allow(unsafe_code))]

use super::choices::{self, Choices};
use super::lanes::lanes;
use super::task::{Job, Width};
use thalweg_core::Rank;
use thalweg_core::coding::Ranking;
use thalweg_core::simd::{Level, level};

/// Whether machines of a level have such registers, for keys of this width.
fn are_at<R: Rank>(level: Level) -> bool {
    cfg!(target_arch = "x86_64") && R::BITS >= 32 && level == Level::Avx512
}

/// Whether they are used.
pub(super) fn apply<R: Rank>() -> bool {
    are_at::<R>(level())
}

/// Whether these windows, if they are narrow, can go this way.
pub(super) fn apply_to<R: Width>(job: &Job<'_, R>) -> bool {
    apply::<R>() && job.plan.stride == 1
}

/// Whether it is the best one: windows are up to four spans, or not too wide for choices. Wider ones go by leaps where these are worth it.
pub(super) fn are_best<R: Width>(job: &Job<'_, R>) -> bool {
    let widest = if job.positions.is_some() { choices::WIDEST } else { 4 * longest::<R>() };
    apply_to(job) && job.plan.width <= widest
}

/// The longest spans: for the next ones, fifteen rows would wait in 32 registers.
pub(super) const fn longest<R: Rank>() -> usize {
    8 * lanes::<R>()
}

/// The spans of which windows of `width` elements are made, a power of two. Longer ones of 32 bits, whose `choices` are kept to the end, are joined
/// sooner where they lie than in registers (2^24 `f32` on two quiet cores, spans of 16, 32 and up to 128: windows of 128 take 0.41, 0.36, 0.42 ns,
/// of 200 0.46, 0.42, 0.47; `f64`, spans of 16, 32 and 64: of 100 0.67, 0.63, 0.64, of 256 0.78, 0.75, 0.71).
pub(super) fn span_of<R: Rank>(width: usize, choices: bool) -> usize {
    let longest = if choices && width <= choices::WIDEST { R::BITS as usize } else { longest::<R>() };
    longest.min(1 << width.ilog2())
}

/// How many keys must be there for so many spans: whole rows.
pub(super) fn keys_read<R: Rank>(count: usize, span: usize) -> usize {
    count.next_multiple_of(lanes::<R>()) + span.next_multiple_of(lanes::<R>())
}

/// Spans of keys.
#[derive(Debug)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
pub(super) struct Spans<'k, R> {
    /// [As many keys](keys_read) as are read.
    pub keys: &'k [R],
    pub order: Ranking<R>,
    /// Elements of a span: a power of two, [`longest`] at most.
    pub span: usize,
    /// How many there are, one from each of the first keys on.
    pub count: usize,
    /// Where answers will be written, and bytes of one; out of bounds is harmless.
    pub answers: Option<(*const u8, usize)>,
}

impl<R: Rank> Spans<'_, R> {
    /// The best rank of each, to whole rows, and the choices that led to it. Only where the machine can: the level that is used may change
    /// meanwhile.
    pub(super) fn find(&self, ranks: &mut [R], choices: Option<&mut Choices>) {
        let room = self.count.next_multiple_of(lanes::<R>());
        assert!(are_at::<R>(Level::best()) && self.span.is_power_of_two() && self.span <= longest::<R>());
        assert!(self.keys.len() >= keys_read::<R>(self.count, self.span) && ranks.len() >= room);
        avx512::find(self, ranks, choices);
    }
}

/// Spans that are longer by `distance`: of the first `count` ranks each is joined with the one so far behind it. Of the last ones, windows,
/// nobody asks for ranks.
pub(super) fn join<R: Rank>(ranks: &mut [R], distance: usize, count: usize, choices: &mut Choices, last: bool) {
    assert!(are_at::<R>(Level::best()) && ranks.len() >= count.next_multiple_of(lanes::<R>()) + distance);
    avx512::join(ranks, distance, count, choices, last);
}

/// Never called: no level is that of [`are_at`].
#[cfg(not(target_arch = "x86_64"))]
mod avx512 {
    use super::super::choices::Choices;
    use super::Spans;

    pub(super) fn find<R>(_: &Spans<'_, R>, _: &mut [R], _: Option<&mut Choices>) {
        unreachable!("there are no such registers");
    }

    pub(super) fn join<R>(_: &mut [R], _: usize, _: usize, _: &mut Choices, _: bool) {
        unreachable!("there are no such registers");
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use super::super::choices::{BEFORE, Choices};
    use super::super::task::AHEAD;
    use super::{Spans, lanes};
    use thalweg_core::Rank;

    /// What a kernel needs to know.
    #[derive(Clone, Copy)]
    struct Work<W> {
        from: *const W,
        ranks: *mut W,
        /// Bits of each join, so many bytes apart; null where nobody asks.
        choices: *mut u8,
        apart: usize,
        /// See [`Ranking`](thalweg_core::coding::Ranking).
        flip: W,
        float: bool,
        rows: usize,
        /// Where answers will be written, and bytes of a row's.
        answers: *const u8,
        row_of_answers: usize,
    }

    /// What [`Spans::find`] does, which has looked at lengths.
    pub(super) fn find<R: Rank>(spans: &Spans<'_, R>, ranks: &mut [R], choices: Option<&mut Choices>) {
        fn work<R: Rank, W: Rank>(spans: &Spans<'_, R>, ranks: &mut [R], choices: (*mut u8, usize)) -> Work<W> {
            let (answers, bytes) = spans.answers.unwrap_or((std::ptr::null(), 0));
            Work {
                from: spans.keys.as_ptr().cast(),
                ranks: ranks.as_mut_ptr().cast(),
                choices: choices.0,
                apart: choices.1,
                flip: W::from_u64(spans.order.flip.to_u64()),
                float: spans.order.float,
                rows: spans.count.div_ceil(lanes::<R>()),
                answers,
                row_of_answers: bytes * lanes::<R>(),
            }
        }
        let levels = spans.span.ilog2();
        let to = choices.map_or((std::ptr::null_mut(), 0), |choices| choices.doubled(levels, spans.count));
        // SAFETY: the machine has all features, words have the keys' width, and lengths are right, as the caller has seen.
        unsafe {
            match R::BITS {
                32 => words32::find(work(spans, ranks, to), levels),
                64 => words64::find(work(spans, ranks, to), levels),
                _ => unreachable!("no such rows"),
            }
        }
    }

    /// What [`super::join`] does, which has looked at lengths.
    pub(super) fn join<R: Rank>(ranks: &mut [R], distance: usize, count: usize, choices: &mut Choices, last: bool) {
        let (ranks, bits, rows) = (ranks.as_mut_ptr(), choices.joined(distance, count), count.div_ceil(lanes::<R>()));
        // SAFETY: as above; there is room for the bits of so many.
        unsafe {
            match (R::BITS, last) {
                (32, false) => words32::join::<true>(ranks.cast(), distance, rows, bits),
                (32, true) => words32::join::<false>(ranks.cast(), distance, rows, bits),
                (64, false) => words64::join::<true>(ranks.cast(), distance, rows, bits),
                (64, true) => words64::join::<false>(ranks.cast(), distance, rows, bits),
                _ => unreachable!("no such rows"),
            }
        }
    }

    /// One width's kernel, by the names of its instructions.
    macro_rules! kernel {
        ($name:ident, $word:ident, $signed:ident, $float:ident, $lanes:literal $bits:ident, levels $($level:literal)*;
         $set1:ident $cmp_eq:ident $cmp_gt:ident $cmp_lt:ident $sra:ident $align:ident $min:ident $blend:ident $mask_add:ident) => {
            mod $name {
                use super::*;

                const LANES: usize = $lanes;
                /// Levels at which a row is joined with the next one, shifted; then with one that is further down.
                const WITHIN: usize = LANES.ilog2() as usize;

                /// # Safety
                /// As for [`spans`].
                pub(super) unsafe fn find(work: Work<$word>, levels: u32) {
                    // SAFETY: by the caller.
                    unsafe {
                        match (levels, work.choices.is_null()) {
                            $(($level, true) => spans::<$level, false>(work),
                            ($level, false) => spans::<$level, true>(work),)*
                            _ => unreachable!("spans are not longer"),
                        }
                    }
                }

                /// # Safety
                /// The machine has AVX-512; so many rows can be written, of bits for every level too if `CHOOSE`, as [`Choices::doubled`] has
                /// room for, and as many rows more be read as a span has.
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
                unsafe fn spans<const LEVELS: usize, const CHOOSE: bool>(work: Work<$word>) {
                    let Work { from, ranks, choices, apart, float, rows, answers, row_of_answers, .. } = work;
                    const TOP: $word = 1 << ($word::BITS - 1);
                    let (flip, top) = ($set1(work.flip as $signed), $set1(TOP as $signed));
                    let infinity = $set1($float::INFINITY.to_bits() as $signed);
                    let (one, zero) = ($set1(1), _mm512_setzero_si512());
                    // A key's rank, as `Rank::ranked` tells it.
                    let rank = |bits: __m512i| {
                        if !float {
                            return _mm512_xor_si512(bits, flip);
                        }
                        let sign = $sra::<{ $word::BITS - 1 }>(bits);
                        // bits ^ (sign | top)
                        let ordered = _mm512_ternarylogic_epi32::<0x1e>(bits, sign, top);
                        let ordered = $mask_add(ordered, $cmp_eq(bits, top), ordered, one);
                        let nan = $cmp_gt(_mm512_andnot_si512(top, bits), infinity);
                        $mask_add(_mm512_xor_si512(ordered, flip), nan, _mm512_set1_epi64(-1), zero)
                    };
                    // The rows that wait at every level.
                    let mut within = [zero; WITHIN];
                    let (mut first, mut second, mut fourth) = ([zero; 1], [zero; 2], [zero; 4]);
                    // A row is done when as many more have been read.
                    let delay = LEVELS.min(WITHIN) + (1 << LEVELS.saturating_sub(WITHIN)) - 1;
                    let last = rows + (1usize << LEVELS).div_ceil(LANES) - 1;
                    for step in 0..rows + delay {
                        // A row behind the last is that again: what comes of it is of no use.
                        // SAFETY: rows that can be read, by the caller.
                        let row = unsafe { from.add(step.min(last) * LANES) };
                        _mm_prefetch::<_MM_HINT_T0>(row.cast::<i8>().wrapping_add(AHEAD));
                        _mm_prefetch::<_MM_HINT_T0>(answers.cast::<i8>().wrapping_add(step * row_of_answers));
                        // SAFETY: as above.
                        let mut best = rank(unsafe { _mm512_loadu_si512(row.cast()) });
                        // The left one on ties. The joined row was read so many steps before this one.
                        macro_rules! join {
                            ($n:expr, $before:expr, $left:expr, $right:expr) => {
                                let (left, right) = ($left, $right);
                                best = if CHOOSE {
                                    let takes = $cmp_lt(right, left);
                                    let at = BEFORE + step * LANES / 8 - $before * LANES / 8;
                                    // SAFETY: there is room, by the caller, and before it for rows that are none.
                                    unsafe { choices.add($n * apart + at).cast::<$bits>().write_unaligned(takes) };
                                    $blend(takes, left, right)
                                } else {
                                    $min(left, right)
                                };
                            };
                        }
                        macro_rules! shifted {
                            ($n:literal) => {
                                if $n < LEVELS && $n < WITHIN {
                                    let left = within[$n % WITHIN];
                                    within[$n % WITHIN] = best;
                                    join!($n, ($n + 1), left, $align::<{ 1 << $n }>(best, left));
                                }
                            };
                        }
                        macro_rules! further_down {
                            ($n:literal, $waiting:ident) => {
                                if WITHIN + $n < LEVELS {
                                    let left = $waiting[0];
                                    $waiting.rotate_left(1);
                                    $waiting[$waiting.len() - 1] = best;
                                    join!(WITHIN + $n, (WITHIN + (2 << $n) - 1), left, best);
                                }
                            };
                        }
                        shifted!(0);
                        shifted!(1);
                        shifted!(2);
                        shifted!(3);
                        further_down!(0, first);
                        further_down!(1, second);
                        further_down!(2, fourth);
                        if step >= delay {
                            // SAFETY: rows that can be written, by the caller.
                            unsafe { _mm512_storeu_si512(ranks.add((step - delay) * LANES).cast(), best) };
                        }
                    }
                }

                /// # Safety
                /// The machine has AVX-512; so many rows of bits can be written, and of ranks if `KEEP`, and ranks be read so far behind.
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
                pub(super) unsafe fn join<const KEEP: bool>(
                    ranks: *mut $word,
                    distance: usize,
                    rows: usize,
                    bits: *mut u8,
                ) {
                    for at in (0..rows).map(|row| row * LANES) {
                        // SAFETY: by the caller. What is read behind was not written yet.
                        unsafe {
                            let left = _mm512_loadu_si512(ranks.add(at).cast());
                            let right = _mm512_loadu_si512(ranks.add(at + distance).cast());
                            let takes = $cmp_lt(right, left);
                            bits.add(at / 8).cast::<$bits>().write_unaligned(takes);
                            if KEEP {
                                _mm512_storeu_si512(ranks.add(at).cast(), $blend(takes, left, right));
                            }
                        }
                    }
                }
            }
        };
    }

    kernel! {
        words32, u32, i32, f32, 16 u16, levels 0 1 2 3 4 5 6 7;
        _mm512_set1_epi32 _mm512_cmpeq_epi32_mask _mm512_cmpgt_epi32_mask _mm512_cmplt_epu32_mask _mm512_srai_epi32 _mm512_alignr_epi32
        _mm512_min_epu32 _mm512_mask_blend_epi32 _mm512_mask_add_epi32
    }

    kernel! {
        words64, u64, i64, f64, 8 u8, levels 0 1 2 3 4 5 6;
        _mm512_set1_epi64 _mm512_cmpeq_epi64_mask _mm512_cmpgt_epi64_mask _mm512_cmplt_epu64_mask _mm512_srai_epi64 _mm512_alignr_epi64
        _mm512_min_epu64 _mm512_mask_blend_epi64 _mm512_mask_add_epi64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::window::task::rank;
    use thalweg_core::{Key, Order};

    fn check<K: Key>(keys: &[K]) {
        if !are_at::<K::Rank>(Level::best()) {
            return;
        }
        let bits = thalweg_core::bits::words(keys);
        let v = lanes::<K::Rank>();
        for (order, levels) in [Order::Min, Order::Max]
            .into_iter()
            .flat_map(|order| (0..=longest::<K::Rank>().ilog2()).map(move |n| (order, n)))
        {
            let (span, ranking): (usize, _) = (1usize << levels, Ranking::of::<K>(order));
            let mut ranks = vec![K::Rank::WORST; bits.len()];
            rank(bits, ranking, &mut ranks);
            for count in [1, v - 1, v, v + 1, 5 * v, bits.len() - 9 * v] {
                let room = count.next_multiple_of(v);
                let (mut alone, mut found) = (vec![K::Rank::WORST; room], vec![K::Rank::WORST; room]);
                let there = &bits[..keys_read::<K::Rank>(count, span)];
                let spans = Spans { keys: there, order: ranking, span, count, answers: None };
                let (mut choices, mut places) = (Choices::default(), vec![0; count]);
                choices.begin(count, span);
                spans.find(&mut found, Some(&mut choices));
                spans.find(&mut alone, None);
                choices.near(&mut places);
                for i in 0..count {
                    let window = &ranks[i..i + span];
                    let best = *window.iter().min().expect("it is not empty");
                    let first = i + window.iter().position(|&rank| rank == best).expect("it is there");
                    assert_eq!((found[i], alone[i], places[i] as usize), (best, best, first), "{order:?} {span} {i}");
                }
            }
        }
    }

    #[test]
    fn spans_of_every_kind() {
        let noise = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 7;
        check(&(0..300).map(|i| noise(i) as u32).collect::<Vec<_>>());
        check(&(0..300).map(|i| noise(i) as i64).collect::<Vec<_>>());
        check(&(0..300).map(|i| noise(i) as i32 % 3).collect::<Vec<_>>());
        check(&(0..300).map(|i| noise(i) % 3).collect::<Vec<_>>());
        let odd = [0.0, -0.0, f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e-40, -1e-40, 3.5];
        check(&(0..300).map(|i| odd[noise(i) as usize % odd.len()]).collect::<Vec<_>>());
        check(&(0..300).map(|i| odd[noise(i) as usize % odd.len()] as f32).collect::<Vec<_>>());
        check(&(0..300).map(|i| f32::from_bits(noise(i) as u32)).collect::<Vec<_>>());
        check(&(0..300).map(|i| f64::from_bits(noise(i) << 7)).collect::<Vec<_>>());
    }
}
