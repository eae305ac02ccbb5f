//! List ranking over parts: sparse ruling sets.
//!
//! A list's elements lie on any ranks, so following it is a message a step. So many walks go at once: from every head and from
//! random *rulers*, one in 8 elements. A walk is a token that moves to the rank that owns the next element, leaves there which
//! ruler it comes from and what it has summed, and ends at the next ruler or at the list's end. In a round all tokens move, each
//! as far as it stays on one rank, but step by step, so that memory can be asked ahead; there are about 8 ln n rounds. The rulers are a list of their own, of at most a quarter of the
//! elements and weighted by what lies between them, which is ranked by the same means until it fits every rank; then every
//! element adds what its ruler has. Elements, and sums of ones, are numbers of 32 bits if there are not more of them.
//!
//! Heads are those that nobody points to, so all links are told first to those whom they lead to. That also shows what is no
//! list: two links that lead to one element; and what no walk from a head has passed lies on a cycle.
//!
//! Work O(n/p) a rank on random lists, O(log n) levels; about 32 bytes an element are sent, 65 with weights or more than 2^32 elements, less where
//! lists stay on their ranks.
//! Source: Sibeyn 1997 after Ranade 1994, with tokens that stop at rulers.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use thalweg_core::error::{expect_len, try_filled};
use thalweg_core::memory::computed;
use thalweg_core::primitives::exclusive_scan_in_place;
use thalweg_core::simd::prefetch;
use thalweg_core::{Error, Position, Positions, PositionsRef, Result};
use thalweg_trees::list::{self, Direction, Options};

use crate::Ranks;
use crate::ranks::{Owners, exchange_any, exchange_items, garbled, gather, gather_one, items_of, smallest};

/// One in so many elements is a ruler. There are as many times more rounds as there are fewer rulers; they are what many ranks wait for.
const SPARSE: u64 = 8;

/// Elements that fit every rank: a list of so many is ranked by all of them.
const FEW: usize = 1 << 16;

/// Tokens that a task moves.
const CHUNK: usize = 1 << 12;

/// Tokens ahead of which memory is asked for what they will find: each comes to a place where nobody was before.
const AHEAD: usize = 16;

/// No element: the end of a list, or nothing yet.
const NONE: u64 = u64::MAX;

/// For every element of this rank's part of `len` the number of links to the end of its list, or from its head: what
/// [`list::rank`] tells of the whole. The contract is [that of one process](mod@list#the-contract-on-every-device).
///
/// # Errors
/// Those of the contract, the same at all ranks; [`Error::Length`] if the part is not this rank's; those of the transport.
pub fn rank(ranks: &dyn Ranks, next: PositionsRef<'_>, len: usize, direction: Direction) -> Result<Vec<u64>> {
    if ranks.size() == 1 {
        let options = Options { direction, ..Options::default() };
        let ranks = match next {
            PositionsRef::U32(next) => Position::list(list::rank(next, &options)?),
            PositionsRef::U64(next) => Position::list(list::rank(next, &options)?),
        };
        return Ok(match ranks {
            Positions::U32(ranks) => ranks.into_iter().map(u64::from).collect(),
            Positions::U64(ranks) => ranks,
        });
    }
    let mut sums = solve(ranks, next, len, None, direction)?;
    // An element more than links.
    sums.iter_mut().for_each(|sum| *sum -= 1);
    Ok(sums)
}

/// For every element of this rank's part the sum of its weight and those of all after it in its list, or before it, modulo
/// 2^64: what [`list::sums`] tells of the whole.
///
/// # Errors
/// Those of [`rank`]; [`Error::Length`] if weights are not as many as elements.
pub fn sums(
    ranks: &dyn Ranks,
    next: PositionsRef<'_>,
    len: usize,
    weights: &[i64],
    direction: Direction,
) -> Result<Vec<i64>> {
    expect_len("weights", weights.len(), next.len())?;
    if ranks.size() == 1 {
        let options = Options { direction, ..Options::default() };
        return match next {
            PositionsRef::U32(next) => list::sums(next, weights, &options),
            PositionsRef::U64(next) => list::sums(next, weights, &options),
        };
    }
    let sums = solve(ranks, next, len, Some(weights), direction)?;
    Ok(bytemuck::cast_vec(sums))
}

