//! What all ways share: ranks in, answers out.
#![allow(unsafe_code)]

use std::ops::Range;

use super::lanes::{LINE, Pair};
use super::past;
use super::shape::Plan;
use crate::least::least_rank;
use thalweg_core::coding::Ranking;
use thalweg_core::disjoint::Disjoint;
use thalweg_core::simd::{prefetch, prefetch_line};
use thalweg_core::{Position, PositionsMut, Rank, dispatch};

/// Bytes that are read at a time, and how far behind them the next ones are asked for.
const STEP: usize = 8 * LINE;
pub(super) const AHEAD: usize = 16 * STEP;

/// A width of keys, and the one in which they go with a position: of at least 32 bits, so that positions of a task fit.
pub(super) trait Width: Rank {
    type Wide: Rank;
}

impl Width for u8 {
    type Wide = u32;
}
impl Width for u16 {
    type Wide = u32;
}
impl Width for u32 {
    type Wide = u32;
}
impl Width for u64 {
    type Wide = u64;
}

/// Positions' places, shared by tasks.
#[derive(Clone, Copy, Debug)]
pub(super) enum Places<'o> {
    U32(Disjoint<'o, u32>),
    U64(Disjoint<'o, u64>),
}

impl<'o> Places<'o> {
    pub(super) fn of(buffer: PositionsMut<'o>) -> Self {
        match buffer {
            PositionsMut::U32(buffer) => Self::U32(Disjoint::new(buffer)),
            PositionsMut::U64(buffer) => Self::U64(Disjoint::new(buffer)),
        }
    }

    /// The places of some windows.
    ///
    /// # Safety
    /// They are inside, and as long as this is used nobody else writes them.
    pub(super) unsafe fn part(self, windows: Range<usize>) -> Self {
        match self {
            // SAFETY: by the caller.
            Self::U32(places) => Self::U32(unsafe { places.part(windows) }),
            // SAFETY: by the caller.
            Self::U64(places) => Self::U64(unsafe { places.part(windows) }),
        }
    }

    /// Tells where a window's best is, if there is one.
    ///
    /// # Safety
    /// The window's place is inside, and nobody else writes it.
    pub(super) unsafe fn put(self, window: usize, found: Option<usize>) {
        match self {
            // SAFETY: by the caller.
            Self::U32(places) => unsafe { places.put(window, found.map_or(u32::NONE, u32::new)) },
            // SAFETY: by the caller.
            Self::U64(places) => unsafe { places.put(window, found.map_or(u64::NONE, u64::new)) },
        }
    }

    /// Tells that windows have none.
    ///
    /// # Safety
    /// Their places are inside, and nobody else writes them.
    pub(super) unsafe fn clear(self, windows: Range<usize>) {
        match self {
            // SAFETY: by the caller.
            Self::U32(places) => unsafe { places.slice_mut(windows) }.fill(u32::NONE),
            // SAFETY: by the caller.
            Self::U64(places) => unsafe { places.slice_mut(windows) }.fill(u64::NONE),
        }
    }
}

/// Windows of one stretch of keys, and where the answers go.
#[derive(Debug)]
pub(super) struct Job<'j, R> {
    pub array: &'j [R],
    pub order: Ranking<R>,
    pub plan: Plan,
    pub values: Option<Disjoint<'j, R>>,
    pub positions: Option<Places<'j>>,
    /// What is added to positions: where the stretch begins.
    pub offset: usize,
}

/// Whether values can be told from ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    Yes,
    /// Some are NaN, or zeros where there are zeros of both signs: their positions must be known.
    No,
}

/// A stretch of elements of which none is -0.0. Windows overlap: each asks only for what the one before did not.
#[derive(Clone, Debug, Default)]
pub(super) struct Unsigned(Range<usize>);

impl Unsigned {
    /// Of a whole array of which that is known.
    pub(super) fn all(len: usize) -> Self {
        Self(0..len)
    }

