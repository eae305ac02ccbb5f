//! Everything that comes in two widths of positions is the same in both.

use crate::lz77::{self, Options};
use crate::suffix_array::sorting::{sort, suffix_array};
use crate::symbol::Symbol;
use crate::{Lce, SuffixArray, Watcher, rmq};
use thalweg_core::Positions;
use thalweg_data::TextKind;

/// A suffix array as a text of 2 GiB would have it.
fn wide<T: Symbol>(text: &[T]) -> SuffixArray<'_, T> {
    SuffixArray::of_any_width(text, sort(T::symbols(text), true).unwrap())
}

fn same(narrow: &Positions, wide: &Positions) -> bool {
    wide.as_u64().is_some() && narrow.as_u32().is_some() && narrow.iter().eq(wide.iter())
}

#[test]
fn both_widths_give_the_same() {
    for kind in [TextKind::Mixed, TextKind::Periodic, TextKind::Equal, TextKind::Random] {
        for n in [0, 1, 2, 1000, 70_000] {
            let text = kind.make(n, 2);
            let (narrow, wide) = (suffix_array(&text).unwrap(), wide(&text));
            assert!(same(narrow.positions(), wide.positions()));
            assert!(same(&narrow.inverse().unwrap(), &wide.inverse().unwrap()));
            assert!(same(&narrow.lcp().unwrap(), &wide.lcp().unwrap()));
            assert_eq!(narrow.bwt().unwrap(), wide.bwt().unwrap());
            assert_eq!(narrow.longest_repeat().unwrap(), wide.longest_repeat().unwrap());
            assert_eq!(narrow.find_many(&[&b"a"[..], b"er"]).unwrap(), wide.find_many(&[&b"a"[..], b"er"]).unwrap());
            let build = |suffixes| Lce::of(suffixes, rmq::Engine::default(), Watcher::default()).unwrap();
            let lce = [build(&narrow), build(&wide)];
            let pairs: Vec<[u32; 2]> = (1..n.min(500) as u32).map(|i| [i, i * 97 % n as u32]).collect();
            let mut lengths = [vec![0; pairs.len()], vec![0; pairs.len()]];
            lce[0].batch(&pairs, &mut lengths[0]).unwrap();
            lce[1].batch(&pairs, &mut lengths[1]).unwrap();
            assert_eq!(lengths[0], lengths[1]);
            for (&[i, j], &length) in pairs.iter().zip(&lengths[0]) {
                let both = [&lce[0], &lce[1]].map(|lce| lce.try_get(i as usize, j as usize));
                assert_eq!(both, [Ok(Some(length as usize)), Ok(Some(length as usize))]);
            }
            let lpf = [&narrow, &wide].map(|suffixes| lz77::lpf_from_suffixes(suffixes.clone()).unwrap());
            assert!(same(&lpf[0].lengths, &lpf[1].lengths) && same(&lpf[0].sources, &lpf[1].sources));
            for engine in [lz77::Engine::Starts, lz77::Engine::Lpf] {
                for &source in lz77::Source::ALL {
                    let options = Options { engine, source, ..Options::default() };
                    let [one, two] = [&narrow, &wide].map(|s| lz77::factorise_suffixes(s.clone(), &options).unwrap());
                    assert!(one.iter().eq(&two), "{kind:?} {n} {engine} {source:?}");
                    assert!(two.decode_sequential().unwrap() == text && two.decode_parallel().unwrap() == text);
                }
            }
        }
    }
    let symbols = [7u32, 1 << 30, 7, 0, u32::MAX, 7, 1 << 30];
    assert!(same(suffix_array(&symbols).unwrap().positions(), wide(&symbols).positions()));
}
