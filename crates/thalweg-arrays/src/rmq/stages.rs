//! Batches in stages: the lists of queries that wait for the next one.
//!
//! A batch is answered in portions, and a portion in stages. A stage has no branch that depends on the data: it appends
//! the queries that a later one has to look at to its list, and that one asks the memory for everything it needs before
//! it begins. So the misses of many queries overlap, and hardly a branch is mispredicted.

use thalweg_core::simd::Level;
use thalweg_core::{Pairs, Position, PositionsMut, Rank};

/// Queries whose stages are interleaved: enough to keep all of a core's outstanding misses busy, few enough that the
/// prefetched lines survive in the L1 cache until they are used.
pub(super) const PORTION: usize = 64;

/// The highest instruction set that a kernel is compiled for, where AVX-512 gains nothing for narrow keys. Sixteen keys of 8
/// or 16 bits fill half of an AVX2 register, or all of it: with AVX-512 `lines` takes half as long again to build over keys of
/// 16 bits, and a single query as long. Batches do gain from it, by a tenth, and so does building `padded_tree`, by a third.
pub(super) const fn most<R: Rank>() -> Level {
    if R::BITS <= 16 { Level::Avx2 } else { Level::Avx512 }
}

/// The bounds of the queries of a portion.
pub(super) type Ranges = [[usize; 2]; PORTION];

/// Reads the portion that begins with query `first`, and notes what `look` says of its ranges. Returns how many there are,
/// or `None` if one is not inside an array of `len` elements; for bad ranges, `look` may say anything.
///
/// The widths of queries and answers end here: what lies between is compiled once for both. Plain arithmetic in a loop of
/// its own becomes vector instructions.
#[inline(always)]
pub(super) fn load<T>(
    queries: Pairs<'_>,
    first: usize,
    len: usize,
    ranges: &mut Ranges,
    looks: &mut [T; PORTION],
    look: impl Fn(usize, usize) -> T,
) -> Option<usize> {
    #[inline(always)]
    fn load_as<P: Position, T>(
        queries: &[[P; 2]],
        len: usize,
        ranges: &mut Ranges,
        looks: &mut [T; PORTION],
        look: impl Fn(usize, usize) -> T,
    ) -> Option<usize> {
        let mut bad = false;
        for ((query, range), to) in queries.iter().zip(ranges).zip(looks) {
            let [left, right] = query.map(P::get);
            bad |= (left > right) | (right >= len);
            *range = [left, right];
            *to = look(left, right);
        }
        if bad { None } else { Some(queries.len()) }
    }
    match queries {
        Pairs::U32(queries) => load_as(portion(queries, first), len, ranges, looks, look),
        Pairs::U64(queries) => load_as(portion(queries, first), len, ranges, looks, look),
    }
}

#[inline(always)]
fn portion<T>(queries: &[T], first: usize) -> &[T] {
    &queries[first..queries.len().min(first + PORTION)]
}

/// Writes the answers of a portion that begins with query `first`.
#[inline(always)]
pub(super) fn store(answers: &[usize], first: usize, out: &mut PositionsMut<'_>) {
    #[inline(always)]
    fn store_as<P: Position>(answers: &[usize], out: &mut [P]) {
        for (&answer, out) in answers.iter().zip(out) {
            *out = P::new(answer);
        }
    }
    match out {
        PositionsMut::U32(out) => store_as(answers, &mut out[first..]),
        PositionsMut::U64(out) => store_as(answers, &mut out[first..]),
    }
}

/// A query of the portion, which of its ends are open, and a mark that means what the engine wants.
#[derive(Clone, Copy)]
pub(super) struct Ticket(u16);

impl Ticket {
    #[inline(always)]
    pub(super) fn new(query: usize, (left, right): (bool, bool)) -> Self {
        Self(query as u16 | u16::from(left) << 8 | u16::from(right) << 9)
    }

    #[inline(always)]
    pub(super) fn query(self) -> usize {
        usize::from(self.0) % PORTION
    }

    #[inline(always)]
    pub(super) fn open(self) -> (bool, bool) {
        (self.0 >> 8 & 1 == 1, self.0 >> 9 & 1 == 1)
    }

    #[inline(always)]
    pub(super) fn marked(self, mark: bool) -> Self {
        Self(self.0 | u16::from(mark) << 10)
    }

    #[inline(always)]
    pub(super) fn mark(self) -> bool {
        self.0 >> 10 & 1 == 1
    }
}

/// What waits for a stage: queries, unless an engine has tickets of its own.
#[derive(Clone, Copy)]
pub(super) struct List<T = Ticket, const MOST: usize = PORTION> {
    tickets: [T; MOST],
    len: usize,
}

impl List {
    pub(super) const EMPTY: Self = Self::new(Ticket(0));
}

impl<T: Copy, const MOST: usize> List<T, MOST> {
    /// An empty list. It is made of something, which is never seen.
    pub(super) const fn new(something: T) -> Self {
        Self { tickets: [something; MOST], len: 0 }
    }

    /// Appends without a branch: the ticket is always written, and counts only if `really`.
    #[inline(always)]
    pub(super) fn push_if(&mut self, really: bool, ticket: T) {
        // A list that is full gets no more tickets: there is room for all that a portion can have.
        self.tickets[self.len % MOST] = ticket;
        self.len += usize::from(really);
    }

    #[inline(always)]
    pub(super) fn tickets(&self) -> &[T] {
        &self.tickets[..self.len]
    }

    /// All tickets, once.
    #[inline(always)]
    pub(super) fn drain(&mut self) -> &[T] {
        let len = std::mem::take(&mut self.len);
        &self.tickets[..len]
    }
}
