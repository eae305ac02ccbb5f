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

/// Rows that a kernel reads in one go: as many as wait on the highest level, so that each of these has a register of its own.
const GROUP: usize = 4;

/// Rows that are read before the first one is done: a level within a row waits for one, the next ones for one, two, four.
const fn delay(levels: usize, within: usize) -> usize {
    if levels <= within { levels } else { within + (1 << (levels - within)) - 1 }
}

/// How many keys must be there for so many spans: whole groups of rows.
pub(super) fn keys_read<R: Rank>(count: usize, span: usize) -> usize {
    let (rows, waiting) = (count.div_ceil(lanes::<R>()), delay(span.ilog2() as usize, lanes::<R>().ilog2() as usize));
    (rows + waiting).next_multiple_of(GROUP) * lanes::<R>()
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
        self.check(ranks);
        avx512::find(self, ranks, choices);
    }

    /// The same of floats, by what they are instead of ranks, which takes a third of the instructions; for [`join`] with `floats`. Whether that was
    /// right: there is no NaN among them, which is neither better nor worse than another float, and the processor compares all numbers.
    pub(super) fn find_floats(&self, floats: &mut [R], choices: &mut Choices) -> bool {
        self.check(floats);
        self.order.float && avx512::compares_all_floats() && avx512::find_floats(self, floats, choices)
    }

    fn check(&self, ranks: &[R]) {
        let room = self.count.next_multiple_of(lanes::<R>());
        assert!(are_at::<R>(Level::best()) && self.span.is_power_of_two() && self.span <= longest::<R>());
        assert!(self.keys.len() >= keys_read::<R>(self.count, self.span) && ranks.len() >= room);
    }
}

/// Spans that are longer by `distance`: of the first `count` ranks, or `floats`, each is joined with the one so far behind it. Of the last ones,
/// windows, nobody asks for ranks.
pub(super) fn join<R: Rank>(
    ranks: &mut [R],
    floats: bool,
    distance: usize,
    count: usize,
    choices: &mut Choices,
    last: bool,
) {
    assert!(are_at::<R>(Level::best()) && ranks.len() >= count.next_multiple_of(lanes::<R>()) + distance);
    avx512::join(ranks, floats, distance, count, choices, last);
}

/// Never called: no level is that of [`are_at`].
#[cfg(not(target_arch = "x86_64"))]
mod avx512 {
    use super::super::choices::Choices;
    use super::Spans;

    pub(super) fn find<R>(_: &Spans<'_, R>, _: &mut [R], _: Option<&mut Choices>) {
        unreachable!("there are no such registers");
    }

    pub(super) fn find_floats<R>(_: &Spans<'_, R>, _: &mut [R], _: &mut Choices) -> bool {
        unreachable!("there are no such registers");
    }

    pub(super) fn compares_all_floats() -> bool {
        unreachable!("there are no such registers");
    }

