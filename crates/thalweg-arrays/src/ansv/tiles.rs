//! The default engine: vector windows, a stack per tile, tile pairs.
//!
//! The array is cut into tiles that fit the L2 cache. Three steps, the first and the last in parallel over the tiles:
//!
//! 1. **Inside a tile.** The sequential stack is bound by mispredicted branches: on random data nobody can foresee how
//!    many elements the next one throws out. So look at the [`WINDOW`] nearest elements on either side first, for many
//!    elements at once, without a branch. On random data all but one in `WINDOW + 1` find their neighbour there. The
//!    rest goes through a stack, and only the rest: if `j` is the left neighbour of `i` and further away than the
//!    window, then nothing between the two, nor `i`, can be the right neighbour of `j`, so `j` found nothing to its
//!    right either. Hence the stack needs to hold only elements that found nothing to their right, and only elements
//!    that found nothing to their left need to look at it. Where windows find little (sorted data), a tile uses the
//!    plain stack.
//! 2. **Between tiles.** What found no left neighbour in its tile are the tile's prefix minima; what found no right one,
//!    its suffix minima. A stack over the tiles' minima links every tile to the nearest better one on either side.
//! 3. **Tile pairs.** The prefix minima of a tile, from the first (worst) to the last (best), look for the nearest tile
//!    to the left whose minimum is better, along the links, and are merged with that tile's suffix minima: both lists
//!    are sorted. The right side is the mirror image.
//!
//! Matches never cross, so the pairs of tiles form an outerplanar graph: fewer than two edges a tile and side, which is
//! Berkman, Schieber and Vishkin's merging argument with tiles in place of their groups and without their case
//! distinctions. Work O(n), span O(tile · log tile); extra memory at most 4 bytes an element (data without structure:
//! next to none).

#![allow(unsafe_code)]

use std::ops::Range;

use super::{CpuEngine, Open, Places, Sides};
use crate::scratch::Pool;
use thalweg_core::coding::Ranking;
use thalweg_core::disjoint::Disjoint;
use thalweg_core::dispatch;
use thalweg_core::error::try_with_capacity;
use thalweg_core::memory::{computed, large_zeroed};
use thalweg_core::parallel::{chunk_range, for_each_chunk};
use thalweg_core::primitives::exclusive_scan_in_place;
use thalweg_core::simd::Level;
use thalweg_core::{Position, PositionsMut, Rank, Result};

/// Elements in a tile: offsets fit 16 bits, ranks and results of 32 bits fit 384 KiB of L2 cache.
const TILE: usize = 1 << 15;

/// How far a window looks on either side.
const WINDOW: usize = 16;

/// Elements whose windows are looked at in one go: the distances found stay in the L1 cache.
const STRETCH: usize = 1024;

/// The highest instruction set that the kernel is compiled for: narrow keys fill AVX2's registers already, and gain little
/// from wider ones.
const fn most<R: Rank>() -> Level {
    if R::BITS <= 16 { Level::Avx2 } else { Level::Avx512 }
}

/// A tile uses the plain stack if of its first stretch more than one in this many is left to the stack anyway.
const DENSE: usize = 3;

/// See the module's text.
#[derive(Debug)]
pub(super) struct Tiles;

impl CpuEngine for Tiles {
    const NAME: &'static str = "tiles";

    fn extra_bytes<R: Rank>(&self, len: usize) -> usize {
        2 * len * size_of::<u16>() + len.div_ceil(TILE) * size_of::<Tile<R>>()
    }

    fn solve<R: Rank, P: Position>(
        &self,
        array: &[R],
        order: Ranking<R>,
        strict: bool,
        sides: Sides<'_, P>,
    ) -> Result<()> {
        let part = Part { array, order, first: 0, wants_open: false };
        part.solve(strict, sides).map(|_| ())
    }
}

/// An array, or a part of one.
pub(super) struct Part<'p, R> {
    pub(super) array: &'p [R],
    pub(super) order: Ranking<R>,
    /// Position of its first element.
    pub(super) first: usize,
    /// Whether what has no neighbour in it is listed.
    pub(super) wants_open: bool,
}

impl<R: Rank> Part<'_, R> {
    /// Finds the neighbours that lie in the part. Buffers have its length.
    pub(super) fn solve<P: Position>(&self, strict: bool, sides: Sides<'_, P>) -> Result<Open> {
        let sides = [sides.left, sides.right].map(|side| side.map(|side| Side::of(P::buffer(side))));
        if strict { solve::<R, true>(self, sides) } else { solve::<R, false>(self, sides) }
    }
}

