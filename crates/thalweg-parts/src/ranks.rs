//! A group of processes that work on one array: what is asked of a transport, and what is built on it.
//!
//! A transport numbers its processes, moves bytes from each to each in rounds, and says how many bytes a message may have; it
//! knows nothing of what the bytes mean. Everything else stands on that: [`exchange`] cuts long messages into rounds,
//! [`gather`] tells all what each one has, [`agree`] lets a failure of one be a failure of all.
//!
//! All ranks call the same functions in the same order. A rank that fails by itself must end the job (over MPI it aborts; inside
//! a process the others are told that it left); failures that all are to report alike go through [`agree`].

use std::ops::Range;

use bytemuck::Pod;
use thalweg_core::{Error, Result};

/// Processes that exchange messages, seen from one of them.
pub trait Ranks: Sync {
    /// The number of this process, from 0.
    fn rank(&self) -> usize;
    /// How many processes there are.
    fn size(&self) -> usize;
    /// Bytes that a message may have, at least 1 and the same for all ranks.
    fn limit(&self) -> usize;
    /// Sends `out[r]` to rank `r` and receives into `into[r]` what that one sends. Both have [`Ranks::size`] entries, none
    /// longer than the limit, and every receiver has as much room as is sent. All ranks take part.
    ///
    /// # Errors
    /// [`Error::Library`] if the transport fails or a rank is gone.
    fn round(&self, out: &[&[u8]], into: &mut [&mut [u8]]) -> Result<()>;

    /// This process's part of `len` elements: [`part_of`].
    fn part(&self, len: usize) -> Range<usize> {
        part_of(len, self.rank(), self.size())
    }
}

/// Where rank `rank` of `size` has its part of `len` elements: equal parts, but for one element.
///
/// ```
/// use thalweg_parts::part_of;
/// assert_eq!([0, 1, 2].map(|rank| part_of(10, rank, 3)), [0..3, 3..6, 6..10]);
/// ```
pub fn part_of(len: usize, rank: usize, size: usize) -> Range<usize> {
    let start = |rank: usize| (len as u128 * rank as u128 / size as u128) as usize;
    start(rank)..start(rank + 1)
}

/// Which of `size` ranks has element `at` of `len`.
///
/// ```
/// use thalweg_parts::ranks::{owner_of, part_of};
/// assert!((0..1000).all(|at| part_of(1000, owner_of(1000, at, 7), 7).contains(&at)));
/// ```
#[inline]
pub fn owner_of(len: usize, at: usize, size: usize) -> usize {
    debug_assert!(at < len);
    // The last rank whose part begins at or before it: floor(len * r / size) <= at.
    match at.checked_mul(size).and_then(|product| product.checked_add(size - 1)) {
        Some(product) => product / len,
        None => ((at as u128 * size as u128 + size as u128 - 1) / len as u128) as usize,
    }
}

/// [`owner_of`] for many elements, without a division each.
#[derive(Clone, Debug)]
pub(crate) struct Owners {
    /// Where the ranks' parts begin, and the end.
    starts: Vec<usize>,
    /// Ranks an element.
    each: f64,
}

impl Owners {
    pub(crate) fn new(len: usize, size: usize) -> Self {
        Self { starts: (0..=size).map(|rank| part_of(len, rank, size).start).collect(), each: size as f64 / len as f64 }
    }

    /// How many ranks there are.
    pub(crate) fn count(&self) -> usize {
        self.starts.len() - 1
    }

    #[inline]
    pub(crate) fn of(&self, at: usize) -> usize {
        // One off at most, but for parts that are empty.
        let mut rank = ((at as f64 * self.each) as usize).min(self.count() - 1);
        while self.starts[rank] > at {
            rank -= 1;
        }
        while self.starts[rank + 1] <= at {
            rank += 1;
        }
        rank
    }
}

/// What each rank sent to this one, when each sends `out[r]` to rank `r`, however long messages are.
///
/// # Errors
/// Those of the transport; [`Error::OutOfMemory`].
///
/// # Panics
/// If there is not one message a rank.
pub fn exchange(ranks: &dyn Ranks, out: &[Vec<u8>]) -> Result<Vec<Vec<u8>>> {
    exchange_items(ranks, out)
}

/// [`exchange`] of items.
///
/// # Errors
/// Those of [`exchange`].
///
/// # Panics
/// As [`exchange`].
pub fn exchange_items<T: Pod>(ranks: &dyn Ranks, out: &[Vec<T>]) -> Result<Vec<Vec<T>>> {
    Ok(exchange_any(ranks, out)?.unwrap_or_else(|| vec![Vec::new(); ranks.size()]))
}

/// [`exchange_items`], or `None`, at all ranks, if nobody sends anything: so rounds end without another to agree on that.
///
/// # Errors
/// Those of [`exchange`].
///
/// # Panics
/// As [`exchange`].
pub fn exchange_any<T: Pod>(ranks: &dyn Ranks, out: &[Vec<T>]) -> Result<Option<Vec<Vec<T>>>> {
    let out: Vec<&[u8]> = out.iter().map(|items| bytemuck::cast_slice(items)).collect();
    let (size, limit) = (ranks.size(), ranks.limit().max(1));
    assert_eq!(out.len(), size, "a message for each rank");
    // How long messages are, and how long the longest that anybody sends is: so all know how many rounds there are.
    let longest = out.iter().map(|message| message.len()).max().unwrap_or(0) as u64;
    let lengths: Vec<[u64; 2]> = out.iter().map(|message| [message.len() as u64, longest]).collect();
    let coming = one_each(ranks, &lengths)?;
    let longest = coming.iter().map(|&[_, longest]| longest as usize).max().unwrap_or(0);
    if longest == 0 {
        return Ok(None);
    }
    let mut into = coming.iter().map(|&[len, _]| room_for::<T>(len as usize)).collect::<Result<Vec<_>>>()?;
    let places = into.iter_mut().map(|items| bytemuck::cast_slice_mut(items));
    in_rounds(ranks, &out, &mut places.collect::<Vec<_>>(), longest.div_ceil(limit))?;
    Ok(Some(into))
}

