//! Range minima of an array in parts.
//!
//! Every rank has an index of its own part, and knows of all others the minima of blocks of 2^16 elements: an index over those
//! answers for everything between the blocks at a range's ends. A block at an end is asked for, of the rank that owns it, only
//! if its minimum can beat what lies between, and if that minimum lies outside the range: else it is the end's answer. So of
//! long ranges on random data hardly any is asked for, and short ranges, inside a block, nearly all: two exchanges a batch.
//!
//! A rank holds, beside its part and the index of it, some 20 bytes for every 2^16 elements of the whole array.

use std::borrow::Cow;
use std::fmt;

use thalweg_arrays::rmq::{self, Engine, RmqEngine};
use thalweg_core::bits::{Array, BitsMut};
use thalweg_core::error::{expect_len, try_filled};
use thalweg_core::memory::computed;
use thalweg_core::{Coding, Error, Pairs, Position, PositionsMut, Rank, Result, by_width};

use crate::Ranks;
use crate::ranks::{exchange_items, gather, gather_one, items_of, owner_of, part_of};

/// Elements of a block, as a power of two: 10^12 elements have 15 million blocks.
const BLOCK_LOG: u32 = 16;

/// Queries of a rank that are answered between two exchanges: what is known of each takes some 60 bytes.
const BATCH: usize = 1 << 22;

/// Queries that a task looks at.
const CHUNK: usize = 1 << 12;

/// Position and bits of a minimum.
type Minimum = [u64; 2];

/// An index over an array on several ranks, as one of them holds it.
pub struct Index<'a> {
    ranks: &'a dyn Ranks,
    len: usize,
    coding: Coding,
    block_log: u32,
    /// Of this rank's part.
    own: Box<dyn RmqEngine + 'a>,
    /// Number of every rank's first block, and of all.
    first_blocks: Vec<usize>,
    blocks: Vec<Minimum>,
    /// Over the blocks' minima.
    top: Box<dyn RmqEngine + 'a>,
}

impl fmt::Debug for Index<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Index").field("len", &self.len).field("blocks", &self.blocks.len()).finish_non_exhaustive()
    }
}

/// The rank of a key, in 64 bits.
fn rank_of(bits: u64, coding: Coding) -> u64 {
    fn of<R: Rank>(bits: u64, coding: Coding) -> u64 {
        R::from_u64(bits).ranked(coding.ranking::<R>()).to_u64()
    }
    match coding.bytes() {
        1 => of::<u8>(bits, coding),
        2 => of::<u16>(bits, coding),
        4 => of::<u32>(bits, coding),
        _ => of::<u64>(bits, coding),
    }
}

/// An array with these bits.
fn array_of<'a>(bits: &[u64], coding: Coding) -> Array<'a> {
    fn of<'a, R: Rank>(bits: &[u64]) -> Array<'a>
    where
        [R]: ToOwned<Owned = Vec<R>>,
    {
        R::store(Cow::<[R]>::Owned(bits.iter().map(|&bits| R::from_u64(bits)).collect()).into())
    }
    match coding.bytes() {
        1 => of::<u8>(bits),
        2 => of::<u16>(bits),
        4 => of::<u32>(bits),
        _ => of::<u64>(bits),
    }
}

impl<'a> Index<'a> {
    /// Over an array of `len` elements, of which this rank has [`part_of`] it.
    ///
    /// # Errors
    /// [`Error::Length`] if the part is not this rank's; those of [`rmq::build`] and of the transport.
    pub fn new(ranks: &'a dyn Ranks, part: Array<'a>, len: usize, coding: Coding) -> Result<Self> {
        Self::with_blocks(ranks, part, len, coding, BLOCK_LOG)
    }

    /// With blocks of another size, a power of two: for tests.
    ///
    /// # Errors
    /// As [`Index::new`].
    #[doc(hidden)]
    pub fn with_blocks(
        ranks: &'a dyn Ranks,
        part: Array<'a>,
        len: usize,
        coding: Coding,
        block_log: u32,
    ) -> Result<Self> {
        let range = ranks.part(len);
        expect_len("the part of this rank", part.len(), range.len())?;
        let own = rmq::build(part, coding, Engine::default())?;
        let block = 1usize << block_log;
        let ranges: Vec<[u64; 2]> = (0..range.len())
            .step_by(block)
            .map(|start| [start as u64, (start + block).min(range.len()) as u64 - 1])
            .collect();
        let minima = minima(&*own, &ranges, range.start)?;
        let all = gather(ranks, bytemuck::cast_slice(&minima))?;
        let mut blocks: Vec<Minimum> = Vec::new();
        let mut first_blocks = vec![0];
        for bytes in &all {
            blocks.extend(items_of::<Minimum>(bytes)?);
            first_blocks.push(blocks.len());
        }
        let bits: Vec<u64> = blocks.iter().map(|&[_, bits]| bits).collect();
        let top = rmq::build(array_of(&bits, coding), coding, Engine::default())?;
        Ok(Self { ranks, len, coding, block_log, own, first_blocks, blocks, top })
    }

