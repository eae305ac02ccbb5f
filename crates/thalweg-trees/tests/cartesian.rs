//! The table for lowest common ancestors in a Cartesian tree, made from neighbours, is the one made from the tour.

use proptest::prelude::*;

use thalweg_arrays::cartesian::{self, Cartesian};
use thalweg_arrays::inlabel::Inlabel;
use thalweg_core::bits::Bits;
use thalweg_core::{Coding, Key, Order};
use thalweg_trees::tree::EulerTour;

/// The table from the tour of the same tree, with in-order numbers: the bounds of a left child begin where its
/// parent's do, those of a right child end there, and how long they are is the size.
fn by_tour(parents: &[u32]) -> Inlabel<u32> {
    let tour = EulerTour::new(parents).unwrap();
    let len = parents.len();
    let mut spans = vec![(1, len); len];
    for &v in tour.order() {
        let v = v as usize;
        let size = tour.sizes()[v] as usize;
        if let Some(parent) = tour.parent(v) {
            let (first, last) = spans[parent];
            spans[v] = if v < parent { (first, first + size - 1) } else { (last + 1 - size, last) };
        }
    }
    let height = |v: usize| (len - tour.sizes()[v] as usize) as u32;
    Inlabel::new(len, false, &|v| spans[v], &height, &|v| tour.parent(v)).unwrap()
}

fn check<K: Key>(array: &[K], order: Order) {
    let (bits, coding) = (Bits::of(array), Coding::of::<K>(order));
    let direct = cartesian::inlabel(bits, coding).unwrap();
    let tree = Cartesian::<u32>::with_order(array, order).unwrap();
    assert!(direct == by_tour(tree.parents()), "{array:?} {order:?}");
}

proptest! {
    #[test]
    fn the_table_is_that_of_the_tour_node_by_node(few in prop::collection::vec(0u8..4, 0..60)) {
        check(&few, Order::Min);
        check(&few, Order::Max);
    }

    #[test]
    fn also_for_many_values(array in prop::collection::vec(any::<f32>(), 0..200)) {
        check(&array, Order::Min);
    }
}

#[test]
fn also_for_long_arrays() {
    let mixed: Vec<u32> = (0..100_003u32).map(|i| i.wrapping_mul(0x9e37_79b9) >> (i % 3 * 8)).collect();
    check(&mixed, Order::Min);
    check(&(0..50_000).collect::<Vec<u32>>(), Order::Min);
    check(&(0..50_000).collect::<Vec<u32>>(), Order::Max);
    check(&vec![7u8; 50_000], Order::Min);
}
