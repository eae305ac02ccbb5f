//! The kernels: minima of equal windows, and of all beginnings or ends of a stretch, by vector instructions without shuffles.
//!
//! Everything is made of one operation on neighbours in memory, `better(a[i], a[i + d])` for many `i` at once. With `d` = 1,
//! 4, 16, ... it makes the minima of spans of elements from every position on, four of the last ones each; up to four spans that
//! overlap are a narrow window. For wider ones, spans have [`lanes`] elements: two such passes for 32 bits. Seen as rows of that many
//! lanes, a window of `w` elements is then `w / lanes` whole rows in each lane, and one more of them, at its end, that may overlap.
//! Rows in a lane are windows again, of equal width, and these go by van Herk's and by Gil and Werman's rule: cut the rows into blocks
//! of a window each; a window is the end of a block and the beginning of the next, and ends and beginnings are running minima, which
//! in lanes are plain vertical operations.
//!
//! Where registers shift, the first spans come from these ([`super::rows`]).
//!
//! Where positions are asked for, a second column goes along. The right one of two is taken only if it is better, so the
//! leftmost stays. Padding has the worst rank, which keys may have, too: a result of the worst rank is, by the caller, the
//! window's first element, because then all are equal.
//!
//! M. van Herk, A fast algorithm for local minimum and maximum filters on rectangular and octagonal kernels (1992);
//! J. Gil and M. Werman, Computing 2-D min, median, and max filters (1993).

use std::ops::{Deref, DerefMut};

use thalweg_core::coding::Ranking;
use thalweg_core::{Position, Rank, dispatch};

/// Places of narrow windows' elements: half as much to read and to write as keys, or less. Windows of 60 `f32` in a cache take 0.62 ns instead
/// of 0.70; those of one pass are faster with places as wide as keys (0.25 instead of 0.28).
pub(super) type Near = u16;

/// Bytes of a cache line, and of a row: a vector register.
pub(super) const LINE: usize = 64;

/// Elements of a row.
pub(super) const fn lanes<W: Rank>() -> usize {
    LINE / size_of::<W>()
}

/// The widest windows whose elements are joined in one pass.
pub(super) const SINGLE: usize = 4;

/// The widest windows that are a few spans: up to there passes cost less than ends and beginnings.
pub(super) const fn joined<W: Rank>() -> usize {
    8 * lanes::<W>()
}

/// Elements of the spans that windows are made of, or rows of lanes.
fn span_of<W: Rank>(width: usize) -> usize {
    if width > joined::<W>() { lanes::<W>() } else { widened(1, width) }
}

/// Elements of spans of which up to four make a window, if there are such of `span`: each pass makes them four times as long.
fn widened(span: usize, width: usize) -> usize {
    let mut span = span;
    while 4 * span < width {
        span *= 4;
    }
    span
}

/// Words that begin where a cache line does, so that no row straddles two.
#[derive(Debug, Default)]
pub(super) struct Column<W> {
    words: Vec<W>,
    start: usize,
    len: usize,
}

impl<W: Rank> Column<W> {
    /// Makes room. What is there is not kept.
    pub(super) fn resize(&mut self, len: usize) {
        let most = len + lanes::<W>();
        if self.words.len() < most {
            self.words.clear();
            self.words.resize(most, W::WORST);
            self.start = self.words.as_ptr().align_offset(LINE);
        }
        self.len = len;
    }
}

impl<W> Deref for Column<W> {
    type Target = [W];
    fn deref(&self) -> &[W] {
        &self.words[self.start..self.start + self.len]
    }
}

impl<W> DerefMut for Column<W> {
    fn deref_mut(&mut self) -> &mut [W] {
        &mut self.words[self.start..self.start + self.len]
    }
}

/// Ranks, and where these are from; the second column is empty where nobody asks.
#[derive(Debug, Default)]
pub(super) struct Columns<W> {
    pub keys: Column<W>,
    pub at: Column<W>,
}

impl<W: Rank> Columns<W> {
    /// Makes room. What is there is not kept.
    pub(super) fn resize(&mut self, len: usize, with_at: bool) {
        self.keys.resize(len);
        self.at.resize(if with_at { len } else { 0 });
    }