/// What a tile tells the others.
struct Tile<R> {
    best: R,
    /// Offsets of the elements without a left neighbour in the tile, from left to right: ranks never rise.
    prefix: Vec<u16>,
    /// Offsets of the elements without a right neighbour in the tile, from left to right: ranks never fall.
    suffix: Vec<u16>,
}

/// Whether an element of rank `there` is a neighbour for one of rank `here`.
#[inline(always)]
fn serves<R: Rank, const STRICT: bool>(there: R, here: R) -> bool {
    if STRICT { there < here } else { there <= here }
}

/// An output that the tiles share.
#[derive(Clone, Copy)]
enum Side<'o> {
    U32(Disjoint<'o, u32>),
    U64(Disjoint<'o, u64>),
}

impl<'o> Side<'o> {
    fn of(side: PositionsMut<'o>) -> Self {
        match side {
            PositionsMut::U32(side) => Self::U32(Disjoint::new(side)),
            PositionsMut::U64(side) => Self::U64(Disjoint::new(side)),
        }
    }

    /// A tile's part.
    ///
    /// # Safety
    /// The range is inside the output, and nobody else touches it while the part lives.
    unsafe fn part(self, range: Range<usize>) -> PositionsMut<'o> {
        // SAFETY: the caller's promise.
        unsafe {
            match self {
                Self::U32(side) => PositionsMut::U32(side.slice_mut(range)),
                Self::U64(side) => PositionsMut::U64(side.slice_mut(range)),
            }
        }
    }
}

fn solve<R: Rank, const STRICT: bool>(part: &Part<'_, R>, sides: [Option<Side<'_>>; 2]) -> Result<Open> {
    let &Part { array, order, first, wants_open } = part;
    let count = array.len().div_ceil(TILE);
    let scratch: Pool<Option<Scratch<R>>> = Pool::new();
    let inside = |t: usize| {
        let range = chunk_range(t, TILE, array.len());
        // SAFETY: outputs have the array's length, and every tile has its own part.
        let sides = sides.map(|side| side.map(|side| unsafe { side.part(range.clone()) }));
        let solve = |scratch: &mut Option<Scratch<R>>| {
            let scratch = scratch.get_or_insert_with(|| Scratch::new(array.len().min(TILE)));
            scratch.solve::<STRICT>(&array[range.clone()], order, first + range.start, sides)
        };
        scratch.with(solve)
    };
    let tiles: Vec<Tile<R>> = computed(count, 1, "tiles", inside)?.into_iter().collect::<Result<_>>()?;
    let pairs = Pairs { array, order, first, tiles: &tiles, links: links(&tiles) };
    let open = if wants_open { pairs.open::<STRICT>()? } else { Open::default() };
    if tiles.len() < 2 {
        return Ok(open);
    }
    for_each_chunk(count, 1, &|range| {
        for t in range {
            for (right, side) in [false, true].into_iter().zip(sides) {
                // SAFETY: as above.
                match side.map(|side| unsafe { side.part(chunk_range(t, TILE, array.len())) }) {
                    Some(PositionsMut::U32(out)) => pairs.find::<u32, STRICT>(t, right, out),
                    Some(PositionsMut::U64(out)) => pairs.find::<u64, STRICT>(t, right, out),
                    None => {}
                }
            }
        }
    });
    Ok(open)
}

// Step 1: inside a tile.

/// A thread's working memory, reused from tile to tile.
struct Scratch<R> {
    /// The tile's ranks with a window of the worst rank before and behind.
    ranks: Vec<R>,
    /// Distances to the neighbours found in the windows of a stretch, 0 for none: to the left and to the right.
    distances: [Vec<R>; 2],
    /// Elements that the windows leave to the stack: `offset | MISSES_LEFT | MISSES_RIGHT`.
    misses: Vec<u32>,
    stack: Vec<(R, u32)>,
    prefix: Vec<u16>,
    /// Stand in for sides that nobody asked for, and for those of 64 bits: kernels write 32.
    sides: [Vec<u32>; 2],
}

const MISSES_LEFT: u32 = 1 << 30;
const MISSES_RIGHT: u32 = 1 << 31;
const OFFSET: u32 = MISSES_LEFT - 1;