fn solve(
    ranks: &dyn Ranks,
    next: PositionsRef<'_>,
    len: usize,
    weights: Option<&[i64]>,
    direction: Direction,
) -> Result<Vec<u64>> {
    let range = ranks.part(len);
    expect_len("the part of this rank", next.len(), range.len())?;
    let next = match next {
        PositionsRef::U32(next) => links(ranks, next, range.start, len, "element")?,
        PositionsRef::U64(next) => links(ranks, next, range.start, len, "element")?,
    };
    match weights {
        None if u32::fits(len) => solve_in::<u32>(ranks, next, len, &|_| 1, direction),
        None => solve_in::<u64>(ranks, next, len, &|_| 1, direction),
        Some(weights) => solve_in::<u64>(ranks, next, len, &|i| weights[i] as u64, direction),
    }
}

/// With words for elements and sums.
fn solve_in<W: Word>(
    ranks: &dyn Ranks,
    next: Vec<u64>,
    len: usize,
    weight: &(dyn Fn(usize) -> u64 + Sync),
    direction: Direction,
) -> Result<Vec<u64>> {
    let (first, owners) = (ranks.part(len).start, Owners::new(len, ranks.size()));
    let followed = followed::<W>(ranks, &next, first, &owners)?;
    let nodes = computed(next.len(), CHUNK, "elements of lists", |i| Node::<W>::new(next[i], weight(i)))?;
    drop(next);
    let level = Level { ranks, len, owners, first, nodes, followed, direction, depth: 0 };
    let found = level.solve()?;
    let cyclic = found.is_cyclic.iter().position(|&cyclic| cyclic).map(|i| (first + i) as u64);
    match smallest(ranks, cyclic)? {
        Some(element) => Err(Error::Cycle { what: "element", element: element as usize }),
        None => computed(found.sums.len(), CHUNK, "sums of lists", |i| found.sums[i].bits()),
    }
}

/// An element or a sum, as wide as they have to be.
trait Word: Position {
    /// One that several threads may touch.
    type Cell: Send + Sync;
    /// The low bits of a number; of [`NONE`] no position.
    fn of(number: u64) -> Self;
    /// As an element: [`NONE`] for none.
    fn wide(self) -> u64;
    /// As a sum.
    fn bits(self) -> u64;
    fn cell(self) -> Self::Cell;
    fn load(cell: &Self::Cell) -> Self;
    fn store(self, cell: &Self::Cell);
}

macro_rules! words {
    ($($word:ident, $cell:ident;)*) => {$(
        impl Word for $word {
            type Cell = $cell;
            #[inline(always)]
            fn of(number: u64) -> Self {
                number as $word
            }
            #[inline(always)]
            fn wide(self) -> u64 {
                if self == Self::NONE { NONE } else { self as u64 }
            }
            #[inline(always)]
            fn bits(self) -> u64 {
                self as u64
            }
            fn cell(self) -> $cell {
                $cell::new(self)
            }
            #[inline(always)]
            fn load(cell: &$cell) -> Self {
                cell.load(Ordering::Relaxed)
            }
            #[inline(always)]
            fn store(self, cell: &$cell) {
                cell.store(self, Ordering::Relaxed);
            }
        }
    )*};
}
words! {
    u32, AtomicU32;
    u64, AtomicU64;
}

/// Links of this rank's part, with [`NONE`] where a list ends or a root is: those that lead out of the array are refused, the first
/// of all ranks by all ranks.
pub(crate) fn links<P: Position>(
    ranks: &dyn Ranks,
    links: &[P],
    first: usize,
    len: usize,
    what: &'static str,
) -> Result<Vec<u64>> {
    let bad = links.iter().position(|&to| to != P::NONE && to.get() >= len);
    let told = bad.map_or([NONE; 2], |i| [(first + i) as u64, links[i].to_low_bits()]);
    let [element, to] = gather_one(ranks, told)?.into_iter().min().unwrap_or([NONE; 2]);
    if element != NONE {
        return Err(Error::Link { what, element: element as usize, to, len });
    }
    computed(links.len(), CHUNK, "links", |i| match links[i].checked() {
        Some(to) if to != first + i => to as u64,
        _ => NONE,
    })
}

