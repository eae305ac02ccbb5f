//! The kernels: minima of equal windows, and of all beginnings or ends of a stretch, by vector instructions without shuffles.
//!
//! Everything is made of one operation on neighbours in memory, `better(a[i], a[i + d])` for many `i` at once. With `d` = 1,
//! 2, 4, ... it makes the minima of spans of elements from every position on, in fours; two spans that overlap are a narrow
//! window. For wider ones, spans have [`lanes`] elements: two such passes for 32 bits. Seen as rows of that many lanes, a window of `w` elements is then `w / lanes` whole rows in each lane, and one more of them, at
//! its end, that may overlap. Rows in a lane are windows again, of equal width, and these go by van Herk's and by Gil and
//! Werman's rule: cut the rows into blocks of a window each; a window is the end of a block and the beginning of the
//! next, and ends and beginnings are running minima, which in lanes are plain vertical operations.
//!
//! Where positions are asked for, a second column goes along. The right one of two is taken only if it is better, so the
//! leftmost stays. Padding has the worst rank, which keys may have, too: a result of the worst rank is, by the caller, the
//! window's first element, because then all are equal.
//!
//! M. van Herk, A fast algorithm for local minimum and maximum filters on rectangular and octagonal kernels (1992);
//! J. Gil and M. Werman, Computing 2-D min, median, and max filters (1993).

use thalweg_core::{Rank, dispatch};

/// Elements of a row: a vector register of 64 bytes.
pub(super) const fn lanes<W: Rank>() -> usize {
    512 / W::BITS as usize
}

/// The widest windows that are two spans: up to there passes cost less than ends and beginnings, measured with positions on AVX-512
/// (`f64`, w = 16: 2.8 instead of 4.1 ns an element; 60: 3.2 instead of 4.3).
const fn doubled<W: Rank>() -> usize {
    8 * lanes::<W>()
}

/// Elements of the spans that windows are made of: two that overlap, of at least half a window, or rows of lanes.
fn span_of<W: Rank>(width: usize) -> usize {
    if width <= doubled::<W>() { 1 << (width.max(2) - 1).ilog2() } else { lanes::<W>() }
}

/// Ranks, and where these are from; the second column is empty where nobody asks.
#[derive(Debug, Default)]
pub(super) struct Columns<W> {
    pub keys: Vec<W>,
    pub at: Vec<W>,
}

impl<W: Rank> Columns<W> {
    /// Makes room. What is there is not kept.
    pub(super) fn resize(&mut self, len: usize, with_at: bool) {
        self.keys.resize(len, W::WORST);
        self.at.resize(if with_at { len } else { 0 }, W::WORST);
    }

    pub(super) fn slices(&mut self) -> Pair<'_, W> {
        Pair { keys: &mut self.keys, at: &mut self.at }
    }
}

/// Both columns, lent.
pub(super) struct Pair<'a, W> {
    pub keys: &'a mut [W],
    pub at: &'a mut [W],
}

/// The better one; the left one on ties.
macro_rules! better {
    ($ARG:ident, $a:expr, $b:expr) => {{
        let (a, b) = ($a, $b);
        let right = b.0 < a.0;
        (if right { b.0 } else { a.0 }, if $ARG && right { b.1 } else { a.1 })
    }};
}

/// One of a pair of columns, if there are two.
macro_rules! pair {
    ($ARG:ident, $keys:expr, $at:expr, $i:expr) => {
        ($keys[$i], if $ARG { $at[$i] } else { W::WORST })
    };
}

/// `to[i]` is the best of `from[i]` and `from[i + d]`.
#[inline(always)]
fn twice<W: Rank, const ARG: bool>(from: &Pair<'_, W>, to: &mut Pair<'_, W>, d: usize) {
    overlap::<W, ARG>(from, to.keys, to.at, d, from.keys.len() - d);
}

/// `to[i]` is the best of `from[i]`, `from[i + d]`, `from[i + 2 d]` and `from[i + 3 d]`.
#[inline(always)]
fn fourfold<W: Rank, const ARG: bool>(from: &Pair<'_, W>, to: &mut Pair<'_, W>, d: usize) {
    let n = from.keys.len() - 3 * d;
    let m = if ARG { n } else { 0 };
    let cut = |step: usize| &from.keys[step * d..][..n];
    let (k0, k1, k2, k3, to_k) = (cut(0), cut(1), cut(2), cut(3), &mut to.keys[..n]);
    let cut = |step: usize| if ARG { &from.at[step * d..][..m] } else { &from.at[..0] };
    let (o0, o1, o2, o3, to_o) = (cut(0), cut(1), cut(2), cut(3), &mut to.at[..m]);
    for i in 0..n {
        let left = better!(ARG, pair!(ARG, k0, o0, i), pair!(ARG, k1, o1, i));
        let right = better!(ARG, pair!(ARG, k2, o2, i), pair!(ARG, k3, o3, i));
        let best = better!(ARG, left, right);
        to_k[i] = best.0;
        if ARG {
            to_o[i] = best.1;
        }
    }
}

/// The best of the next `span` elements, a power of two, from every position on; those that reach over the end are not
/// told. Whether it stands in `b`; both are overwritten.
#[inline(always)]
fn spans<'p, W: Rank, const ARG: bool>(a: &mut Pair<'p, W>, b: &mut Pair<'p, W>, span: usize) -> bool {
    let (mut d, mut in_b) = (1, false);
    while d < span {
        let (from, to) = if in_b { (&*b, &mut *a) } else { (&*a, &mut *b) };
        if span / d >= 4 {
            fourfold::<W, ARG>(from, to, d);
            d *= 4;
        } else {
            twice::<W, ARG>(from, to, d);
            d *= 2;
        }
        in_b = !in_b;
    }
    in_b
}

/// Every element's own place.
#[inline(always)]
fn count_up<W: Rank>(at: &mut [W]) {
    for (i, at) in at.iter_mut().enumerate() {
        *at = W::from_u64(i as u64);
    }
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
    count_up(a.at);
    let span = span_of::<W>(width);
    let in_b = spans::<W, ARG>(&mut a, &mut b, span);
    let (from, to) = if in_b { (b, a) } else { (a, b) };
    if width <= 2 * span {
        overlap::<W, ARG>(&from, to.keys, to.at, width - span, count);
    } else {
        blocks::<W, ARG>(from.keys, from.at, to.keys, to.at, width, count);
    }
}

/// `keys[i]` is the best of `from[i]` and `from[i + d]`, with its place in `at`: spans, and two that overlap.
#[inline(always)]
fn overlap<W: Rank, const ARG: bool>(from: &Pair<'_, W>, keys: &mut [W], at: &mut [W], d: usize, count: usize) {
    let m = if ARG { count } else { 0 };
    let (k0, k1, keys) = (&from.keys[..count], &from.keys[d..][..count], &mut keys[..count]);
    let (o0, o1, at) = (&from.at[..m], &from.at[if ARG { d } else { 0 }..][..m], &mut at[..m]);
    for i in 0..count {
        let best = better!(ARG, pair!(ARG, k0, o0, i), pair!(ARG, k1, o1, i));
        keys[i] = best.0;
        if ARG {
            at[i] = best.1;
        }
    }
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
    let in_b = spans::<W, ARG>(&mut a, &mut b, v);
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
    let in_b = spans::<W, ARG>(&mut a, &mut b, v);
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
