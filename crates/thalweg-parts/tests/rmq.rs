//! Range minima of arrays in parts against the oracle, for every key type and several numbers of ranks.

use thalweg_core::bits::{Array, BitsMut};
use thalweg_core::{Coding, Error, Key, Order, Pairs, PositionsMut, Result};
use thalweg_data::oracles::argmins_by_stack;
use thalweg_data::{ArrayKind, QueryKind};
use thalweg_parts::rmq::Index;
use thalweg_parts::{inside, part_of};

/// Positions and values of queries that are spread over so many ranks.
fn answers<K: Key>(
    size: usize,
    block_log: u32,
    array: &[K],
    order: Order,
    queries: &[[u32; 2]],
) -> Result<Vec<(u32, K)>> {
    let coding = Coding::of::<K>(order);
    let found = inside::run(size, if array.len() < 5000 { 1000 } else { 1 << 16 }, |ranks| -> Result<_> {
        let part = &array[part_of(array.len(), ranks.rank(), size)];
        let index = Index::with_blocks(ranks, Array::of::<K>(part), array.len(), coding, block_log)?;
        let rows = part_of(queries.len(), ranks.rank(), size);
        let queries = &queries[rows.clone()];
        let (mut positions, mut values) = (vec![u32::MAX; rows.len()], vec![K::default(); rows.len()]);
        let (out, values_out) = (Some(PositionsMut::U32(&mut positions)), Some(BitsMut::of(&mut values)));
        index.answer(Pairs::U32(queries), rows.start, out, values_out)?;
        let wide: Vec<[u64; 2]> = queries.iter().map(|query| query.map(u64::from)).collect();
        let mut again = vec![u64::MAX; rows.len()];
        index.answer(Pairs::U64(&wide), rows.start, Some(PositionsMut::U64(&mut again)), None)?;
        assert!(again.iter().zip(&positions).all(|(&a, &b)| a == u64::from(b)));
        Ok(positions.into_iter().zip(values).collect::<Vec<_>>())
    });
    Ok(found.into_iter().collect::<Result<Vec<_>>>()?.concat())
}

fn suite<K: Key>(size: usize) {
    for (number, &kind) in ArrayKind::ALL.iter().enumerate() {
        for n in [1, 2, 3, 7, 33, 1025, 70_001] {
            let order = if (n + number) % 2 == 0 { Order::Min } else { Order::Max };
            let array = kind.make::<K>(n, n as u64);
            let queries: Vec<[u32; 2]> =
                QueryKind::ALL.iter().flat_map(|kind| kind.make::<u32>(n, 40, n as u64)).collect();
            let wide: Vec<[u64; 2]> = queries.iter().map(|query| query.map(u64::from)).collect();
            let expected = argmins_by_stack(&array, order, &wide);
            for block_log in [0, 4, 16] {
                // Blocks of one element are many.
                if block_log == 0 && n > 2000 {
                    continue;
                }
                let case =
                    format!("{} {} {order:?} n={n} on {size} ranks, blocks of 2^{block_log}", K::NAME, kind.name());
                let got = answers(size, block_log, &array, order, &queries).unwrap_or_else(|e| panic!("{case}: {e}"));
                for (row, (&(at, value), &want)) in got.iter().zip(&expected).enumerate() {
                    assert_eq!(at as usize, want, "{case}: row {row} {:?}", queries[row]);
                    assert_eq!(value.to_low_bits(), array[want].to_low_bits(), "{case}: row {row}");
                }
            }
        }
    }
}

macro_rules! conformance {
    ($($name:ident = $size:literal;)*) => {$(
        #[test]
        fn $name() {
            macro_rules! one {
                ($t:ident) => {
                    suite::<$t>($size);
                };
            }
            thalweg_core::for_each_key!(one);
        }
    )*};
}

conformance! {
    on_1_rank = 1;
    on_2_ranks = 2;
    on_3_ranks = 3;
    on_4_ranks = 4;
    on_7_ranks = 7;
}

#[test]
fn the_lowest_bad_row_is_told_by_all() {
    let array = ArrayKind::Random.make::<i32>(1000, 1);
    for size in [1, 2, 4, 7] {
        let mut queries = QueryKind::Mixed.make::<u32>(1000, 500, 1);
        queries[400] = [5, 4];
        queries[77] = [3, 1000];
        let refused = answers(size, 4, &array, Order::Min, &queries);
        assert_eq!(refused, Err(Error::Query { row: 77, left: 3, right: 1000, len: 1000 }));
        let none = answers::<i32>(size, 4, &[], Order::Min, &[[0, 0]]);
        assert_eq!(none, Err(Error::Query { row: 0, left: 0, right: 0, len: 0 }));
        assert_eq!(answers::<i32>(size, 4, &[], Order::Min, &[]), Ok(Vec::new()));
    }
}