/// Which elements of this rank's part follow another. If one follows two, it is refused, the first of all by all.
fn followed<W: Word>(ranks: &dyn Ranks, next: &[u64], first: usize, owners: &Owners) -> Result<Vec<bool>> {
    let mut out = vec![Vec::new(); ranks.size()];
    for &to in next.iter().filter(|&&to| to != NONE) {
        out[owners.of(to as usize)].push(W::of(to));
    }
    let mut followed = try_filled(next.len(), false, "marks of elements")?;
    let mut joined = None;
    for to in exchange_items(ranks, &out)?.into_iter().flatten() {
        let to = to.wide();
        if std::mem::replace(&mut followed[to as usize - first], true) {
            joined = Some(joined.map_or(to, |joined: u64| joined.min(to)));
        }
    }
    let Some(element) = smallest(ranks, joined)? else { return Ok(followed) };
    let before: Vec<u64> =
        (0..next.len()).filter(|&i| next[i] == element).map(|i| (first + i) as u64).take(2).collect();
    let mut all: Vec<u64> = Vec::new();
    for bytes in gather(ranks, bytemuck::cast_slice(&before))? {
        all.extend(items_of::<u64>(&bytes)?);
    }
    all.sort_unstable();
    Err(Error::Join { element: element as usize, before: [all[0] as usize, all[1] as usize] })
}

/// Lists, of which this rank has a part; no element follows two.
struct Level<'l, W: Word> {
    ranks: &'l dyn Ranks,
    len: usize,
    owners: Owners,
    first: usize,
    nodes: Vec<Node<W>>,
    followed: Vec<bool>,
    direction: Direction,
    depth: u64,
}

/// An element, and what a walk leaves there: all that a token touches, in a quarter or half of a cache line.
#[repr(align(16))]
struct Node<W: Word> {
    next: W,
    weight: W,
    /// The ruler that the walk came from. Atomic, for several threads move tokens; each element is passed once.
    ruler: W::Cell,
    /// The sum of the weights from that ruler up to the element.
    sum: W::Cell,
}

impl<W: Word> Node<W> {
    fn new(next: u64, weight: u64) -> Self {
        Self { next: W::of(next), weight: W::of(weight), ruler: W::NONE.cell(), sum: W::of(0).cell() }
    }

    fn ruler(&self) -> u64 {
        W::load(&self.ruler).wide()
    }
}

/// Rulers of a part: places, in a bit each, and how many come before those of a word of 64.
struct Chosen {
    bits: Vec<u64>,
    before: Vec<usize>,
    count: usize,
}

impl Chosen {
    fn new(len: usize, is_chosen: impl Fn(usize) -> bool + Sync) -> Result<Self> {
        let bits = computed(len.div_ceil(64), CHUNK / 64, "rulers", |word| {
            let places = word * 64..len.min(word * 64 + 64);
            places.enumerate().fold(0, |bits, (k, i)| bits | u64::from(is_chosen(i)) << k)
        })?;
        let mut before = bits.iter().map(|word| word.count_ones() as usize).collect::<Vec<_>>();
        let count = exclusive_scan_in_place(&mut before, 0, |a, b| a + b);
        Ok(Self { bits, before, count })
    }

    /// How many rulers come before this one, if it is one.
    #[inline(always)]
    fn number(&self, i: usize) -> Option<usize> {
        let (word, bit) = (self.bits[i / 64], 1 << (i % 64));
        (word & bit != 0).then(|| self.before[i / 64] + (word & (bit - 1)).count_ones() as usize)
    }

    fn places(&self) -> impl Iterator<Item = usize> {
        self.bits.iter().enumerate().flat_map(|(word, &bits)| {
            let rest = |&bits: &u64| Some(bits & bits.wrapping_sub(1)).filter(|&bits| bits != 0);
            let first = Some(bits).filter(|&bits| bits != 0);
            std::iter::successors(first, rest).map(move |bits| word * 64 + bits.trailing_zeros() as usize)
        })
    }
}

