//! Batches in stages: the lists of queries that wait for the next one.
//!
//! A batch is answered in portions, and a portion in stages. A stage has no branch that depends on the data: it appends
//! the queries that a later one has to look at to its list, and that one asks the memory for everything it needs before
//! it begins. So the misses of many queries overlap, and hardly a branch is mispredicted.

/// Queries whose stages are interleaved: enough to keep all of a core's outstanding misses busy, few enough that the
/// prefetched lines survive in the L1 cache until they are used.
pub(super) const PORTION: usize = 64;

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
