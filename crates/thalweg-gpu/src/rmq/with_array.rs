//! The index as an engine of the host, with the host's array for when the device fails.

use thalweg_arrays::rmq::{ChangingEngine, RmqEngine, smallest_each};
use thalweg_core::bits::{Array, Bits, BitsMut};
use thalweg_core::{Coding, Pairs, Positions, PositionsMut, Rank, Result, by_width};

use super::Index;
use crate::array::Keys;

impl Index {
    /// An engine of the host, with the array that the index was built from: single queries are answered from it should the
    /// device fail.
    ///
    /// # Panics
    /// If the array has another length or width.
    pub fn with_array<'a>(self, array: Array<'a>) -> Box<dyn RmqEngine + 'a> {
        let (width, expected) = (array.bits().width(), self.coding().bytes());
        assert_eq!((array.len(), width), (self.len(), expected), "an index belongs to one array");
        Box::new(WithArray { index: self, array, room: None })
    }
}

/// Ranges whose minima are asked for in one trip, where elements are told in order: the host puts them there. Not measured.
const PORTION: usize = 1 << 16;

#[derive(Debug)]
pub(super) struct WithArray<'a> {
    pub(super) index: Index,
    pub(super) array: Array<'a>,
    /// The device's array with room for more, if both arrays are the index's own and may change.
    pub(super) room: Option<Keys>,
}

impl WithArray<'_> {
    /// The leftmost best position, by scanning the host's array.
    fn scan(&self, left: usize, right: usize) -> usize {
        fn best<R: Rank>(bits: &[R], coding: Coding) -> usize {
            let ranking = coding.ranking();
            // Of several least elements the first is returned.
            (0..bits.len()).min_by_key(|&i| bits[i].ranked(ranking)).unwrap_or(0)
        }
        let coding = self.index.coding();
        left + by_width!(Bits, self.array.bits(), bits => best(&bits[left..=right], coding))
    }

    fn bits_at(&self, position: usize) -> u64 {
        by_width!(Bits, self.array.bits(), bits => bits[position].to_u64())
    }
}

impl RmqEngine for WithArray<'_> {
    fn name(&self) -> &'static str {
        self.index.engine()
    }

    fn len(&self) -> usize {
        self.index.len()
    }

    fn extra_bytes(&self) -> usize {
        self.index.device_bytes()
    }

    fn position(&self, left: usize, right: usize) -> usize {
        self.try_position(left, right).unwrap_or_else(|_| self.scan(left, right))
    }

    fn try_position(&self, left: usize, right: usize) -> Result<usize> {
        let mut out = [0u64];
        self.index.positions(Pairs::U64(&[[left as u64, right as u64]]), PositionsMut::U64(&mut out))?;
        Ok(out[0] as usize)
    }

    fn value(&self, left: usize, right: usize) -> Option<u64> {
        Some(self.bits_at(self.position(left, right)))
    }

    fn try_value(&self, left: usize, right: usize) -> Result<Option<u64>> {
        Ok(Some(self.bits_at(self.try_position(left, right)?)))
    }

    fn positions(&self, queries: Pairs<'_>, out: PositionsMut<'_>) -> Result<()> {
        self.index.positions(queries, out)
    }

    fn values(&self, queries: Pairs<'_>, out: BitsMut<'_>) -> Result<()> {
        self.index.values(queries, out)
    }

    fn as_changing(&mut self) -> Option<&mut dyn ChangingEngine> {
        if self.room.is_some() { Some(self) } else { None }
    }

    fn array(&self) -> Option<Bits<'_>> {
        Some(self.array.bits())
    }

    fn smallest(&self, coding: Coding, queries: Pairs<'_>, each: usize, mut out: PositionsMut<'_>) -> Result<()> {
        for row in self.index.smallest(queries, each, &mut out)? {
            // More than the device takes at once: the host walks, and asks it for minima.
            let places = row * each..(row + 1) * each;
            let (queries, out) = match (queries, &mut out) {
                (Pairs::U32(queries), PositionsMut::U32(out)) => {
                    (Pairs::U32(&queries[row..=row]), PositionsMut::U32(&mut out[places]))
                }
                (Pairs::U64(queries), PositionsMut::U64(out)) => {
                    (Pairs::U64(&queries[row..=row]), PositionsMut::U64(&mut out[places]))
                }
                _ => unreachable!("queries and positions have one width"),
            };
            smallest_each(self, coding, queries, each, out, PORTION)?;
        }
        Ok(())
    }

    fn below(&self, _: Coding, queries: Pairs<'_>, thresholds: Bits<'_>) -> Result<[Positions; 2]> {
        self.index.below(queries, thresholds)
    }
}