    /// Length of the whole array.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the whole array is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes that this rank holds beside its part.
    pub fn extra_bytes(&self) -> usize {
        let width = self.coding.bytes();
        self.own.extra_bytes() + self.top.extra_bytes() + self.blocks.len() * (size_of::<Minimum>() + width)
    }

    /// The block of an element.
    fn block_of(&self, at: usize) -> usize {
        let size = self.ranks.size();
        let owner = owner_of(self.len, at, size);
        self.first_blocks[owner] + ((at - part_of(self.len, owner, size).start) >> self.block_log)
    }

    /// First and last element of the block that an element lies in.
    fn bounds(&self, at: usize) -> [u64; 2] {
        let part = part_of(self.len, owner_of(self.len, at, self.ranks.size()), self.ranks.size());
        let start = part.start + ((at - part.start) >> self.block_log << self.block_log);
        [start as u64, (start + (1 << self.block_log)).min(part.end) as u64 - 1]
    }

    /// Positions, or bits, or both, of the best elements of this rank's ranges, `left..=right` in the whole array. They are
    /// rows `first_row..` of all ranks' queries. All ranks take part, also those without queries. Positions and bits may be left
    /// out, on all ranks alike.
    ///
    /// # Errors
    /// [`Error::Query`] of the lowest bad row of all, at all ranks; then outputs are unspecified. [`Error::Length`] and
    /// [`Error::Bits`] for outputs that do not fit; those of the transport.
    pub fn answer(
        &self,
        queries: Pairs<'_>,
        first_row: usize,
        positions: Option<PositionsMut<'_>>,
        values: Option<BitsMut<'_>>,
    ) -> Result<()> {
        if let Some(positions) = &positions {
            expect_len("output of the batch", positions.len(), queries.len())?;
            if matches!(positions, PositionsMut::U32(_)) && !u32::fits(self.len) {
                return Err(Error::Width { len: self.len, got: "u32" });
            }
        }
        if let Some(values) = &values {
            rmq::expect_values(queries, values, self.coding.bytes())?;
        }
        match queries {
            Pairs::U32(queries) => self.answer_all(queries, first_row, positions, values),
            Pairs::U64(queries) => self.answer_all(queries, first_row, positions, values),
        }
    }

    fn answer_all<P: Position>(
        &self,
        queries: &[[P; 2]],
        first_row: usize,
        mut positions: Option<PositionsMut<'_>>,
        mut values: Option<BitsMut<'_>>,
    ) -> Result<()> {
        let bad = queries.iter().position(|&[left, right]| left > right || right.get() >= self.len);
        let bad = bad.map(|row| {
            let [left, right] = queries[row].map(|bound| bound.to_low_bits());
            [(first_row + row) as u64, left, right]
        });
        let [longest, row, left, right] = gather_one(self.ranks, {
            let [row, left, right] = bad.unwrap_or([u64::MAX; 3]);
            [queries.len() as u64, row, left, right]
        })?
        .into_iter()
        .reduce(|a, b| {
            let [_, row, left, right] = if b[1] < a[1] { b } else { a };
            [a[0].max(b[0]), row, left, right]
        })
        .unwrap_or([0; 4]);
        if row != u64::MAX {
            return Err(Error::Query { row: row as usize, left, right, len: self.len });
        }
        for start in (0..longest as usize).step_by(BATCH) {
            let range = start.min(queries.len())..(start + BATCH).min(queries.len());
            let found = self.batch(&queries[range.clone()])?;
            match &mut positions {
                Some(PositionsMut::U32(out)) => write(&mut out[range.clone()], &found, |&[at, _]| at as u32),
                Some(PositionsMut::U64(out)) => write(&mut out[range.clone()], &found, |&[at, _]| at),
                None => {}
            }
            if let Some(out) = &mut values {
                by_width!(BitsMut, out, out => write(&mut out[range], &found, |&[_, bits]| Rank::from_u64(bits)));
            }
        }
        Ok(())
    }

