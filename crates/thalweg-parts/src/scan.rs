//! Running totals of an array in parts: a carry goes from rank to rank.
//!
//! Scans of one process combine blocks of a fixed number of elements, from left to right, so that sums of floats do not depend
//! on the number of threads (`thalweg_core::primitives`). So that they do not depend on the number of ranks either, ranks work
//! on whole blocks: the elements of a block that goes on on the next rank are lent to that one. Then every rank combines its
//! blocks each by itself, adds their totals to the carry that comes from the rank before, hands it on, and scans its own blocks with the
//! carry as their beginning.

use std::ops::Range;

use bytemuck::Pod;
use thalweg_core::error::expect_len;
use thalweg_core::memory::computed;
use thalweg_core::primitives::{exclusive_scan_into, inclusive_scan_into, reduce};
use thalweg_core::{Error, Result};

use crate::Ranks;
use crate::ranks::{exchange_items, in_rounds, owner_of, part_of};

/// Elements of a block of the scans of one process. If they had others, sums of floats would differ, and a test fail.
const fn block_len(bytes: usize) -> usize {
    let len = (128 << 10) / bytes;
    if len < 256 { 256 } else { len }
}

/// The inclusive scan of an array of `len` elements, of which this rank has [`part_of`] it: what
/// [`inclusive_scan_into`] makes of the whole, bit by bit.
///
/// Work O(n/p), on all threads of the current rayon pool; the carry takes p - 1 messages, one after the other.
///
/// # Errors
/// [`Error::Length`] for a part or an output of another length; those of the transport.
pub fn inclusive<T: Pod + Send + Sync>(
    ranks: &dyn Ranks,
    part: &[T],
    len: usize,
    out: &mut [T],
    identity: T,
    op: impl Fn(T, T) -> T + Sync,
) -> Result<()> {
    scan(ranks, part, len, out, identity, &op, &|values, out, carry| inclusive_scan_into(values, out, carry, &op))
}

/// The exclusive scan, as [`inclusive`].
///
/// # Errors
/// Those of [`inclusive`].
pub fn exclusive<T: Pod + Send + Sync>(
    ranks: &dyn Ranks,
    part: &[T],
    len: usize,
    out: &mut [T],
    identity: T,
    op: impl Fn(T, T) -> T + Sync,
) -> Result<()> {
    scan(ranks, part, len, out, identity, &op, &|values, out, carry| {
        exclusive_scan_into(values, out, carry, &op).map(|_| ())
    })
}

/// Where a rank has its whole blocks.
fn blocks_of(len: usize, rank: usize, size: usize, block: usize) -> Range<usize> {
    let start = |rank| match rank {
        _ if rank == size => len,
        _ => part_of(len, rank, size).start / block * block,
    };
    start(rank)..start(rank + 1)
}

/// A scan of elements, into an output, that begins with a carry.
type ScanInto<'s, T> = &'s dyn Fn(&[T], &mut [T], T) -> Result<()>;

fn scan<T: Pod + Send + Sync>(
    ranks: &dyn Ranks,
    part: &[T],
    len: usize,
    out: &mut [T],
    identity: T,
    op: &(impl Fn(T, T) -> T + Sync),
    into: ScanInto<'_, T>,
) -> Result<()> {
    let (rank, size) = (ranks.rank(), ranks.size());
    let range = part_of(len, rank, size);
    expect_len("the part of this rank", part.len(), range.len())?;
    expect_len("scan output", out.len(), range.len())?;
    if size == 1 {
        return into(part, out, identity);
    }
    let block = block_len(size_of::<T>());
    let whole = |rank| blocks_of(len, rank, size, block);
    let others = |of: &dyn Fn(usize) -> Vec<T>| -> Vec<Vec<T>> {
        (0..size).map(|to| if to == rank { Vec::new() } else { of(to) }).collect()
    };
    // The elements of a block go to the rank behind that has it; what is lent here is the beginning of the first block.
    let lent = exchange_items(ranks, &others(&|to| part[overlap(&range, &whole(to))].to_vec()))?.concat();
    let blocks = whole(rank);
    let own = &part[overlap(&range, &blocks)];
    expect_len("blocks of this rank", lent.len() + own.len(), blocks.len())?;
    // That block is put together; all others are scanned where they lie.
    let rest = if lent.is_empty() { 0 } else { own.len().min(block - lent.len()) };
    let first = [&lent[..], &own[..rest]].concat();
    let first_total = (!first.is_empty()).then(|| reduce(&first, identity, op));

    let rest_of = &own[rest..];
    let totals = if rank + 1 == size {
        Vec::new()
    } else {
        computed(rest_of.len().div_ceil(block), 1, "totals of blocks", |i| {
            reduce(&rest_of[i * block..rest_of.len().min(i * block + block)], identity, op)
        })?
    };
    let mut carry = identity;
    for from in 0..size - 1 {
        let mut sent = carry;
        if rank == from {
            sent = first_total.iter().chain(&totals).fold(carry, |carry, &total| op(carry, total));
        }
        let sent = bytemuck::bytes_of(&sent);
        let out: Vec<&[u8]> = (0..size).map(|to| if rank == from && to == from + 1 { sent } else { &[] }).collect();
        let mut room = bytemuck::bytes_of_mut(&mut carry);
        let mut into: Vec<&mut [u8]> = Vec::with_capacity(size);
        for other in 0..size {
            into.push(if rank == from + 1 && other == from { std::mem::take(&mut room) } else { &mut [] });
        }
        in_rounds(ranks, &out, &mut into, size_of::<T>().div_ceil(ranks.limit().max(1)))?;
    }
    let mut first_scanned = first.clone();
    into(&first, &mut first_scanned, carry)?;
    let carry = first_total.map_or(carry, |total| op(carry, total));
    let (of_first, behind) = out.split_at_mut(rest);
    let (of_rest, of_others) = behind.split_at_mut(rest_of.len());
    of_first.copy_from_slice(&first_scanned[lent.len()..]);
    into(rest_of, of_rest, carry)?;

    let borrowed = blocks.start..blocks.start + lent.len();
    let back = others(&|to| first_scanned[overlap(&borrowed, &part_of(len, to, size))].to_vec());
    let scanned = exchange_items(ranks, &back)?.concat();
    expect_len("scan output", scanned.len(), of_others.len())?;
    of_others.copy_from_slice(&scanned);
    Ok(())
}

/// What of the first range lies in the second, counted from the first's beginning.
pub(crate) fn overlap(range: &Range<usize>, other: &Range<usize>) -> Range<usize> {
    let start = range.start.max(other.start).min(range.end);
    let end = range.end.min(other.end).max(start);
    start - range.start..end - range.start
}

/// Items that a rank holds from position `first` on, of `len` that all ranks hold in order, to the ranks that own these
/// positions.
pub(crate) fn balanced<T: Pod>(ranks: &dyn Ranks, items: &[T], first: usize, len: usize) -> Result<Vec<T>> {
    if items.len() > len.saturating_sub(first) {
        return Err(Error::Length { what: "items of all ranks", expected: len, got: first + items.len() });
    }
    let (size, range) = (ranks.size(), first..first + items.len());
    let mut out = vec![Vec::new(); size];
    if !range.is_empty() {
        for to in owner_of(len, range.start, size)..=owner_of(len, range.end - 1, size) {
            out[to] = items[overlap(&range, &part_of(len, to, size))].to_vec();
        }
    }
    Ok(exchange_items(ranks, &out)?.concat())
}
