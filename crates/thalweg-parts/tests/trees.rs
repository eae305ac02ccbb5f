//! Lists and forests in parts against the conformance suites, on several numbers of ranks.

use thalweg_core::{PositionsRef, Result};
use thalweg_parts::{Ranks, forest, inside, list, part_of};
use thalweg_suites::list::{Ranker, suite};
use thalweg_suites::tree::roots_and_depths;

/// Every rank's part, put together.
fn on<T: Copy + Send>(size: usize, work: impl Fn(&dyn Ranks) -> Result<Vec<T>> + Sync) -> Result<Vec<T>> {
    // Short messages are many rounds, and lists have many rounds already.
    let limit = if size == 3 { 10_000 } else { 1 << 20 };
    Ok(inside::run(size, limit, work).into_iter().collect::<Result<Vec<_>>>()?.concat())
}

fn lists(size: usize) {
    suite(&Ranker {
        name: &format!("{size} ranks"),
        rank: &|next, direction| {
            let ranks = on(size, |ranks| {
                let part = PositionsRef::U32(&next[part_of(next.len(), ranks.rank(), size)]);
                list::rank(ranks, part, next.len(), direction)
            })?;
            Ok(ranks.into_iter().map(|rank| rank as u32).collect())
        },
        sums: &|next, weights, direction| {
            on(size, |ranks| {
                let range = part_of(next.len(), ranks.rank(), size);
                let weights: Vec<i64> = weights[range.clone()].iter().map(|&weight| weight.into()).collect();
                list::sums(ranks, PositionsRef::U32(&next[range]), next.len(), &weights, direction)
            })
        },
    });
}

fn forests(size: usize) {
    roots_and_depths(&format!("{size} ranks"), &|parents| {
        let found = on(size, |ranks| {
            let part = PositionsRef::U32(&parents[part_of(parents.len(), ranks.rank(), size)]);
            let [roots, depths] = forest::roots_and_depths(ranks, part, parents.len())?;
            Ok(roots.into_iter().zip(depths).collect())
        })?;
        Ok(found.into_iter().map(|(root, depth)| (root as u32, depth as u32)).unzip())
    });
}

macro_rules! conformance {
    ($($lists:ident, $forests:ident = $size:literal;)*) => {$(
        #[test]
        fn $lists() {
            lists($size);
        }

        #[test]
        fn $forests() {
            forests($size);
        }
    )*};
}

conformance! {
    lists_on_1_rank, forests_on_1_rank = 1;
    lists_on_2_ranks, forests_on_2_ranks = 2;
    lists_on_3_ranks, forests_on_3_ranks = 3;
    lists_on_4_ranks, forests_on_4_ranks = 4;
    lists_on_7_ranks, forests_on_7_ranks = 7;
}