    /// The minima of ranges that are inside the array.
    fn batch<P: Position>(&self, queries: &[[P; 2]]) -> Result<Vec<Minimum>> {
        if self.ranks.size() == 1 {
            let queries: Vec<[u64; 2]> = queries.iter().map(|query| query.map(|bound| bound.get() as u64)).collect();
            return minima(&*self.own, &queries, 0);
        }
        let looked = computed(queries.len().div_ceil(CHUNK), 1, "answers", |chunk| {
            let start = chunk * CHUNK;
            self.look(&queries[start..queries.len().min(start + CHUNK)], start)
        })?;
        let size = self.ranks.size();
        let mut found: Vec<Option<Minimum>> = Vec::new();
        let (mut asked, mut rows) = (vec![Vec::<[u64; 2]>::new(); size], vec![Vec::<u32>::new(); size]);
        for looked in looked {
            let (best, asks) = looked?;
            found.extend(best);
            for (row, range) in asks {
                let owner = owner_of(self.len, range[0] as usize, size);
                asked[owner].push(range);
                rows[owner].push(row as u32);
            }
        }
        let first = self.ranks.part(self.len).start as u64;
        let answers = exchange_items(self.ranks, &asked)?
            .into_iter()
            .map(|asked| {
                let ranges: Vec<[u64; 2]> =
                    asked.iter().map(|range| range.map(|bound| bound.wrapping_sub(first))).collect();
                minima(&*self.own, &ranges, first as usize)
            })
            .collect::<Result<Vec<_>>>()?;
        for (rows, answers) in rows.iter().zip(exchange_items(self.ranks, &answers)?) {
            expect_len("answers of another rank", answers.len(), rows.len())?;
            for (&row, answer) in rows.iter().zip(answers) {
                let best = &mut found[row as usize];
                *best = Some(best.map_or(answer, |best| self.better(best, answer)));
            }
        }
        Ok(found.into_iter().map(Option::unwrap_or_default).collect())
    }

    /// The better of two minima, the left one if they are equal.
    fn better(&self, a: Minimum, b: Minimum) -> Minimum {
        let key = |[at, bits]: Minimum| (rank_of(bits, self.coding), at);
        if key(b) < key(a) { b } else { a }
    }

    /// For every range what is known of its minimum, and for which rows, from `start` on, which ranges are still to be asked for.
    #[expect(clippy::type_complexity)]
    fn look<P: Position>(
        &self,
        queries: &[[P; 2]],
        start: usize,
    ) -> Result<(Vec<Option<Minimum>>, Vec<(usize, [u64; 2])>)> {
        let blocks: Vec<[usize; 2]> =
            queries.iter().map(|query| query.map(|bound| self.block_of(bound.get()))).collect();
        // What lies between, for those that have it.
        let between: Vec<[u64; 2]> = blocks
            .iter()
            .filter(|[left, right]| right - left > 1)
            .map(|&[left, right]| [left as u64 + 1, right as u64 - 1])
            .collect();
        let mut middles = try_filled(between.len(), 0u64, "answers")?;
        self.top.positions(Pairs::U64(&between), PositionsMut::U64(&mut middles))?;
        let mut middles = middles.into_iter();
        let (mut found, mut asks) = (Vec::with_capacity(queries.len()), Vec::new());
        for (row, (query, &[first, last])) in queries.iter().zip(&blocks).enumerate() {
            let [left, right] = query.map(|bound| bound.get() as u64);
            let inside = |&[at, _]: &Minimum| left <= at && at <= right;
            if first == last {
                let best = Some(self.blocks[first]).filter(inside);
                if best.is_none() {
                    asks.push((start + row, [left, right]));
                }
                found.push(best);
                continue;
            }
            let mut best =
                if last - first > 1 { middles.next().map(|block| self.blocks[block as usize]) } else { None };
            // First the ends whose own minimum is the answer, then those that have to be asked for.
            let ends = [first, last].map(|block| self.blocks[block]);
            for end in ends.into_iter().filter(inside) {
                best = Some(best.map_or(end, |best| self.better(best, end)));
            }
            for (end, outer) in ends.into_iter().zip([left, right]).filter(|(end, _)| !inside(end)) {
                // The end's answer is not better than its block's minimum, and lies on the same side of the best.
                let can_beat = best.is_none_or(|best| {
                    let (there, here) = (rank_of(end[1], self.coding), rank_of(best[1], self.coding));
                    there < here || there == here && outer == left
                });
                if can_beat {
                    let [lowest, highest] = self.bounds(outer as usize);
                    asks.push((start + row, [left.max(lowest), right.min(highest)]));
                }
            }
            found.push(best);
        }
        Ok((found, asks))
    }
}

/// Positions and bits of the minima of ranges of a part that begins at `first`.
fn minima(engine: &dyn RmqEngine, ranges: &[[u64; 2]], first: usize) -> Result<Vec<Minimum>> {
    let mut positions = try_filled(ranges.len(), 0u64, "minima of ranges")?;
    engine.positions(Pairs::U64(ranges), PositionsMut::U64(&mut positions))?;
    let Some(bits) = engine.array() else { return Err(Error::NoValues { engine: engine.name() }) };
    let bits_at = |at: u64| by_width!(Bits, bits, words => words[at as usize].to_u64());
    computed(positions.len(), CHUNK, "minima of ranges", |i| [positions[i] + first as u64, bits_at(positions[i])])
}

fn write<T, F>(out: &mut [T], found: &[F], of: impl Fn(&F) -> T) {
    for (out, found) in out.iter_mut().zip(found) {
        *out = of(found);
    }
}