    /// Whether elements that lie no further left than those before have none.
    fn holds<R: Rank>(&mut self, array: &[R], range: Range<usize>) -> bool {
        let known = if range.start < self.0.start { 0 } else { self.0.end };
        let unknown = known.clamp(range.start, range.end)..range.end;
        if has_minus_zero(&array[unknown]) {
            return false;
        }
        let start = if (self.0.start..=self.0.end).contains(&range.start) { self.0.start } else { range.start };
        self.0 = start..range.end.max(known);
        true
    }
}

impl<R: Width> Job<'_, R> {
    /// Where window `i` of the dense ones begins.
    pub(super) fn start(&self, i: usize) -> isize {
        self.plan.first + i as isize
    }

    /// Ranks of as many elements as there is room for, from `start` on; the worst where there are none.
    pub(super) fn load<W: Rank>(&self, start: isize, ranks: &mut [W]) {
        self.load_and_ask(start, ranks, None);
    }

    /// The same for dense windows from `first` on, whose answers are written soon: the memory is asked for their places.
    pub(super) fn load_for<W: Rank>(&self, first: usize, ranks: &mut [W]) {
        self.load_and_ask(self.start(first), ranks, self.answers(first));
    }

    /// The same, and asks the memory for [places of answers](Job::answers).
    pub(super) fn load_and_ask<W: Rank>(&self, start: isize, ranks: &mut [W], answers: Option<(*const u8, usize)>) {
        let len = self.array.len() as isize;
        let end = start + ranks.len() as isize;
        let inside = start.clamp(0, len) as usize..end.clamp(0, len) as usize;
        let before = (inside.start as isize - start).clamp(0, ranks.len() as isize) as usize;
        let (front, rest) = ranks.split_at_mut(before);
        let (middle, back) = rest.split_at_mut(inside.len());
        front.fill(W::WORST);
        back.fill(W::WORST);
        let first = inside.start;
        self.step_by_step(inside, |step| {
            if let Some((place, bytes)) = answers {
                let [from, to] = [step.start, step.end].map(|at| (before + at - first) * bytes);
                (from..to).step_by(LINE).for_each(|at| prefetch_line(place.wrapping_add(at)));
            }
            let ranks = &mut middle[step.start - first..step.end - first];
            rank(&self.array[step], self.order, ranks);
        });
    }

    /// Where answers of dense windows from one on will be written, and bytes of one, for the memory to be asked for them: values, or
    /// positions. May be out of bounds.
    pub(super) fn answers(&self, window: usize) -> Option<(*const u8, usize)> {
        if self.plan.stride > 1 {
            return None;
        }
        Some(match (self.values, self.positions) {
            (Some(values), _) => (values.as_ptr().wrapping_add(window).cast(), size_of::<R>()),
            (None, Some(Places::U32(places))) => (places.as_ptr().wrapping_add(window).cast(), size_of::<u32>()),
            (None, Some(Places::U64(places))) => (places.as_ptr().wrapping_add(window).cast(), size_of::<u64>()),
            (None, None) => return None,
        })
    }

    /// The best rank of some elements.
    pub(super) fn least(&self, range: Range<usize>) -> R {
        let mut best = R::WORST;
        self.step_by_step(range, |step| best = best.min(least_rank(&self.array[step], self.order)));
        best
    }

    /// Reads elements a little at a time, and asks the memory for those that come later: while answers are found and written
    /// nobody else does (2^24 `f32` on two threads, windows of 1,024: 0.55 ns an element, and this way 0.45).
    #[inline(always)]
    fn step_by_step(&self, range: Range<usize>, mut read: impl FnMut(Range<usize>)) {
        for start in range.clone().step_by(STEP / size_of::<R>()) {
            let end = (start + STEP / size_of::<R>()).min(range.end);
            for later in (start..end).step_by(LINE / size_of::<R>()) {
                prefetch(self.array, later + AHEAD / size_of::<R>());
            }
            read(start..end);
        }
    }

    /// Writes that dense windows all have the same best element.
    ///
    /// # Safety
    /// Nobody else writes their answers.
    pub(super) unsafe fn same(&self, windows: Range<usize>, at: usize) {
        let stride = self.plan.stride;
        let asked = windows.start.div_ceil(stride)..windows.end.div_ceil(stride);
        debug_assert!(asked.end <= self.plan.count);
        let position = self.offset + at;
        // SAFETY: inside, as the plan counts them, and by the caller nobody else's.
        unsafe {
            if let Some(values) = self.values {
                self.spread(values.slice_mut(asked.clone()), self.array[at]);
            }
            match self.positions {
                Some(Places::U32(places)) => self.spread(places.slice_mut(asked), u32::new(position)),
                Some(Places::U64(places)) => self.spread(places.slice_mut(asked), u64::new(position)),
                None => {}
            }
        }
    }

    /// One answer everywhere.
    fn spread<A: Rank>(&self, answers: &mut [A], answer: A) {
        let is_past = past::is_best(self.plan.count * size_of::<A>());
        if is_past { past::fill(answers, answer) } else { fill(answers, answer) }
    }

    /// Writes the answers of dense windows from `first` on. Positions are `base` and what stands in `at`.
    ///
    /// # Safety
    /// Nobody else writes these windows' answers.
    pub(super) unsafe fn emit<W: Rank, const ARG: bool>(
        &self,
        first: usize,
        found: Pair<'_, W>,
        base: isize,
        unsigned: &mut Unsigned,
    ) -> Told {
        let Pair { keys, at } = found;
        let stride = self.plan.stride;
        // Dense windows between those that are asked for are thrown away.
        let skip = first.next_multiple_of(stride) - first;
        if skip >= keys.len() {
            return Told::Yes;
        }
        let count = (keys.len() - skip).div_ceil(stride);
        if stride > 1 {
            for i in 0..count {
                keys[i] = keys[skip + i * stride];
                if ARG {
                    at[i] = at[skip + i * stride];
                }
            }
        }
        let keys = &keys[..count];
        let start = (first + skip) / stride;
        let range = start..start + count;
        debug_assert!(range.end <= self.plan.count);
        if !ARG {
            let Some(values) = self.values else { return Told::Yes };
            // SAFETY: inside, as the plan counts them, and by the caller nobody else's.
            let values = unsafe { values.slice_mut(range) };
            let keys: &[R] = R::of_bits(W::erase(keys)).expect("ranks without positions have the keys' width");
            let unclear = unranked(keys, self.order, values);
            return if unclear { self.are_told(first, keys, stride, unsigned) } else { Told::Yes };
        }
        let at = &mut at[..count];
        first_where_all_are_worst(keys, at, base, self.plan.start(start), stride);
        if let Some(values) = self.values {
            // SAFETY: as above.
            let values = unsafe { values.slice_mut(range.clone()) };
            gather(self.array, at, base, values);
        }
        let base = base + self.offset as isize;
        match self.positions {
            // SAFETY: as above.
            Some(Places::U32(places)) => shifted(at, base, unsafe { places.slice_mut(range) }),
            // SAFETY: as above.
            Some(Places::U64(places)) => shifted(at, base, unsafe { places.slice_mut(range) }),
            None => {}
        }
        Told::Yes
    }

    /// Whether zeros among results can be but one: a window with a NaN in front needs its position.
    fn are_told(&self, first: usize, keys: &[R], stride: usize, unsigned: &mut Unsigned) -> Told {
        let dense = (keys.len() - 1) * stride + 1;
        self.told(first, dense, keys.contains(&R::WORST), true, unsigned)
    }

    /// The same of dense windows from `first` on, of which some have the worst rank, or that of zeros.
    pub(super) fn told(&self, first: usize, count: usize, worst: bool, zero: bool, unsigned: &mut Unsigned) -> Told {
        let start = self.start(first).max(0) as usize;
        let end = (self.start(first + count - 1) + self.plan.width as isize).min(self.array.len() as isize);
        let end = (end.max(0) as usize).max(start);
        if worst || zero && !unsigned.holds(self.array, start..end) { Told::No } else { Told::Yes }
    }
}