/// What is known of a part's elements.
struct Found<W> {
    sums: Vec<W>,
    is_cyclic: Vec<bool>,
}

/// A walk: the element that it comes to, the ruler that it comes from, and the sum of the weights since.
type Token<W> = [W; 3];

impl<W: Word> Level<'_, W> {
    /// Whether an element of this rank, if it follows another, is a ruler.
    fn is_chosen(&self, element: u64) -> bool {
        // SplitMix64's mixing: any that looks random will do.
        let mut x = (element ^ self.depth << 58).wrapping_add(0x9e37_79b9_7f4a_7c15);
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (x ^ (x >> 31)).is_multiple_of(SPARSE)
    }

    fn owner(&self, element: u64) -> usize {
        self.owners.of(element as usize)
    }

    /// Whether this rank has it.
    fn is_here(&self, element: u64) -> bool {
        (element as usize).wrapping_sub(self.first) < self.nodes.len()
    }

    fn solve(self) -> Result<Found<W>> {
        if self.len <= FEW {
            return self.solve_few();
        }
        let count = self.nodes.len();
        let element = |i: usize| (self.first + i) as u64;
        // Chosen rulers have their numbers in the next level already, and others find them: heads do not follow anybody.
        let chosen = Chosen::new(count, |i| self.followed[i] && self.is_chosen(element(i)))?;
        let heads: Vec<usize> = (0..count).filter(|&i| !self.followed[i]).collect();
        let counts = gather_one(self.ranks, chosen.count as u64)?;
        let first_chosen = counts[..self.ranks.rank()].iter().sum::<u64>();
        let all_chosen = counts.iter().sum::<u64>();

        let reports = self.walk(&chosen, &heads, first_chosen)?;
        // What rulers found: number of the next ruler, or none, and the sum up to it. Those that found nothing are on no list.
        let mut ends: Vec<[W; 2]> = try_filled(count, [W::NONE, W::of(0)], "ends of walks")?;
        for [ruler, to, sum] in exchange_items(self.ranks, &reports)?.into_iter().flatten() {
            ends[ruler.get() - self.first] = [to, sum];
        }
        // Heads that came to the end are done.
        let going: Vec<usize> = heads.iter().copied().filter(|&i| ends[i][0] != W::NONE).collect();
        let counts = gather_one(self.ranks, going.len() as u64)?;
        let first_going = all_chosen + counts[..self.ranks.rank()].iter().sum::<u64>();
        let len = (all_chosen + counts.iter().sum::<u64>()) as usize;

        // The next level, each ruler to the rank that owns its number there.
        let size = self.ranks.size();
        let rulers = || {
            let chosen = chosen.places().zip(first_chosen..).map(|(i, number)| (i, number, 1));
            chosen.chain(going.iter().zip(first_going..).map(|(&i, number)| (i, number, 0)))
        };
        let (mut out, owners) = (vec![Vec::<[W; 4]>::new(); size], Owners::new(len, size));
        for (i, number, is_followed) in rulers() {
            out[owners.of(number as usize)].push([W::of(number), ends[i][0], ends[i][1], W::of(is_followed)]);
        }
        let arrived = exchange_items(self.ranks, &out)?;
        let range = self.ranks.part(len);
        let mut next = Level {
            ranks: self.ranks,
            len,
            owners,
            first: range.start,
            nodes: computed(range.len(), CHUNK, "rulers", |_| Node::<W>::new(NONE, 0))?,
            followed: try_filled(range.len(), false, "rulers")?,
            direction: self.direction,
            depth: self.depth + 1,
        };
        for &[number, to, weight, is_followed] in arrived.iter().flatten() {
            let place = number.get() - range.start;
            (next.nodes[place], next.followed[place]) = (Node::new(to.wide(), weight.bits()), is_followed == W::of(1));
        }
        let owners = next.owners.clone();
        let found = next.solve()?;
        // Back the same way.
        let told: Vec<Vec<[W; 2]>> = arrived
            .iter()
            .map(|asked| {
                let of = |&[number, ..]: &[W; 4]| {
                    let place = number.get() - range.start;
                    [found.sums[place], W::of(found.is_cyclic[place].into())]
                };
                asked.iter().map(of).collect()
            })
            .collect();
        let mut told: Vec<_> = exchange_items(self.ranks, &told)?.into_iter().map(Vec::into_iter).collect();
        // For every ruler of this rank what its elements add to their own: all that lies behind its beginning, or before it.
        let mut bases: Vec<[W; 2]> = try_filled(count, [W::of(0), W::of(1)], "sums of rulers")?;
        for &i in &heads {
            bases[i] = [if self.direction == Direction::ToEnd { ends[i][1] } else { W::of(0) }, W::of(0)];
        }
        for (i, number, _) in rulers() {
            let [sum, is_cyclic] = told[owners.of(number as usize)].next().ok_or_else(garbled)?;
            let before = W::of(sum.bits().wrapping_sub(ends[i][1].bits()));
            bases[i] = [if self.direction == Direction::ToEnd { sum } else { before }, is_cyclic];
        }
        self.finish(&bases)
    }

    /// Moves tokens until all have ended: what they report.
    fn walk(&self, chosen: &Chosen, heads: &[usize], first_chosen: u64) -> Result<Vec<Vec<[W; 3]>>> {
        let size = self.ranks.size();
        let number = |i: usize| chosen.number(i).map(|before| first_chosen + before as u64);
        let begin = heads.iter().copied().chain(chosen.places()).map(|i| W::new(self.first + i));
        let mut tokens: Vec<Token<W>> = begin.map(|ruler| [ruler, ruler, W::of(0)]).collect();
        let (mut begins, mut reports) = (true, vec![Vec::new(); size]);
        loop {
            let moved = computed(tokens.len().div_ceil(CHUNK), 1, "walks", |chunk| {
                let tokens = &tokens[chunk * CHUNK..tokens.len().min(chunk * CHUNK + CHUNK)];
                let mut moved =
                    Moved { out: vec![Vec::new(); size], reports: vec![Vec::new(); size], here: Vec::new() };
                self.step_all(tokens, begins, &number, &mut moved);
                while !moved.here.is_empty() {
                    let tokens = std::mem::take(&mut moved.here);
                    self.step_all(&tokens, false, &number, &mut moved);
                }
                moved
            })?;
            let mut out = vec![Vec::<Token<W>>::new(); size];
            for moved in moved {
                for to in 0..size {
                    out[to].extend_from_slice(&moved.out[to]);
                    reports[to].extend_from_slice(&moved.reports[to]);
                }
            }
            let Some(moved) = exchange_any(self.ranks, &out)? else { return Ok(reports) };
            tokens = moved.concat();
            begins = false;
        }
    }

    /// Moves tokens by a step. Those that begin are at their rulers.
    fn step_all(&self, tokens: &[Token<W>], begins: bool, number: Numbers<'_>, moved: &mut Moved<W>) {
        for (i, &token) in tokens.iter().enumerate() {
            if let Some(ahead) = tokens.get(i + AHEAD) {
                prefetch(&self.nodes, ahead[0].get() - self.first);
            }
            self.step(token, begins, number, moved);
        }
    }

    fn step(&self, [element, ruler, sum]: Token<W>, begins: bool, number: Numbers<'_>, moved: &mut Moved<W>) {
        let i = element.get() - self.first;
        if !begins && let Some(number) = number(i) {
            return moved.reports[self.owner(ruler.wide())].push([ruler, W::of(number), sum]);
        }
        let node = &self.nodes[i];
        let sum = W::of(sum.bits().wrapping_add(node.weight.bits()));
        ruler.store(&node.ruler);
        sum.store(&node.sum);
        match node.next.wide() {
            NONE => moved.reports[self.owner(ruler.wide())].push([ruler, W::NONE, sum]),
            to if self.is_here(to) => moved.here.push([node.next, ruler, sum]),
            to => moved.out[self.owner(to)].push([node.next, ruler, sum]),
        }
    }

    /// What every element has from its ruler and its walk. `bases` tells of this rank's rulers what their elements add, and
    /// whether they lie on a cycle.
    fn finish(&self, bases: &[[W; 2]]) -> Result<Found<W>> {
        let (count, size) = (self.nodes.len(), self.ranks.size());
        let mut asked = vec![Vec::new(); size];
        for ruler in self.nodes.iter().map(Node::ruler).filter(|&ruler| ruler != NONE && !self.is_here(ruler)) {
            asked[self.owner(ruler)].push(W::of(ruler));
        }
        let base = |ruler: u64| bases[ruler as usize - self.first];
        let told = exchange_items(self.ranks, &asked)?
            .into_iter()
            .map(|asked| {
                computed(asked.len(), CHUNK, "what other ranks ask for", |i| {
                    if let Some(&ahead) = asked.get(i + AHEAD) {
                        prefetch(bases, ahead.get() - self.first);
                    }
                    base(asked[i].wide())
                })
            })
            .collect::<Result<Vec<Vec<[W; 2]>>>>()?;
        drop(asked);
        let mut told: Vec<_> = exchange_items(self.ranks, &told)?.into_iter().map(Vec::into_iter).collect();
        let mut found = Found {
            sums: try_filled(count, W::of(0), "sums of lists")?,
            is_cyclic: try_filled(count, false, "marks of elements")?,
        };
        for (i, node) in self.nodes.iter().enumerate() {
            let [base, is_cyclic] = match node.ruler() {
                NONE => [W::of(0), W::of(1)],
                ruler if self.is_here(ruler) => base(ruler),
                ruler => told[self.owner(ruler)].next().ok_or_else(garbled)?,
            };
            let (base, sum) = (base.bits(), W::load(&node.sum).bits());
            found.sums[i] = W::of(match self.direction {
                Direction::ToEnd => base.wrapping_sub(sum).wrapping_add(node.weight.bits()),
                Direction::FromHead => base.wrapping_add(sum),
            });
            found.is_cyclic[i] = is_cyclic == W::of(1);
        }
        Ok(found)
    }

    /// Every rank ranks all of it.
    fn solve_few(&self) -> Result<Found<W>> {
        let own: Vec<[W; 3]> = self
            .nodes
            .iter()
            .zip(&self.followed)
            .map(|(node, &followed)| [node.next, node.weight, W::of(followed.into())])
            .collect();
        let mut all: Vec<[W; 3]> = Vec::new();
        for bytes in gather(self.ranks, bytemuck::cast_slice(&own))? {
            all.extend(items_of::<[W; 3]>(&bytes)?);
        }
        expect_len("elements of all ranks", all.len(), self.len)?;
        let (mut sums, mut is_cyclic) = (vec![W::of(0); self.len], vec![true; self.len]);
        let mut list = Vec::new();
        for head in (0..self.len).filter(|&i| all[i][2] == W::of(0)) {
            list.clear();
            let mut at = Some(head);
            while let Some(here) = at {
                list.push(here);
                at = all[here][0].checked();
            }
            let mut sum = 0u64;
            let mut step = |i: usize| {
                sum = sum.wrapping_add(all[i][1].bits());
                (sums[i], is_cyclic[i]) = (W::of(sum), false);
            };
            match self.direction {
                Direction::ToEnd => list.iter().rev().for_each(|&i| step(i)),
                Direction::FromHead => list.iter().for_each(|&i| step(i)),
            }
        }
        let range = self.first..self.first + self.nodes.len();
        Ok(Found { sums: sums[range.clone()].to_vec(), is_cyclic: is_cyclic[range].to_vec() })
    }
}

/// The number in the next level of an element of this rank, if it is a chosen ruler.
type Numbers<'n> = &'n dyn Fn(usize) -> Option<u64>;

/// What came of some tokens.
struct Moved<W> {
    /// Tokens for other ranks.
    out: Vec<Vec<Token<W>>>,
    /// For the ranks that own the rulers: which ruler, the number of the next one or none, and the sum up to it.
    reports: Vec<Vec<[W; 3]>>,
    /// Tokens that stay on this rank, and go on.
    here: Vec<Token<W>>,
}
