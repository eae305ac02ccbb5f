//! The best rank of keys, in the machine's vectors.

use thalweg_core::coding::Ranking;
use thalweg_core::{Rank, dispatch};

/// Keys that are ranked at a time: one to eight vector registers.
const BATCH: usize = 64;

#[inline(always)]
fn least_rank_body<R: Rank>(bits: &[R], order: Ranking<R>) -> R {
    let (mut ranks, mut best) = ([R::WORST; BATCH], [R::WORST; BATCH]);
    for bits in bits.chunks(BATCH) {
        // Where the last ones are fewer, ranks of those before stay, and count again.
        R::rank_all(bits, order, &mut ranks[..bits.len()]);
        for (best, &rank) in best.iter_mut().zip(&ranks) {
            *best = if rank < *best { rank } else { *best };
        }
    }
    best.iter().fold(R::WORST, |least, &rank| if rank < least { rank } else { least })
}

dispatch! {
    /// The best rank of keys; the worst if there are none.
    pub(crate) fn least_rank<R: Rank>(bits: &[R], order: Ranking<R>) -> R = least_rank_body::<R>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_core::{Coding, Order};

    #[test]
    fn of_any_number_of_keys() {
        let keys: Vec<u32> = (0..200u32).map(|i| i.wrapping_mul(0x9E37_79B9) >> 8 | 1 << 30).collect();
        for order in [Order::Min, Order::Max] {
            let ranking = Coding::of::<u32>(order).ranking::<u32>();
            for len in [0, 1, 2, 63, 64, 65, 127, 128, 130, 200] {
                let plain = keys[..len].iter().map(|key| key.ranked(ranking)).min().unwrap_or(u32::MAX);
                assert_eq!(least_rank(&keys[..len], ranking), plain, "{len} {order:?}");
            }
        }
    }
}