#[inline(always)]
fn rank_body<R: Rank, W: Rank>(bits: &[R], order: Ranking<R>, ranks: &mut [W]) {
    let ranks = &mut ranks[..bits.len()];
    if let Some(ranks) = R::of_bits_mut(W::erase_mut(ranks)) {
        return R::rank_all(bits, order, ranks);
    }
    for (rank, bits) in ranks.iter_mut().zip(bits) {
        *rank = W::from_u64(bits.ranked(order).to_u64());
    }
}

dispatch! {
    /// The ranks of keys, widened where they are narrower.
    pub(super) fn rank<R: Rank, W: Rank>(bits: &[R], order: Ranking<R>, ranks: &mut [W]) = rank_body::<R, W>;
}

#[inline(always)]
fn fill_body<R: Rank>(answers: &mut [R], answer: R) {
    answers.fill(answer);
}

dispatch! {
    fn fill<R: Rank>(answers: &mut [R], answer: R) = fill_body::<R>;
}

#[inline(always)]
fn unranked_body<R: Rank>(ranks: &[R], order: Ranking<R>, bits: &mut [R]) -> bool {
    !R::unrank_all(ranks, order, &mut bits[..ranks.len()])
}

dispatch! {
    /// The keys that have these ranks, and whether there are several for some: then zeros are positive, and NaNs anything.
    pub(super) fn unranked<R: Rank>(ranks: &[R], order: Ranking<R>, bits: &mut [R]) -> bool = unranked_body::<R>;
}

