//! Rayon's stable merge sort: no assumption about the keys but their order. The yardstick of the other engines.

use rayon::prelude::*;

use super::item::Item;
use super::source::{Source, load_all, write_payloads};
use crate::Result;
use crate::disjoint::Disjoint;
use crate::memory::try_with_large_capacity;

/// Work O(n log n), span O(log³ n), extra memory two items per key.
pub(super) fn sort<I: Item>(source: &dyn Source<I>, out: Disjoint<'_, I::Payload>) -> Result<()> {
    let mut items = load_all(source)?;
    // Rayon allocates as much again and aborts if it cannot: ask first.
    drop(try_with_large_capacity::<I>(items.len(), "merge buffer")?);
    items.par_sort_by_key(|item| item.number());
    write_payloads(&items, out);
    Ok(())
}
