//! Thresholds for elements in order.

use rayon::prelude::*;
use thalweg::{Key, Order};
use thalweg_cli::failure::Outcome;
use thalweg_cli::memory;

/// The element that one in so many is not above.
pub fn one_in<K: Key>(array: &[K], many: usize) -> Outcome<K> {
    let mut in_order = memory::filled(array.len(), (K::Rank::default(), 0u32), "the array in order")?;
    in_order.par_iter_mut().enumerate().for_each(|(i, pair)| *pair = (array[i].rank(Order::Min), i as u32));
    let (_, &mut (_, at), _) = in_order.select_nth_unstable((array.len() - 1) / many);
    Ok(array[at as usize])
}