#[inline(always)]
fn has_minus_zero_body<R: Rank>(bits: &[R]) -> bool {
    let minus_zero = R::from_u64(1 << (R::BITS - 1));
    bits.iter().map(|&bits| u8::from(bits == minus_zero)).fold(0, |any, bit| any | bit) != 0
}

dispatch! {
    /// Whether there is a -0.0, if these are bits of floats.
    pub(super) fn has_minus_zero<R: Rank>(bits: &[R]) -> bool = has_minus_zero_body::<R>;
}

#[inline(always)]
fn worst_body<W: Rank>(keys: &[W], at: &mut [W], base: isize, start: isize, stride: usize) {
    if keys.iter().fold(W::default(), |most, &key| most.max(key)) == W::WORST {
        for (i, (key, at)) in keys.iter().zip(at).enumerate() {
            if *key == W::WORST {
                *at = W::from_u64(((start + (i * stride) as isize).max(0) - base) as u64);
            }
        }
    }
}

dispatch! {
    /// A window of the worst rank throughout is answered by its first element, whatever padding was beside it.
    fn first_where_all_are_worst<W: Rank>(keys: &[W], at: &mut [W], base: isize, start: isize, stride: usize) = worst_body::<W>;
}

#[inline(always)]
fn shifted_body<W: Rank, P: Position>(at: &[W], base: isize, places: &mut [P]) {
    for (place, at) in places.iter_mut().zip(at) {
        *place = P::new((at.to_u64() as usize).wrapping_add_signed(base));
    }
}

dispatch! {
    fn shifted<W: Rank, P: Position>(at: &[W], base: isize, places: &mut [P]) = shifted_body::<W, P>;
}

fn gather<R: Rank, W: Rank>(array: &[R], at: &[W], base: isize, values: &mut [R]) {
    for (value, at) in values.iter_mut().zip(at) {
        *value = array[(at.to_u64() as usize).wrapping_add_signed(base)];
    }
}