    pub(super) fn slices(&mut self) -> Pair<'_, W> {
        Pair { keys: &mut self.keys, at: &mut self.at }
    }
}

/// Both columns, lent; places may be narrower than keys.
pub(super) struct Pair<'a, W, A = W> {
    pub keys: &'a mut [W],
    pub at: &'a mut [A],
}

/// The better one; the left one on ties.
macro_rules! better {
    ($ARG:ident, $a:expr, $b:expr) => {{
        let (a, b) = ($a, $b);
        let right = b.0 < a.0;
        (if right { b.0 } else { a.0 }, if $ARG && right { b.1 } else { a.1 })
    }};
}

/// One of a pair of columns, if there are two; before the first pass, an element's place is its own.
macro_rules! pair {
    ($ARG:ident, $keys:expr, $at:expr, $i:expr) => {
        pair!($ARG, W, $keys, $at, $i, false, 0)
    };
    ($ARG:ident, $A:ident, $keys:expr, $at:expr, $i:expr, $FIRST:expr, $shift:expr) => {
        (
            $keys[$i],
            if $ARG && $FIRST {
                $A::from_u64(($i + $shift) as u64)
            } else if $ARG {
                $at[$i]
            } else {
                $A::WORST
            },
        )
    };
}

/// The best of `from[i]` and `from[i + step]` for all steps, which ascend, with its place.
#[inline(always)]
fn join<W: Rank, A: Rank, const ARG: bool, const FIRST: bool, const N: usize>(
    from: &Pair<'_, W, A>,
    steps: [usize; N],
    count: usize,
    mut take: impl FnMut(usize, (W, A)),
) {
    let keys = steps.map(|step| &from.keys[step..][..count]);
    // Nobody looks at these where there are none.
    let at = steps.map(|step| if ARG && !FIRST { &from.at[step..][..count] } else { &from.at[..0] });
    for i in 0..count {
        let side = |n: usize| pair!(ARG, A, keys[n], at[n], i, FIRST, steps[n]);
        let left = if N > 1 { better!(ARG, side(0), side(1)) } else { side(0) };
        take(i, if N > 3 { better!(ARG, left, better!(ARG, side(2), side(3))) } else { left });
    }
}

/// Takes the first so many to columns.
#[inline(always)]
fn put<W: Rank, A: Rank, const ARG: bool>(to: &mut Pair<'_, W, A>, count: usize) -> impl FnMut(usize, (W, A)) {
    let (keys, at) = (&mut to.keys[..count], &mut to.at[..if ARG { count } else { 0 }]);
    move |i, best| {
        keys[i] = best.0;
        if ARG {
            at[i] = best.1;
        }
    }
}

/// The best of windows that are up to four spans.
#[inline(always)]
fn join_spans<W: Rank, A: Rank, const ARG: bool>(
    from: &Pair<'_, W, A>,
    span: usize,
    width: usize,
    count: usize,
    take: impl FnMut(usize, (W, A)),
) {
    let last = width - span;
    let two = [0, last];
    let four = [0, span.min(last), (2 * span).min(last), last];
    match (span == 1, width <= 2 * span) {
        (true, true) => join::<W, A, ARG, true, 2>(from, two, count, take),
        (true, false) => join::<W, A, ARG, true, 4>(from, four, count, take),
        (false, true) => join::<W, A, ARG, false, 2>(from, two, count, take),
        (false, false) => join::<W, A, ARG, false, 4>(from, four, count, take),
    }
}