impl<R: Rank> Scratch<R> {
    /// For tiles of at most `len` elements.
    fn new(len: usize) -> Self {
        Self {
            ranks: vec![R::WORST; WINDOW + len + WINDOW],
            distances: [vec![R::default(); len.min(STRETCH)], vec![R::default(); len.min(STRETCH)]],
            misses: vec![0; len + 1],
            stack: vec![(R::WORST, 0); len + 1],
            prefix: vec![0; len + 1],
            sides: [Vec::new(), Vec::new()],
        }
    }

    /// Solves a tile whose first element has position `base`, and tells what is left to other tiles.
    fn solve<const STRICT: bool>(
        &mut self,
        keys: &[R],
        order: Ranking<R>,
        base: usize,
        sides: [Option<PositionsMut<'_>>; 2],
    ) -> Result<Tile<R>> {
        let mut own = std::mem::take(&mut self.sides);
        let [mut left, mut right] = sides;
        // Positions of 32 bits are written as they are, others by their place in the tile.
        let narrow = ![&left, &right].into_iter().any(|side| matches!(side, Some(PositionsMut::U64(_))));
        let (prefix, suffix) = {
            let [own_left, own_right] = &mut own;
            let (left, right) =
                (side_or(left.as_mut(), own_left, keys.len()), side_or(right.as_mut(), own_right, keys.len()));
            solve_tile::<R, STRICT>(keys, order, if narrow { base } else { 0 }, left, right, self)
        };
        for (side, own) in [left, right].into_iter().zip(&own) {
            if let Some(PositionsMut::U64(side)) = side {
                widen(own, base, side);
            }
        }
        self.sides = own;
        let mut tile = Tile {
            best: self.stack.first().filter(|_| suffix > 0).map_or(R::WORST, |&(rank, _)| rank),
            prefix: try_with_capacity(prefix, "prefix minima of a tile")?,
            suffix: try_with_capacity(suffix, "suffix minima of a tile")?,
        };
        tile.prefix.extend_from_slice(&self.prefix[..prefix]);
        tile.suffix.extend(self.stack[..suffix].iter().map(|&(_, offset)| offset as u16));
        Ok(tile)
    }
}

#[inline(always)]
fn widen_body<P: Position>(places: &[u32], base: usize, positions: &mut [P]) {
    for (position, &place) in positions.iter_mut().zip(places) {
        *position = if place == u32::NONE { P::NONE } else { P::new(base + place as usize) };
    }
}

dispatch! {
    /// Positions of places that count from `base` on.
    fn widen<P: Position>(places: &[u32], base: usize, positions: &mut [P]) = widen_body::<P>;
}

/// A tile's output of 32 bits, or what stands in for it.
fn side_or<'s>(side: Option<&'s mut PositionsMut<'_>>, own: &'s mut Vec<u32>, len: usize) -> &'s mut [u32] {
    match side {
        Some(PositionsMut::U32(side)) => side,
        _ => {
            own.resize(len, u32::NONE);
            own
        }
    }
}

dispatch! {
    /// Solves a tile, and leaves in the scratch memory what found no neighbour on its left (`prefix`) and on its right
    /// (`stack`). Returns how many those are.
    fn solve_tile<R: Rank; const STRICT: bool>(
        keys: &[R], order: Ranking<R>, base: usize, left: &mut [u32], right: &mut [u32], scratch: &mut Scratch<R>,
    ) -> (usize, usize) = solve_tile_body::<R, STRICT>, up to most::<R>();
}

/// A position that fits 32 bits.
#[inline(always)]
fn position(place: usize) -> u32 {
    place as u32
}

#[inline(always)]
fn solve_tile_body<R: Rank, const STRICT: bool>(
    keys: &[R],
    order: Ranking<R>,
    base: usize,
    left: &mut [u32],
    right: &mut [u32],
    scratch: &mut Scratch<R>,
) -> (usize, usize) {
    let len = keys.len();
    R::rank_all(keys, order, &mut scratch.ranks[WINDOW..WINDOW + len]);
    if let Some(found) = monotone::<R>(base, left, right, scratch) {
        return found;
    }
    let behind = &mut scratch.ranks[WINDOW + len..];
    // What the last tile left there may be in sight of this tile's last windows.
    behind[..WINDOW].fill(R::WORST);
    let mut missed = 0;
    for start in (0..len).step_by(STRETCH) {
        if start == STRETCH && missed > STRETCH / DENSE {
            return plain_stack::<R, STRICT>(base, left, right, scratch);
        }
        missed = look_around::<R, STRICT>(start, base, left, right, missed, scratch);
    }
    sparse_stack::<R, STRICT>(missed, base, left, right, scratch)
}

