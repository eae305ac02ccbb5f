//! Scans and sorts of arrays in parts against those of one process.

use thalweg_core::bits::BitsMut;
use thalweg_core::primitives::sort::{Options, sort_idx_with};
use thalweg_core::primitives::{exclusive_scan, inclusive_scan};
use thalweg_core::{Coding, Key, Order, PositionsMut, Result};
use thalweg_data::ArrayKind;
use thalweg_parts::{inside, part_of, scan, sort};

const RANKS: [usize; 5] = [1, 2, 3, 4, 7];
const SIZES: [usize; 9] = [0, 1, 2, 3, 6, 17, 1000, 4001, 70_001];

/// Every rank's part, put together.
fn on<T: Copy + Send>(size: usize, work: impl Fn(&dyn thalweg_parts::Ranks) -> Result<Vec<T>> + Sync) -> Vec<T> {
    let parts = inside::run(size, if size == 3 { 1000 } else { 1 << 16 }, work);
    parts.into_iter().map(|part| part.expect("ranks do not fail")).collect::<Vec<_>>().concat()
}

#[test]
fn scans_are_those_of_one_process_bit_by_bit() {
    for n in SIZES {
        // Sums of floats of very different size: the order of additions shows.
        let floats: Vec<f64> =
            ArrayKind::Random.make::<u32>(n, 1).iter().map(|&x| f64::from(x).powi(5) - 0.3e40).collect();
        let texts: Vec<[u32; 2]> = ArrayKind::Random.make::<u32>(n, 2).iter().map(|&x| [x | 1, x / 3]).collect();
        // Composition of x -> a x + b: not commutative.
        let compose = |f: [u32; 2], g: [u32; 2]| [f[0].wrapping_mul(g[0]), f[1].wrapping_mul(g[0]).wrapping_add(g[1])];
        let sums = inclusive_scan(&floats, 0.0, |a, b| a + b).unwrap();
        let maps = exclusive_scan(&texts, [1, 0], compose).unwrap().0;
        for size in RANKS {
            let got = on(size, |ranks| {
                let part = &floats[part_of(n, ranks.rank(), size)];
                let mut out = vec![7.0; part.len()];
                scan::inclusive(ranks, part, n, &mut out, 0.0, |a, b| a + b)?;
                Ok(out)
            });
            assert!(got.iter().map(|x| x.to_bits()).eq(sums.iter().map(|x| x.to_bits())), "n={n} on {size}");
            let got = on(size, |ranks| {
                let part = &texts[part_of(n, ranks.rank(), size)];
                let mut out = vec![[7; 2]; part.len()];
                scan::exclusive(ranks, part, n, &mut out, [1, 0], compose)?;
                Ok(out)
            });
            assert!(got == maps, "n={n} on {size}");
        }
    }
}

fn sorts<K: Key>() {
    for (number, &kind) in ArrayKind::ALL.iter().enumerate() {
        for n in SIZES {
            let order = if (n + number) % 2 == 0 { Order::Min } else { Order::Max };
            let array = kind.make::<K>(n, n as u64);
            let expected = sort_idx_with(&array, Options { order, engine: None }).unwrap();
            let expected = expected.as_u32().unwrap();
            for size in RANKS {
                let got = on(size, |ranks| {
                    let mut part = array[part_of(n, ranks.rank(), size)].to_vec();
                    let mut at = vec![u32::MAX; part.len()];
                    let coding = Coding::of::<K>(order);
                    let mut again = part.clone();
                    sort::sort(ranks, BitsMut::of(&mut part), n, coding, Some(PositionsMut::U32(&mut at)))?;
                    sort::sort(ranks, BitsMut::of(&mut again), n, coding, None)?;
                    assert!(again.iter().zip(&part).all(|(a, b)| a.to_low_bits() == b.to_low_bits()));
                    Ok(at.into_iter().zip(part).collect())
                });
                let case = format!("{} {} n={n} on {size}", K::NAME, kind.name());
                assert_eq!(got.len(), n, "{case}");
                for (i, (&want, (at, key))) in expected.iter().zip(got).enumerate() {
                    assert_eq!(at, want, "{case}: {i}");
                    assert_eq!(key.to_low_bits(), array[want as usize].to_low_bits(), "{case}: {i}");
                }
            }
        }
    }
}

#[test]
fn sorts_are_those_of_one_process() {
    macro_rules! one {
        ($t:ident) => {
            sorts::<$t>();
        };
    }
    thalweg_core::for_each_key!(one);
}