/// The best of the next `span` elements, a power of two, from every position on, of which `done` are known; those that reach over
/// the end are not told. Whether it stands in `b`; both are overwritten. With `COUNT` places are counted, whatever stands in `a`.
#[inline(always)]
fn spans<'p, W: Rank, A: Rank, const ARG: bool, const COUNT: bool>(
    a: &mut Pair<'p, W, A>,
    b: &mut Pair<'p, W, A>,
    done: usize,
    span: usize,
) -> bool {
    let (mut d, mut in_b) = (done, false);
    while d < span {
        let (from, to) = if in_b { (&*b, &mut *a) } else { (&*a, &mut *b) };
        if span / d < 4 {
            let count = from.keys.len() - d;
            join::<W, A, ARG, false, 2>(from, [0, d], count, put::<W, A, ARG>(to, count));
            d *= 2;
        } else {
            let (steps, count) = ([0, d, 2 * d, 3 * d], from.keys.len() - 3 * d);
            if COUNT && d == 1 {
                join::<W, A, ARG, true, 4>(from, steps, count, put::<W, A, ARG>(to, count));
            } else {
                join::<W, A, ARG, false, 4>(from, steps, count, put::<W, A, ARG>(to, count));
            }
            d *= 4;
        }
        in_b = !in_b;
    }
    in_b
}

/// How many elements [`slide`] needs for so many windows: the windows' and room.
pub(super) fn room<W: Rank>(count: usize, width: usize) -> usize {
    count.next_multiple_of(lanes::<W>()) + width + 2 * lanes::<W>()
}

/// The best of every window of `width` elements of `a`, `count` of them, to the start of `b`. Both have [`room`], and what is
/// behind the last window in `a` is of the worst rank.
#[inline(always)]
fn slide_body<W: Rank, const ARG: bool>(a: Pair<'_, W>, b: Pair<'_, W>, width: usize, count: usize) {
    let (mut a, mut b) = (a, b);
    let span = span_of::<W>(width);
    let in_b = spans::<W, W, ARG, true>(&mut a, &mut b, 1, span);
    let (from, mut to) = if in_b { (b, a) } else { (a, b) };
    if width > joined::<W>() {
        return blocks::<W, ARG>(from.keys, from.at, to.keys, to.at, width, count);
    }
    join_spans::<W, W, ARG>(&from, span, width, count, put::<W, W, ARG>(&mut to, count));
}

/// The places of the best of windows that are a few spans, straight to where they are asked for; and whether one has the worst rank.
#[inline(always)]
fn slide_to_places_body<W: Rank, A: Rank, P: Position>(
    a: Pair<'_, W, A>,
    b: Pair<'_, W, A>,
    done: usize,
    width: usize,
    base: isize,
    places: &mut [P],
) -> bool {
    let (mut a, mut b) = (a, b);
    let span = widened(done, width);
    let in_b = spans::<W, A, true, true>(&mut a, &mut b, done, span);
    let mut most = W::default();
    join_spans::<W, A, true>(if in_b { &b } else { &a }, span, width, places.len(), |i, best| {
        places[i] = P::new((best.1.to_u64() as usize).wrapping_add_signed(base));
        most = most.max(best.0);
    });
    most == W::WORST
}

/// The best of windows that are a few spans, straight to where they are asked for; whether one has the worst rank, and whether one's rank
/// is that of both zeros.
#[inline(always)]
fn slide_to_values_body<W: Rank, const FLOAT: bool>(
    a: Pair<'_, W>,
    b: Pair<'_, W>,
    done: usize,
    width: usize,
    order: Ranking<W>,
    values: &mut [W],
) -> [bool; 2] {
    let (mut a, mut b) = (a, b);
    let span = widened(done, width);
    let in_b = spans::<W, W, false, false>(&mut a, &mut b, done, span);
    let (mut most, mut zeros) = (W::default(), W::default());
    let zero = W::zero(order);
    join_spans::<W, W, false>(if in_b { &b } else { &a }, span, width, values.len(), |i, best| {
        values[i] = best.0.unranked::<FLOAT>(order);
        if FLOAT {
            most = most.max(best.0);
            zeros = zeros.max(if best.0 == zero { W::WORST } else { W::default() });
        }
    });
    [FLOAT && most == W::WORST, FLOAT && zeros == W::WORST]
}