/// An item to each rank, and one of each: all know how long they are.
fn one_each<T: Pod>(ranks: &dyn Ranks, out: &[T]) -> Result<Vec<T>> {
    let mut into = vec![T::zeroed(); ranks.size()];
    in_rounds(
        ranks,
        &out.iter().map(bytemuck::bytes_of).collect::<Vec<_>>(),
        &mut into.iter_mut().map(bytemuck::bytes_of_mut).collect::<Vec<_>>(),
        size_of::<T>().div_ceil(ranks.limit().max(1)),
    )?;
    Ok(into)
}

/// What there may be no memory for.
const MESSAGES: &str = "messages of other ranks";

/// Zeroed items for a message of so many bytes; the system hands out their pages when they are written to.
fn room_for<T: Pod>(bytes: usize) -> Result<Vec<T>> {
    let count = bytes / size_of::<T>();
    if count * size_of::<T>() != bytes {
        return Err(garbled());
    }
    bytemuck::allocation::try_zeroed_vec(count).map_err(|()| Error::OutOfMemory { bytes, what: MESSAGES })
}

/// Messages of any length in so many rounds.
pub(crate) fn in_rounds(ranks: &dyn Ranks, out: &[&[u8]], into: &mut [&mut [u8]], rounds: usize) -> Result<()> {
    let limit = ranks.limit().max(1);
    for round in 0..rounds {
        let cut = |len: usize| (round * limit).min(len)..(round * limit).saturating_add(limit).min(len);
        let out: Vec<&[u8]> = out.iter().map(|message| &message[cut(message.len())]).collect();
        let mut into: Vec<&mut [u8]> = into
            .iter_mut()
            .map(|message| {
                let range = cut(message.len());
                &mut message[range]
            })
            .collect();
        ranks.round(&out, &mut into)?;
    }
    Ok(())
}

/// What each rank has, in the order of the ranks.
///
/// # Errors
/// Those of [`exchange`].
pub fn gather(ranks: &dyn Ranks, own: &[u8]) -> Result<Vec<Vec<u8>>> {
    exchange(ranks, &vec![own.to_vec(); ranks.size()])
}

/// One item of each rank.
///
/// # Errors
/// Those of [`exchange`].
pub fn gather_one<T: Pod>(ranks: &dyn Ranks, own: T) -> Result<Vec<T>> {
    let items = gather(ranks, bytemuck::bytes_of(&own))?;
    items.iter().map(|bytes| bytemuck::try_pod_read_unaligned(bytes).map_err(|_| garbled())).collect()
}

/// Items from the bytes of a message.
pub(crate) fn items_of<T: Pod>(bytes: &[u8]) -> Result<Vec<T>> {
    let mut items = room_for::<T>(bytes.len())?;
    bytemuck::cast_slice_mut(&mut items).copy_from_slice(bytes);
    Ok(items)
}

/// A message that is not what the other side must have sent: ranks did not call the same functions.
pub(crate) fn garbled() -> Error {
    Error::Library {
        library: "ranks",
        reason: "a message is not what was expected: do all ranks run the same program?".into(),
    }
}

/// The smallest number of any rank, if any has one.
///
/// # Errors
/// Those of [`exchange`].
pub fn smallest(ranks: &dyn Ranks, own: Option<u64>) -> Result<Option<u64>> {
    let all = gather_one(ranks, [u64::from(own.is_some()), own.unwrap_or(0)])?;
    Ok(all.into_iter().filter(|&[is_some, _]| is_some == 1).map(|[_, number]| number).min())
}

/// The largest number of any rank.
///
/// # Errors
/// Those of the transport.
pub fn largest(ranks: &dyn Ranks, own: u64) -> Result<u64> {
    let all = one_each(ranks, &vec![own; ranks.size()])?;
    Ok(all.into_iter().max().unwrap_or(own))
}

/// Success if all ranks have succeeded; else the lowest rank's failure, at all of them alike.
///
/// # Errors
/// The failure; those of [`exchange`].
pub fn agree<T>(ranks: &dyn Ranks, own: Result<T>) -> Result<T> {
    let texts = gather(ranks, own.as_ref().err().map(ToString::to_string).unwrap_or_default().as_bytes())?;
    match texts.iter().position(|text| !text.is_empty()) {
        None => own,
        Some(rank) if rank == ranks.rank() => own,
        Some(rank) => {
            Err(Error::Library { library: "another rank", reason: String::from_utf8_lossy(&texts[rank]).into_owned() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_are_those_of_the_parts() {
        for (len, size) in [(1, 1), (2, 7), (5, 5), (6, 5), (7, 2), (1000, 7), (4099, 16)] {
            let owners = Owners::new(len, size);
            assert_eq!(owners.count(), size);
            assert!((0..len).all(|at| owners.of(at) == owner_of(len, at, size)), "{len} elements on {size} ranks");
        }
        // Beyond what floats tell apart.
        let (len, size) = ((1 << 60) + 7, 1000);
        let owners = Owners::new(len, size);
        for rank in 0..size {
            let part = part_of(len, rank, size);
            assert_eq!([part.start, part.end - 1].map(|at| owners.of(at)), [rank; 2]);
        }
    }
}