/// A tile whose ranks only rise, or only fall, without ties: everybody's neighbour is next door.
#[inline(always)]
fn monotone<R: Rank>(
    base: usize,
    left: &mut [u32],
    right: &mut [u32],
    scratch: &mut Scratch<R>,
) -> Option<(usize, usize)> {
    let len = left.len();
    let ranks = &scratch.ranks[WINDOW..WINDOW + len];
    let rising = *ranks.first()? < *ranks.last()?;
    for stretch in 0..len.div_ceil(STRETCH) {
        // A stretch at a time, without a branch inside: most tiles are through after one.
        let end = (stretch * STRETCH + STRETCH + 1).min(len);
        let pairs = ranks[stretch * STRETCH..end].windows(2);
        let broken = if rising {
            pairs.fold(false, |b, w| b | (w[0] >= w[1]))
        } else {
            pairs.fold(false, |b, w| b | (w[0] <= w[1]))
        };
        if broken {
            return None;
        }
    }
    let (near, far) = if rising { (&mut *left, &mut *right) } else { (&mut *right, &mut *left) };
    far.fill(u32::NONE);
    for (i, out) in near.iter_mut().enumerate() {
        *out = position(if rising { (base + i).wrapping_sub(1) } else { base + i + 1 });
    }
    near[if rising { 0 } else { len - 1 }] = u32::NONE;
    for (i, entry) in scratch.prefix[..len].iter_mut().enumerate() {
        *entry = i as u16;
    }
    let ranks = &scratch.ranks[WINDOW..WINDOW + len];
    if rising {
        for (i, (entry, &rank)) in scratch.stack.iter_mut().zip(ranks).enumerate() {
            *entry = (rank, i as u32);
        }
        Some((1, len))
    } else {
        scratch.stack[0] = (ranks[len - 1], (len - 1) as u32);
        Some((len, 1))
    }
}

/// Looks at the windows of a stretch of elements. Writes the neighbours found there, and appends the elements that miss
/// one to the list, which had `missed` entries. Returns its new length.
#[inline(always)]
fn look_around<R: Rank, const STRICT: bool>(
    start: usize,
    base: usize,
    left: &mut [u32],
    right: &mut [u32],
    mut missed: usize,
    scratch: &mut Scratch<R>,
) -> usize {
    let len = left.len();
    let count = STRETCH.min(len - start);
    let Scratch { ranks, distances: [to_left, to_right], misses, .. } = scratch;
    let (to_left, to_right) = (&mut to_left[..count], &mut to_right[..count]);
    let windows = ranks[start..start + count + 2 * WINDOW].windows(2 * WINDOW + 1);
    for ((window, to_left), to_right) in windows.zip(&mut *to_left).zip(&mut *to_right) {
        let window: &[R; 2 * WINDOW + 1] = window.first_chunk().expect("windows have this length");
        let here = window[WINDOW];
        let (mut l, mut r) = (R::default(), R::default());
        // From far to near, so that the nearest stays.
        for nearer in 0..WINDOW {
            let distance = WINDOW - nearer;
            l = if serves::<R, STRICT>(window[WINDOW - distance], here) { R::from(distance as u8) } else { l };
            r = if serves::<R, STRICT>(window[WINDOW + distance], here) { R::from(distance as u8) } else { r };
        }
        (*to_left, *to_right) = (l, r);
    }
    if !STRICT {
        // The padding serves elements of the worst rank: take that back.
        for i in start..(start + count).min(WINDOW) {
            if to_left[i - start].to_u64() as usize > i {
                to_left[i - start] = R::default();
            }
        }
        for i in start.max(len.saturating_sub(WINDOW))..start + count {
            if to_right[i - start].to_u64() as usize > len - 1 - i {
                to_right[i - start] = R::default();
            }
        }
    }
    let (left, right) = (&mut left[start..start + count], &mut right[start..start + count]);
    for i in 0..count {
        let (l, r) = (to_left[i].to_u64() as usize, to_right[i].to_u64() as usize);
        let here = base + start + i;
        left[i] = if l == 0 { u32::NONE } else { position(here - l) };
        right[i] = if r == 0 { u32::NONE } else { position(here + r) };
    }
    for i in 0..count {
        let (l, r) = (to_left[i] == R::default(), to_right[i] == R::default());
        misses[missed] = (start + i) as u32 | (u32::from(l) << 30) | (u32::from(r) << 31);
        missed += usize::from(l | r);
    }
    missed
}

