//! The table of Schieber and Vishkin: lowest common ancestors in constant time.
//!
//! Nodes have numbers such that the numbers of every subtree are an interval: preorder does, and so does in-order. The
//! *inlabel* of a node is the number in its subtree's interval with the most trailing zeros. Nodes with the same inlabel
//! form a path from some node, the path's head, downwards. Read as nodes of a complete binary tree by their bits,
//! inlabels keep the order of ancestors; and an *ascendant* number, the lowest set bits of all the inlabels above a node
//! in one word, tells which levels of that tree a node's ancestors occupy. So the inlabel of the lowest common ancestor of
//! two nodes comes from a few bit operations, and where the two enter its path from the parents of two heads:
//!
//! ```text
//! records   by node:     inlabel, ascendant, height      16 bytes: two of them are read for a query
//! ups       by inlabel:  parent of the head, its height   8 bytes: two of them, mostly near the root
//! ```
//!
//! The answer is the higher one of the two nodes where the paths are entered: the one with the smaller *height*, which is
//! any number that grows on the way down (the preorder number, or n less the size of the subtree).
//!
//! A forest gets a root above its roots, with the number before all others, which stands for "no common ancestor".
//!
//! Building: the inlabels; the heads write `ups`; every head walks up from head to head, a step raises the lowest set
//! bit, so there are at most log2 n; every node takes the ascendant of its inlabel. Schieber and Vishkin 1988. Work
//! O(n log n) in the worst case and O(n) in practice, span O(log n). Memory: 24 bytes a node for 32-bit positions.
//!
//! A batch goes through three stages in portions of 64 queries, each of which asks the memory for what the next
//! one needs.
#![allow(unsafe_code)]

use std::any::Any;
use std::fmt;

use thalweg_core::disjoint::Disjoint;
use thalweg_core::memory::{Aligned, computed, filled};
use thalweg_core::parallel::{for_each_chunk, for_each_chunk_mut};
use thalweg_core::simd::prefetch;
use thalweg_core::{Error, Pairs, Position, PositionsMut, Result};

/// Queries whose stages are interleaved. As in the engine `lines` of RMQ; not measured here.
const PORTION: usize = 64;

/// Nodes that a task takes at once.
const GRAIN: usize = 1 << 14;

/// Words of a record, and of an entry of `ups`.
const RECORD: usize = 4;
const UP: usize = 2;

/// The table.
pub struct Inlabel<P> {
    records: Aligned<P>,
    ups: Aligned<P>,
}

impl<P: Position> fmt::Debug for Inlabel<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inlabel").field("len", &self.len()).finish_non_exhaustive()
    }
}

impl<P: PartialEq> PartialEq for Inlabel<P> {
    fn eq(&self, other: &Self) -> bool {
        self.records[..] == other.records[..] && self.ups[..] == other.ups[..]
    }
}

/// What is known of a node.
#[derive(Clone, Copy)]
struct Record<P> {
    inlabel: P,
    ascendant: P,
    height: P,
}

/// Where to look for the ends of a query's two climbs: entries of `ups`, or 0 if the node itself is on the path.
#[derive(Clone, Copy, Default)]
struct Climb {
    x: usize,
    y: usize,
}

/// The number between two, both inclusive, with the most trailing zeros.
#[inline(always)]
fn roundest(first: usize, last: usize) -> usize {
    let k = ((first - 1) ^ last).ilog2();
    last >> k << k
}

impl<P: Position> Inlabel<P> {
    /// The table of `len` nodes whose subtrees have the numbers of `span`, both ends inclusive, from 1. `height` grows on
    /// every way down. If there are `several` trees, or none, a root is put above them; then heights begin at 1.
    ///
    /// # Errors
    /// [`Error::Width`] if numbers need more bits, [`Error::OutOfMemory`].
    pub fn new(
        len: usize,
        several: bool,
        span: &(dyn Fn(usize) -> (usize, usize) + Sync),
        height: &(dyn Fn(usize) -> P + Sync),
        parent: &(dyn Fn(usize) -> Option<usize> + Sync),
    ) -> Result<Self> {
        let height = |node: usize| height(node).get();
        let shape = Shape { len, several, span, height: &height, parent };
        // Compiled here, once, for both widths: whoever calls this with a width of its own compiles nothing.
        let table: Box<dyn Any> =
            if size_of::<P>() == 4 { Box::new(shape.table::<u32>()?) } else { Box::new(shape.table::<u64>()?) };
        Ok(*table.downcast().expect("positions have 32 or 64 bits"))
    }