/// Van Herk, Gil and Werman in lanes. `keys` and `at` hold spans of a row, and are overwritten by the blocks' ends.
#[inline(always)]
fn blocks<W: Rank, const ARG: bool>(
    keys: &mut [W],
    at: &mut [W],
    to_keys: &mut [W],
    to_at: &mut [W],
    width: usize,
    count: usize,
) {
    let v = lanes::<W>();
    let (block, tail) = (width / v * v, width - v);
    let mut start = 0;
    while start < count {
        ends::<W, ARG>(&mut keys[start..start + block], if ARG { &mut at[start..start + block] } else { &mut [] });
        let (mut run_key, mut run_at) = ([W::WORST; 64], [W::WORST; 64]);
        for row in (start..start + block).step_by(v).take_while(|&row| row < count) {
            if row > start {
                let next = row + block - v;
                let (k, o) = (&keys[next..next + v], if ARG { &at[next..next + v] } else { &[] });
                for l in 0..v {
                    let best = better!(ARG, (run_key[l], run_at[l]), pair!(ARG, k, o, l));
                    run_key[l] = best.0;
                    if ARG {
                        run_at[l] = best.1;
                    }
                }
            }
            let end = row + tail;
            let (k0, k1, to_k) = (&keys[row..row + v], &keys[end..end + v], &mut to_keys[row..row + v]);
            let (o0, o1) = if ARG { (&at[row..row + v], &at[end..end + v]) } else { (&at[..0], &at[..0]) };
            let to_o = if ARG { &mut to_at[row..row + v] } else { &mut to_at[..0] };
            for l in 0..v {
                let best = better!(ARG, pair!(ARG, k0, o0, l), (run_key[l], run_at[l]));
                let best = better!(ARG, best, pair!(ARG, k1, o1, l));
                to_k[l] = best.0;
                if ARG {
                    to_o[l] = best.1;
                }
            }
        }
        start += block;
    }
}

/// From right to left, every row the best of itself and those behind it.
#[inline(always)]
fn ends<W: Rank, const ARG: bool>(keys: &mut [W], at: &mut [W]) {
    let v = lanes::<W>();
    for row in (0..keys.len() - v).step_by(v).rev() {
        let (k0, k1) = keys[row..row + 2 * v].split_at_mut(v);
        let (o0, o1) = if ARG { at[row..row + 2 * v].split_at_mut(v) } else { at.split_at_mut(0) };
        for l in 0..v {
            let best = better!(ARG, pair!(ARG, k0, o0, l), pair!(ARG, k1, o1, l));
            k0[l] = best.0;
            if ARG {
                o0[l] = best.1;
            }
        }
    }
}

/// The best from every position to the end of the first `len` elements of `a`, to the start of `b`. Both have room for
/// [`scan_room`]; behind `len`, `a` is of the worst rank.
#[inline(always)]
fn suffixes_body<W: Rank, const ARG: bool>(a: Pair<'_, W>, b: Pair<'_, W>, len: usize) {
    let (mut a, mut b) = (a, b);
    let v = lanes::<W>();
    let in_b = spans::<W, W, ARG, false>(&mut a, &mut b, 1, v);
    let (from, to) = if in_b { (b, a) } else { (a, b) };
    let mut run = (W::WORST, W::WORST);
    for row in (0..len).step_by(v).rev() {
        for i in row..row + v {
            let best = better!(ARG, pair!(ARG, from.keys, from.at, i), run);
            to.keys[i] = best.0;
            if ARG {
                to.at[i] = best.1;
            }
        }
        run = better!(ARG, pair!(ARG, from.keys, from.at, row), run);
    }
}

/// The best from the start to every position of `len` elements of `a`, which begin behind a row of the worst rank, to the
/// start of `b`.
#[inline(always)]
fn prefixes_body<W: Rank, const ARG: bool>(a: Pair<'_, W>, b: Pair<'_, W>, len: usize) {
    let (mut a, mut b) = (a, b);
    let v = lanes::<W>();
    let in_b = spans::<W, W, ARG, false>(&mut a, &mut b, 1, v);
    let (from, to) = if in_b { (b, a) } else { (a, b) };
    let mut run = (W::WORST, W::WORST);
    for row in (0..len).step_by(v) {
        // The span that ends at `i` begins at `i + 1` of what has a row before it.
        for i in row..row + v {
            let best = better!(ARG, run, pair!(ARG, from.keys, from.at, i + 1));
            to.keys[i] = best.0;
            if ARG {
                to.at[i] = best.1;
            }
        }
        run = better!(ARG, run, pair!(ARG, from.keys, from.at, row + v));
    }
}