/// The stack for what the windows missed.
#[inline(always)]
fn sparse_stack<R: Rank, const STRICT: bool>(
    missed: usize,
    base: usize,
    left: &mut [u32],
    right: &mut [u32],
    scratch: &mut Scratch<R>,
) -> (usize, usize) {
    let Scratch { ranks, misses, stack, prefix, .. } = scratch;
    let mut tower = Tower::new(base, left, right, &ranks[WINDOW..], stack, prefix);
    for &miss in &misses[..missed] {
        let i = (miss & OFFSET) as usize;
        if miss & MISSES_LEFT != 0 {
            tower.find_left::<STRICT>(i);
        }
        tower.push_if(miss & MISSES_RIGHT != 0, i);
    }
    (tower.prefixes, tower.height)
}

/// The stack for everything.
#[inline(always)]
fn plain_stack<R: Rank, const STRICT: bool>(
    base: usize,
    left: &mut [u32],
    right: &mut [u32],
    scratch: &mut Scratch<R>,
) -> (usize, usize) {
    let Scratch { ranks, stack, prefix, .. } = scratch;
    right.fill(u32::NONE);
    let len = left.len();
    let mut tower = Tower::new(base, left, right, &ranks[WINDOW..], stack, prefix);
    for i in 0..len {
        tower.find_left::<STRICT>(i);
        tower.push_if(true, i);
    }
    (tower.prefixes, tower.height)
}

/// The stack of a tile and all that it reads and writes, without bounds checks: they cost a third of the time.
struct Tower<'t, R> {
    base: usize,
    left: &'t mut [u32],
    right: &'t mut [u32],
    ranks: &'t [R],
    stack: &'t mut [(R, u32)],
    height: usize,
    prefix: &'t mut [u16],
    prefixes: usize,
}

impl<'t, R: Rank> Tower<'t, R> {
    fn new(
        base: usize,
        left: &'t mut [u32],
        right: &'t mut [u32],
        ranks: &'t [R],
        stack: &'t mut [(R, u32)],
        prefix: &'t mut [u16],
    ) -> Self {
        let len = left.len();
        // What the unchecked accesses below rely on.
        assert!(right.len() == len && ranks.len() >= len && stack.len() > len && prefix.len() > len);
        Self { base, left, right, ranks, stack, height: 0, prefix, prefixes: 0 }
    }

    /// Pushes element `i` without a branch: it is always written, and counts only if `really`. Elements come in order,
    /// each once, so the height never exceeds their number.
    #[inline(always)]
    fn push_if(&mut self, really: bool, i: usize) {
        debug_assert!(i < self.left.len() && self.height < self.stack.len());
        // SAFETY: `i` is an element of the tile; the stack has room for all of them and one more (`new`).
        unsafe { *self.stack.get_unchecked_mut(self.height) = (*self.ranks.get_unchecked(i), i as u32) };
        self.height += usize::from(really);
    }

    /// Throws everything off the stack whose right neighbour element `i` is, and notes its left neighbour.
    #[inline(always)]
    fn find_left<const STRICT: bool>(&mut self, i: usize) {
        debug_assert!(i < self.left.len() && self.prefixes < self.prefix.len());
        // SAFETY: `i` and everything on the stack are elements of the tile, and all slices have at least its length
        // (`new`); the height is above 0 where the top is read; an element enters the prefixes at most once.
        unsafe {
            let rank = *self.ranks.get_unchecked(i);
            let mut found = u32::NONE;
            while self.height > 0 {
                let (top, offset) = *self.stack.get_unchecked(self.height - 1);
                let offset = offset as usize;
                if top < rank {
                    found = position(self.base + offset);
                    break;
                }
                if STRICT && top == rank {
                    // An equal element shares its left neighbour and stays: its right neighbour is still to come.
                    found = *self.left.get_unchecked(offset);
                    break;
                }
                *self.right.get_unchecked_mut(offset) = position(self.base + i);
                self.height -= 1;
                if !STRICT && top == rank {
                    found = position(self.base + offset);
                    break;
                }
            }
            *self.left.get_unchecked_mut(i) = found;
            *self.prefix.get_unchecked_mut(self.prefixes) = i as u16;
            self.prefixes += usize::from(found == u32::NONE);
        }
    }
}

