//! Rayon's stable merge sort: no assumption about the keys but their order. The yardstick of the other engines.
#![allow(unsafe_code)]

use rayon::prelude::*;

use super::super::disjoint::Disjoint;
use super::item::Item;
use super::{GRAIN, Result, try_with_capacity};

/// Work O(n log n), span O(log³ n), extra memory two items per key.
pub(super) fn sort<I: Item, O: Copy + Send>(
    len: usize,
    load: &(impl Fn(usize) -> I + Sync),
    emit: &(impl Fn(I) -> O + Sync),
    out: Disjoint<'_, O>,
) -> Result<()> {
    assert_eq!(out.len(), len);
    let mut items = try_with_capacity(len, "items to sort")?;
    (0..len).into_par_iter().with_min_len(GRAIN).map(load).collect_into_vec(&mut items);
    // Rayon allocates as much again and aborts if it cannot: ask first.
    drop(try_with_capacity::<I>(len, "merge buffer")?);
    items.par_sort_by_key(|item| item.number());
    items.par_chunks(GRAIN).enumerate().for_each(|(chunk, items)| {
        let start = chunk * GRAIN;
        // SAFETY: inside, and this chunk's own.
        let out = unsafe { out.slice(start..start + items.len()) };
        for (out, &item) in out.iter_mut().zip(items) {
            out.write(emit(item));
        }
    });
    Ok(())
}