    /// Bytes of memory that the table holds.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.records[..]) + size_of_val(&self.ups[..])
    }

    fn len(&self) -> usize {
        self.records.len() / RECORD
    }

    #[inline(always)]
    fn record(&self, node: usize) -> Record<P> {
        let record: &[P; RECORD] = self.records[node * RECORD..].first_chunk().expect("a whole record");
        Record { inlabel: record[0], ascendant: record[1], height: record[2] }
    }

    /// The higher of the nodes where two nodes' climbs end: a node, or [`Position::NONE`] for the root above.
    #[inline(always)]
    fn higher(&self, [x, y]: [P; 2], [x_record, y_record]: [Record<P>; 2], climb: Climb) -> P {
        let end = |own: P, record: Record<P>, up: usize| {
            let entry = (self.ups[up * UP], self.ups[up * UP + 1]);
            if up == 0 { (own, record.height) } else { entry }
        };
        let (x, y) = (end(x, x_record, climb.x), end(y, y_record, climb.y));
        if x.1 <= y.1 { x.0 } else { y.0 }
    }

    /// The lowest common ancestor of two nodes inside, or [`Position::NONE`].
    #[inline]
    pub fn ask(&self, x: usize, y: usize) -> P {
        let records = [self.record(x), self.record(y)];
        self.higher([P::new(x), P::new(y)], records, climb(records))
    }

    /// Answers a chunk of a batch; `None` if a node does not exist.
    #[must_use]
    pub fn answer<Q: Position>(&self, queries: &[[Q; 2]], out: &mut [Q]) -> Option<()> {
        answer_any(self, Q::pairs(queries), Q::buffer(out))
    }
}

/// What a table is made of: see [`Inlabel::new`].
struct Shape<'s> {
    len: usize,
    several: bool,
    span: &'s (dyn Fn(usize) -> (usize, usize) + Sync),
    height: &'s (dyn Fn(usize) -> usize + Sync),
    parent: &'s (dyn Fn(usize) -> Option<usize> + Sync),
}

impl Shape<'_> {
    fn table<P: Position>(&self) -> Result<Inlabel<P>> {
        let &Self { len, several, span, height, parent } = self;
        // With a root above it has the number 1, and the others move by one.
        let shift = usize::from(several);
        let numbers = len + shift;
        if !P::fits(numbers) {
            return Err(Error::Width { len: numbers, got: P::NAME });
        }
        let above = if several { roundest(1, numbers) } else { 0 };
        let inlabel = |v: usize| {
            let (first, last) = span(v);
            P::new(roundest(first + shift, last + shift))
        };
        let inlabels = computed(len, GRAIN, "inlabels", inlabel)?;

        // For every inlabel: the inlabel above its head.
        let mut aboves: Vec<P> = filled(numbers + 1, P::NONE, "inlabels above")?;
        let mut ups = Aligned::zeroed((numbers + 1) * UP, "parents of heads")?;
        for_each_chunk_mut(&mut ups, GRAIN, &|_, ups| ups.fill(P::NONE));
        let (aboves_place, ups_place) = (Disjoint::new(&mut aboves), Disjoint::new(&mut ups));
        for_each_chunk(len, GRAIN, &|range| {
            for v in range {
                let (own, up) = (inlabels[v].get(), parent(v));
                let higher = up.map_or(above, |up| inlabels[up].get());
                if higher != own {
                    // SAFETY: of a path only the head has a parent with another inlabel; inlabels are at most `numbers`.
                    unsafe {
                        aboves_place.put(own, P::new(higher));
                        ups_place.put(own * UP, up.map_or(P::NONE, P::new));
                        ups_place.put(own * UP + 1, P::new(up.map_or(0, height)));
                    }
                }
            }
        });

        let bit = |inlabel: usize| inlabel & inlabel.wrapping_neg();
        let ascendant = |inlabel: usize| {
            let (mut at, mut bits) = (inlabel, 0);
            while at != 0 {
                bits |= bit(at);
                // The root above has nothing above it, and neither has the head of a single tree's root.
                at = aboves[at].checked().unwrap_or(0);
            }
            P::new(bits)
        };
        let ascendants = computed(numbers + 1, GRAIN, "ascendants of inlabels", ascendant)?;
        drop(aboves);
        let mut records = Aligned::zeroed(len * RECORD, "records of nodes")?;
        let (whole, _) = records.as_chunks_mut::<RECORD>();
        for_each_chunk_mut(whole, GRAIN, &|first, records| {
            for (v, record) in (first..).zip(records) {
                let own = inlabels[v];
                *record = [own, ascendants[own.get()], P::new(height(v)), P::new(0)];
            }
        });
        Ok(Inlabel { records, ups })
    }
}