// Steps 2 and 3: between tiles.

/// For every tile the nearest tile on the left, and on the right, whose best is better.
struct Links {
    left: Vec<usize>,
    right: Vec<usize>,
}

const NO_TILE: usize = usize::MAX;

/// The sequential stack once more, over the tiles: few.
fn links<R: Rank>(tiles: &[Tile<R>]) -> Links {
    let mut links = Links { left: vec![NO_TILE; tiles.len()], right: vec![NO_TILE; tiles.len()] };
    let mut stack: Vec<usize> = Vec::new();
    for (t, tile) in tiles.iter().enumerate() {
        while let Some(top) = stack.pop_if(|&mut top| tiles[top].best > tile.best) {
            links.right[top] = t;
        }
        links.left[t] = match stack.last() {
            // Equal tiles share their link: chains of them would have to be walked again and again.
            Some(&top) if tiles[top].best == tile.best => links.left[top],
            Some(&top) => top,
            None => NO_TILE,
        };
        stack.push(t);
    }
    links
}

struct Pairs<'p, R: Rank> {
    array: &'p [R],
    order: Ranking<R>,
    first: usize,
    tiles: &'p [Tile<R>],
    links: Links,
}

impl<R: Rank> Pairs<'_, R> {
    /// Finds the neighbours, on one side, of the elements of tile `t` that have none on that side in the tile itself.
    fn find<P: Position, const STRICT: bool>(&self, t: usize, right: bool, out: &mut [P]) {
        let links = if right { &self.links.right } else { &self.links.left };
        // From the worst seeker to the best, which is away from the other tiles: neighbours only get further.
        let seekers = if right { self.suffix(t) } else { self.prefix(t) };
        let mut next = seekers.offsets.len();
        let mut other = if right { t + 1 } else { t.wrapping_sub(1) };
        while let (1.., Some(there)) = (next, self.tiles.get(other)) {
            let rungs = if right { self.prefix(other) } else { self.suffix(other) };
            let mut top = rungs.offsets.len() - 1;
            let mut top_rank = rungs.rank(top);
            // Two sorted lists: climb down both.
            while next > 0 {
                let rank = seekers.rank(next - 1);
                if !serves::<R, STRICT>(there.best, rank) {
                    break;
                }
                if !serves::<R, STRICT>(top_rank, rank) {
                    top -= 1;
                    top_rank = rungs.rank(top);
                    if !serves::<R, STRICT>(top_rank, rank) {
                        top = rungs.highest_below::<STRICT>(top, rank);
                        top_rank = rungs.rank(top);
                    }
                }
                out[seekers.offset(next - 1)] = P::new(self.first + other * TILE + rungs.offset(top));
                next -= 1;
            }
            other = links[other];
        }
    }

    /// What has no neighbour in any tile, on either side: of a tile's prefix minima those that are not served by the best
    /// of the tiles before it, of its suffix minima likewise.
    fn open<const STRICT: bool>(&self) -> Result<Open> {
        let len = self.array.len();
        let sides = [false, true].map(|right| {
            let mut best = None;
            let mut kept = vec![0; self.tiles.len()];
            for i in 0..self.tiles.len() {
                let t = if right { self.tiles.len() - 1 - i } else { i };
                let ladder = if right { self.suffix(t) } else { self.prefix(t) };
                kept[t] = match best {
                    Some(best) => ladder.unserved::<STRICT>(best),
                    None => ladder.offsets.len(),
                };
                best = Some(best.unwrap_or(R::WORST).min(self.tiles[t].best));
            }
            match self.row(right, &kept) {
                Some(row) => Ok(Places::Row(row)),
                None if u32::fits(len) => self.listed::<u32>(right, kept),
                None => self.listed::<u64>(right, kept),
            }
        });
        let [left, right] = sides;
        Ok(Open { left: left?, right: right? })
    }

    /// The best of a tile's prefix or suffix minima, so many: the first suffix minima, the last prefix minima.
    fn best(&self, t: usize, suffix: bool, count: usize) -> &[u16] {
        let tile = &self.tiles[t];
        if suffix { &tile.suffix[..count] } else { &tile.prefix[tile.prefix.len() - count..] }
    }

    /// Where the best elements of every tile lie, `kept` of each, if that is in a row.
    fn row(&self, suffix: bool, kept: &[usize]) -> Option<Range<usize>> {
        let mut row = 0..0;
        for (t, &kept) in kept.iter().enumerate() {
            let best = self.best(t, suffix, kept);
            let (Some(&first), Some(&last)) = (best.first(), best.last()) else { continue };
            let [first, last] = [first, last].map(|offset| t * TILE + usize::from(offset));
            if last - first + 1 != kept || !row.is_empty() && row.end != first {
                return None;
            }
            row = if row.is_empty() { first } else { row.start }..last + 1;
        }
        Some(row)
    }

    /// The same elements, by their places in the array.
    fn listed<P: Position>(&self, suffix: bool, mut kept: Vec<usize>) -> Result<Places> {
        let total = exclusive_scan_in_place(&mut kept, 0, |a, b| a + b);
        kept.push(total);
        let mut out = large_zeroed::<P>(total, "open elements")?;
        let places = Disjoint::new(&mut out);
        for_each_chunk(self.tiles.len(), 1, &|range| {
            for t in range {
                // SAFETY: tiles have different places.
                let out = unsafe { places.slice_mut(kept[t]..kept[t + 1]) };
                let best = self.best(t, suffix, out.len());
                for (out, &offset) in out.iter_mut().zip(best) {
                    *out = P::new(t * TILE + usize::from(offset));
                }
            }
        });
        Ok(Places::Listed(P::list(out)))
    }
}