/// How many elements scans of `len` elements need.
pub(super) fn scan_room<W: Rank>(len: usize) -> usize {
    len.next_multiple_of(lanes::<W>()) + 4 * lanes::<W>()
}

/// Windows of `height` rows of lanes, `count` of them, from `a` to `b`.
#[inline(always)]
fn slide_rows_body<W: Rank, const ARG: bool>(a: Pair<'_, W>, b: Pair<'_, W>, height: usize, count: usize) {
    let v = lanes::<W>();
    blocks::<W, ARG>(a.keys, a.at, b.keys, b.at, height * v, count * v);
}

// Which of the two columns the result stands in depends on how many passes there were: these tell.

/// Whether the results of [`slide`] are in `b`.
pub(super) fn slid_to_b<W: Rank>(width: usize) -> bool {
    passes(span_of::<W>(width)).is_multiple_of(2)
}

/// Whether the results of [`suffixes`] and [`prefixes`] are in `b`.
pub(super) fn scanned_to_b<W: Rank>() -> bool {
    passes(lanes::<W>()).is_multiple_of(2)
}

/// Passes for a span: each makes it four times as long, and the last at least twice.
fn passes(span: usize) -> u32 {
    span.ilog2().div_ceil(2)
}

dispatch! {
    /// The best of every window of `width` elements of `a`, `count` of them, to the start of `b`, or of `a`: see
    /// [`slid_to_b`], with their places in `a`. Both have [`room`], and what is behind the last window in `a` is of the worst rank.
    pub(super) fn slide<W: Rank; const ARG: bool>(a: Pair<'_, W>, b: Pair<'_, W>, width: usize, count: usize) = slide_body::<W, ARG>;
}

dispatch! {
    /// The best of windows of `a`, as keys, where the best of the next `done` elements stands; whether one has the worst rank, and whether
    /// one's rank is that of both zeros. Both have [`room`].
    pub(super) fn slide_to_values<W: Rank; const FLOAT: bool>(a: Pair<'_, W>, b: Pair<'_, W>, done: usize, width: usize, order: Ranking<W>, values: &mut [W]) -> [bool; 2] = slide_to_values_body::<W, FLOAT>;
}

dispatch! {
    /// The places of the best of windows of `a`, where the best of the next `done` elements stands, counted from `base` on; and whether
    /// one has the worst rank. Both have [`room`], for as many elements as `A` counts. Those of single elements need no places beforehand.
    pub(super) fn slide_to_places<W: Rank, A: Rank, P: Position>(a: Pair<'_, W, A>, b: Pair<'_, W, A>, done: usize, width: usize, base: isize, places: &mut [P]) -> bool = slide_to_places_body::<W, A, P>;
}

dispatch! {
    /// The best from every position to the end of the first `len` elements of `a`, to the start of `b`, or of `a`: see
    /// [`scanned_to_b`]. Both have [`scan_room`], and what is behind in `a` is of the worst rank.
    pub(super) fn suffixes<W: Rank; const ARG: bool>(a: Pair<'_, W>, b: Pair<'_, W>, len: usize) = suffixes_body::<W, ARG>;
}

dispatch! {
    /// The best up to every position, the same way; the elements of `a` begin behind a row of the worst rank.
    pub(super) fn prefixes<W: Rank; const ARG: bool>(a: Pair<'_, W>, b: Pair<'_, W>, len: usize) = prefixes_body::<W, ARG>;
}

dispatch! {
    /// Windows of `height` rows of lanes, `count` of them, from `a`, which is overwritten, to `b`. Both have room for the rows
    /// of all windows and one.
    pub(super) fn slide_rows<W: Rank; const ARG: bool>(a: Pair<'_, W>, b: Pair<'_, W>, height: usize, count: usize) = slide_rows_body::<W, ARG>;
}