/// Where the climbs of two nodes to the path of their lowest common ancestor end.
#[inline(always)]
fn climb<P: Position>([x, y]: [Record<P>; 2]) -> Climb {
    let (x_in, y_in) = (x.inlabel.get(), y.inlabel.get());
    if x_in == y_in {
        return Climb::default();
    }
    let i = (x_in ^ y_in).ilog2().max(x_in.trailing_zeros()).max(y_in.trailing_zeros());
    // The lowest level from i on that both have an ancestor on. There is one: the root's.
    let j = (x.ascendant.get() & y.ascendant.get() & usize::MAX << i).trailing_zeros();
    let path = |inlabel: usize, level: u32| (inlabel >> level | 1) << level;
    let z = path(x_in, j);
    let end = |inlabel: usize, ascendant: usize| {
        // The highest level below j that it has an ancestor on: the parent of that path's head is on z.
        let below = ascendant & !(usize::MAX << j);
        if inlabel == z { 0 } else { path(inlabel, below.ilog2()) }
    };
    Climb { x: end(x_in, x.ascendant.get()), y: end(y_in, y.ascendant.get()) }
}

/// Answers by whatever table it is. Compiled here, once, for all widths. (Wider instruction sets gain nothing: random reads
/// are what takes time.)
fn answer_any(table: &dyn Any, queries: Pairs<'_>, out: PositionsMut<'_>) -> Option<()> {
    fn by<P: Position>(table: &Inlabel<P>, queries: Pairs<'_>, out: PositionsMut<'_>) -> Option<()> {
        match (queries, out) {
            (Pairs::U32(queries), PositionsMut::U32(out)) => answer(table, queries, out),
            (Pairs::U64(queries), PositionsMut::U64(out)) => answer(table, queries, out),
            _ => unreachable!("queries and positions have one width"),
        }
    }
    match table.downcast_ref::<Inlabel<u32>>() {
        Some(table) => by(table, queries, out),
        None => by(table.downcast_ref::<Inlabel<u64>>().expect("positions have 32 or 64 bits"), queries, out),
    }
}

fn answer<P: Position, Q: Position>(table: &Inlabel<P>, queries: &[[Q; 2]], out: &mut [Q]) -> Option<()> {
    let len = table.len();
    let mut climbs = [Climb::default(); PORTION];
    let mut portions = queries.chunks(PORTION).zip(out.chunks_mut(PORTION)).peekable();
    if let Some((queries, _)) = portions.peek() {
        ask_for_records(table, queries);
    }
    while let Some((queries, out)) = portions.next() {
        if queries.iter().fold(false, |bad, &[x, y]| bad | (x.get() >= len) | (y.get() >= len)) {
            return None;
        }
        for (&[x, y], to) in queries.iter().zip(&mut climbs) {
            *to = climb([table.record(x.get()), table.record(y.get())]);
            prefetch(&table.ups, to.x * UP);
            prefetch(&table.ups, to.y * UP);
        }
        // The next portion's records come while this one's climbs end.
        if let Some((queries, _)) = portions.peek() {
            ask_for_records(table, queries);
        }
        for ((&[x, y], &climb), out) in queries.iter().zip(&climbs).zip(out) {
            let (x, y) = (x.get(), y.get());
            let found = table.higher([P::new(x), P::new(y)], [table.record(x), table.record(y)], climb);
            *out = found.checked().map_or(Q::NONE, Q::new);
        }
    }
    Some(())
}

#[inline(always)]
fn ask_for_records<P: Position, Q: Position>(table: &Inlabel<P>, queries: &[[Q; 2]]) {
    for &[x, y] in queries {
        prefetch(&table.records, x.get().wrapping_mul(RECORD));
        prefetch(&table.records, y.get().wrapping_mul(RECORD));
    }
}