/// Prefix or suffix minima of a tile as a ladder, from the best rank (rung 0) to the worst.
struct Ladder<'p, R> {
    keys: &'p [R],
    order: Ranking<R>,
    offsets: &'p [u16],
    /// Rung `j` is entry `(j ^ flip) + add`: the list is read forwards with 0 and 0, backwards with all bits and its length.
    flip: usize,
    add: usize,
}

impl<R: Rank> Pairs<'_, R> {
    /// Suffix minima lie from the best to the worst.
    fn suffix(&self, t: usize) -> Ladder<'_, R> {
        let offsets = &self.tiles[t].suffix;
        Ladder { keys: &self.array[t * TILE..], order: self.order, offsets, flip: 0, add: 0 }
    }

    /// Prefix minima lie from the worst to the best.
    fn prefix(&self, t: usize) -> Ladder<'_, R> {
        let offsets = &self.tiles[t].prefix;
        Ladder { keys: &self.array[t * TILE..], order: self.order, offsets, flip: usize::MAX, add: offsets.len() }
    }
}

impl<R: Rank> Ladder<'_, R> {
    #[inline(always)]
    fn offset(&self, rung: usize) -> usize {
        debug_assert!(rung < self.offsets.len());
        // SAFETY: the index is `rung`, or as far from the other end, and rungs are counted from `offsets.len()` down.
        usize::from(unsafe { *self.offsets.get_unchecked((rung ^ self.flip).wrapping_add(self.add)) })
    }

    #[inline(always)]
    fn rank(&self, rung: usize) -> R {
        debug_assert!(self.offset(rung) < self.keys.len());
        // SAFETY: `solve_tile` lists elements of the tile, and the keys begin with them.
        unsafe { self.keys.get_unchecked(self.offset(rung)) }.ranked(self.order)
    }

    /// How many rungs, the lowest, an element of this rank does not serve.
    fn unserved<const STRICT: bool>(&self, there: R) -> usize {
        let (mut low, mut high) = (0, self.offsets.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if serves::<R, STRICT>(there, self.rank(middle)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }

    /// The highest rung below `rung` that serves an element of this rank. The lowest one does.
    #[inline(always)]
    fn highest_below<const STRICT: bool>(&self, rung: usize, rank: R) -> usize {
        // In steps of 1, 2, 4, ...: cheap where neighbours are close, logarithmic where they are not.
        let (mut too_high, mut step) = (rung, 1);
        let mut good = rung - 1;
        while !serves::<R, STRICT>(self.rank(good), rank) {
            too_high = good;
            step *= 2;
            good = good.saturating_sub(step);
        }
        while too_high - good > 1 {
            let middle = good + (too_high - good) / 2;
            if serves::<R, STRICT>(self.rank(middle), rank) {
                good = middle;
            } else {
                too_high = middle;
            }
        }
        good
    }
}