    pub(super) fn join<R>(_: &mut [R], _: bool, _: usize, _: usize, _: &mut Choices, _: bool) {
        unreachable!("there are no such registers");
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use super::super::choices::{BEFORE, Choices};
    use super::super::task::AHEAD;
    use super::{GROUP, Spans, delay, lanes};
    use thalweg_core::Rank;
    use thalweg_core::simd::prefetch_line;

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

    /// What [`Spans::find_floats`] does.
    pub(super) fn find_floats<R: Rank>(spans: &Spans<'_, R>, floats: &mut [R], choices: &mut Choices) -> bool {
        let levels = spans.span.ilog2();
        let to = choices.doubled(levels, spans.count);
        // SAFETY: as above.
        unsafe {
            match R::BITS {
                32 => words32::find_floats(work(spans, floats, to), levels),
                64 => words64::find_floats(work(spans, floats, to), levels),
                _ => unreachable!("no such rows"),
            }
        }
    }

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

    /// Whether a comparison of floats is one of all of them, and no more than that: not where a program has told the processor to take the smallest
    /// ones for zeros, or to stop at a NaN.
    pub(super) fn compares_all_floats() -> bool {
        const DENORMALS_ARE_ZEROS: u32 = 1 << 6;
        const NOTHING_STOPS: u32 = 0x3f << 7;
        let mut state = 0u32;
        // SAFETY: every such machine has it; it writes four bytes.
        unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut state, options(nostack, preserves_flags)) };
        state & (DENORMALS_ARE_ZEROS | NOTHING_STOPS) == NOTHING_STOPS
    }

    /// What [`super::join`] does, which has looked at lengths.
    pub(super) fn join<R: Rank>(
        ranks: &mut [R],
        floats: bool,
        distance: usize,
        count: usize,
        choices: &mut Choices,
        last: bool,
    ) {
        let (ranks, bits, rows) = (ranks.as_mut_ptr(), choices.joined(distance, count), count.div_ceil(lanes::<R>()));
        macro_rules! of {
            ($words:ident) => {
                match (floats, last) {
                    (false, false) => $words::join::<true, false>(ranks.cast(), distance, rows, bits),
                    (false, true) => $words::join::<false, false>(ranks.cast(), distance, rows, bits),
                    (true, false) => $words::join::<true, true>(ranks.cast(), distance, rows, bits),
                    (true, true) => $words::join::<false, true>(ranks.cast(), distance, rows, bits),
                }
            };
        }
        // SAFETY: as above; there is room for the bits of so many.
        unsafe {
            match R::BITS {
                32 => of!(words32),
                64 => of!(words64),
                _ => unreachable!("no such rows"),
            }
        }
    }

    /// One width's kernel, by the names of its instructions.
    macro_rules! kernel {
        ($name:ident, $word:ident, $signed:ident, $float:ident, $lanes:literal $bits:ident, levels $($level:literal)*;
         $set1:ident $cmp_eq:ident $cmp_gt:ident $cmp_lt:ident $sra:ident $align:ident $min:ident $mask_add:ident;
         $floats:ident $words:ident $cmp:ident $min_floats:ident) => {
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
                            $(($level, true) => spans::<$level, false, false>(work),
                            ($level, false) => spans::<$level, true, false>(work),)*
                            _ => unreachable!("spans are not longer"),
                        };
                    }
                }

                /// # Safety
                /// As for [`spans`].
                pub(super) unsafe fn find_floats(work: Work<$word>, levels: u32) -> bool {
                    // SAFETY: by the caller.
                    unsafe {
                        match levels {
                            $($level => spans::<$level, true, true>(work),)*
                            _ => unreachable!("spans are not longer"),
                        }
                    }
                }

                /// Which right ones are better, and the better ones, the left one on ties.
                #[inline]
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
                fn better<const FLOATS: bool>(left: __m512i, right: __m512i) -> ($bits, __m512i) {
                    if FLOATS {
                        let (left, right) = ($floats(left), $floats(right));
                        return ($cmp::<_CMP_LT_OQ>(right, left), $words($min_floats(right, left)));
                    }
                    ($cmp_lt(right, left), $min(right, left))
                }

                /// Whether all rows can be compared: there is no NaN, if `FLOATS`.
                ///
                /// # Safety
                /// The machine has AVX-512; so many rows can be written, of bits for every level too if `CHOOSE`, as [`Choices::doubled`] has
                /// room for, and as many be read as [`super::super::keys_read`] tells.
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
                unsafe fn spans<const LEVELS: usize, const CHOOSE: bool, const FLOATS: bool>(work: Work<$word>) -> bool {
                    let Work { from, ranks, choices, apart, flip, float, rows, answers, row_of_answers } = work;
                    const TOP: $word = 1 << ($word::BITS - 1);
                    // Of a float that is compared as it is, the sign.
                    let (flip, top) = ($set1((if FLOATS { flip & TOP } else { flip }) as $signed), $set1(TOP as $signed));
                    let infinity = $set1($float::INFINITY.to_bits() as $signed);
                    let (one, zero) = ($set1(1), _mm512_setzero_si512());
                    // A key's rank, as `Rank::ranked` tells it.
                    let rank = |bits: __m512i| {
                        if FLOATS || !float {
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
                    let delay = delay(LEVELS, WITHIN);
                    let (mut previous, mut nan) = (zero, 0);
                    for group in (0..rows + delay).step_by(GROUP) {
                        // SAFETY: rows that can be read, by the caller.
                        let from = unsafe { from.add(group * LANES) };
                        let answers = answers.wrapping_add(group * row_of_answers);
                        // Where the bits of the group's first row belong.
                        let choices = choices.wrapping_add(BEFORE + group * LANES / 8);
                        let mut done = [zero; GROUP];
                        macro_rules! step {
                            ($k:literal) => {
                                // SAFETY: as above.
                                let row = unsafe { from.add($k * LANES) };
                                prefetch_line(row.cast::<u8>().wrapping_add(AHEAD));
                                prefetch_line(answers.wrapping_add($k * row_of_answers));
                                // SAFETY: as above.
                                let bits = unsafe { _mm512_loadu_si512(row.cast()) };
                                if FLOATS {
                                    // Two rows at a time.
                                    if $k % 2 == 1 {
                                        nan |= $cmp::<_CMP_UNORD_Q>($floats(previous), $floats(bits));
                                    }
                                    previous = bits;
                                }
                                let mut best = rank(bits);
                                // The joined row was read so many steps before this one.
                                macro_rules! join {
                                    ($n:expr, $before:expr, $left:expr, $right:expr) => {
                                        let (takes, better) = better::<FLOATS>($left, $right);
                                        best = better;
                                        if CHOOSE {
                                            let to = choices.wrapping_add($n * apart).wrapping_add($k * LANES / 8);
                                            // SAFETY: there is room, by the caller, and before it for rows that are none.
                                            unsafe { to.wrapping_sub($before * LANES / 8).cast::<$bits>().write_unaligned(takes) };
                                        }
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
                                            let left = $waiting[$k % $waiting.len()];
                                            $waiting[$k % $waiting.len()] = best;
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
                                done[$k] = best;
                            };
                        }
                        step!(0);
                        step!(1);
                        step!(2);
                        step!(3);
                        // The first ones are no rows, nor may the last ones be.
                        let put = |k: usize| {
                            // SAFETY: a row that can be written, by the caller.
                            unsafe { _mm512_storeu_si512(ranks.add((group + k - delay) * LANES).cast(), done[k]) };
                        };
                        if group >= delay && group + GROUP <= rows + delay {
                            (0..GROUP).for_each(put);
                        } else {
                            (0..GROUP).filter(|k| (delay..rows + delay).contains(&(group + k))).for_each(put);
                        }
                    }
                    nan == 0
                }

                /// # Safety
                /// The machine has AVX-512; so many rows of bits can be written, and of ranks if `KEEP`, and ranks be read so far behind.
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
                pub(super) unsafe fn join<const KEEP: bool, const FLOATS: bool>(
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
                            let (takes, best) = better::<FLOATS>(left, right);
                            bits.add(at / 8).cast::<$bits>().write_unaligned(takes);
                            if KEEP {
                                _mm512_storeu_si512(ranks.add(at).cast(), best);
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
        _mm512_min_epu32 _mm512_mask_add_epi32;
        _mm512_castsi512_ps _mm512_castps_si512 _mm512_cmp_ps_mask _mm512_min_ps
    }

    kernel! {
        words64, u64, i64, f64, 8 u8, levels 0 1 2 3 4 5 6;
        _mm512_set1_epi64 _mm512_cmpeq_epi64_mask _mm512_cmpgt_epi64_mask _mm512_cmplt_epu64_mask _mm512_srai_epi64 _mm512_alignr_epi64
        _mm512_min_epu64 _mm512_mask_add_epi64;
        _mm512_castsi512_pd _mm512_castpd_si512 _mm512_cmp_pd_mask _mm512_min_pd
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
            for count in [1, v - 1, v, v + 1, 5 * v, bits.len() - 14 * v] {
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
                choices.begin(count, span);
                if spans.find_floats(&mut found, &mut choices) {
                    let mut by_floats = vec![0; count];
                    choices.near(&mut by_floats);
                    assert!(ranking.float && by_floats == places, "{order:?} {span}");
                } else {
                    // A NaN's rank is the worst.
                    assert!(!ranking.float || ranks[..there.len()].contains(&K::Rank::WORST), "{order:?} {span}");
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
        let numbers = odd.map(|x| if x.is_nan() { 2.5 } else { x });
        check(&(0..300).map(|i| numbers[noise(i) as usize % odd.len()]).collect::<Vec<_>>());
        check(&(0..300).map(|i| numbers[noise(i) as usize % odd.len()] as f32).collect::<Vec<_>>());
        // A NaN in every place that is read.
        for at in 0..300 {
            let one = |i: usize| if i == at { f32::NAN } else { noise(i as u64) as f32 };
            check(&(0..300).map(one).collect::<Vec<_>>());
        }
    }

    /// Where a program has told the processor to take the smallest floats for zeros, these are compared by their ranks.
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn floats_are_compared_only_where_all_are() {
        if !are_at::<u64>(Level::best()) {
            return;
        }
        let keys = thalweg_core::bits::words(&[1e-310f64; 200]);
        let spans = Spans { keys, order: Ranking::of::<f64>(Order::Min), span: 8, count: 100, answers: None };
        let find = || {
            let mut choices = Choices::default();
            choices.begin(100, 8);
            spans.find_floats(&mut [0; 104], &mut choices)
        };
        let mut usual = 0u32;
        // SAFETY: the state is what it was before anything else is done.
        let found = unsafe {
            std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut usual);
            let state = usual | 1 << 6;
            std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const state);
            let found = find();
            std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const usual);
            found
        };
        assert!(!found && find());
    }
}
