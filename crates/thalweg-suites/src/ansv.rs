//! The conformance suite of all nearest smaller values.

use thalweg_arrays::ansv::{AnsvEngine, Relation, Sides, solve_into};
use thalweg_core::{Key, Position};
use thalweg_data::oracles::neighbours_by_stack;
use thalweg_data::{ArrayKind, Random};

use crate::{is_quick, sizes};

/// Left and right neighbours by two passes of the textbook stack, independent of the library's engines.
pub fn by_stack<K: Key>(array: &[K], relation: Relation) -> [Vec<Option<usize>>; 2] {
    neighbours_by_stack(array, relation.order(), relation.is_strict())
}

/// Holds an engine to the contract, for one key type: all datasets, relations and boundary sizes, both sides together
/// and alone, either width.
///
/// # Panics
/// With the case in the message, at the first wrong answer.
pub fn suite<K: Key>(engine: &dyn AnsvEngine) {
    suite_of::<K>(engine, sizes(), if is_quick() { 200 } else { 2000 });
}

/// The suite with lengths and a number of short arrays of the caller's choice, for devices on which every call is slow.
///
/// # Panics
/// With the case in the message, at the first wrong answer.
pub fn suite_of<K: Key>(engine: &dyn AnsvEngine, sizes: &[usize], short: u64) {
    for &kind in ArrayKind::ALL {
        for &n in sizes {
            let array = kind.make::<K>(n, n as u64);
            for relation in Relation::ALL {
                check(engine, &array, relation, kind.name());
            }
        }
    }
    // Short arrays of few values: every shape of ties appears.
    let random = Random::new(5, 5);
    for case in 0..short {
        let n = random.below(3 * case, 24);
        let array: Vec<K> = (0..n).map(|i| K::from_f64(random.below(1000 + 32 * case + i, 4) as f64)).collect();
        for relation in Relation::ALL {
            check(engine, &array, relation, "short");
        }
    }
}

/// Checks one array: every combination of sides, both widths.
pub fn check<K: Key>(engine: &dyn AnsvEngine, array: &[K], relation: Relation, name: &str) {
    let expected = by_stack(array, relation);
    check_width::<K, u32>(engine, array, relation, &expected, &[(true, true), (true, false), (false, true)], name);
    // The widths share their code: one combination shows that the wide one works.
    check_width::<K, u64>(engine, array, relation, &expected, &[(true, true)], name);
}

fn check_width<K: Key, P: Position>(
    engine: &dyn AnsvEngine,
    array: &[K],
    relation: Relation,
    expected: &[Vec<Option<usize>>; 2],
    wanted_sides: &[(bool, bool)],
    name: &str,
) {
    let n = array.len();
    for &(with_left, with_right) in wanted_sides {
        // Poison: an entry that is not written shows.
        let (mut left, mut right) = (vec![P::new(n + 7); n], vec![P::new(n + 7); n]);
        let sides = Sides { left: with_left.then_some(&mut left[..]), right: with_right.then_some(&mut right[..]) };
        let case = format!("{} {} {name} {relation:?} n={n} {}", engine.name(), K::NAME, P::NAME);
        solve_into(array, relation, engine, sides).unwrap_or_else(|e| panic!("{case}: {e}"));
        for (wanted, out, expected, side) in
            [(with_left, &left, &expected[0], "left"), (with_right, &right, &expected[1], "right")]
        {
            if let Some(i) = (0..n).find(|&i| wanted && out[i].checked() != expected[i]) {
                panic!("{case} ({with_left}, {with_right}): {side}[{i}] is {:?}, not {:?}", out[i], expected[i]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oracle_agrees_with_the_definition() {
        for &kind in ArrayKind::ALL {
            let array = kind.make::<f32>(200, 9);
            for relation in Relation::ALL {
                let rank = |i: usize| array[i].rank(relation.order());
                let holds = |j: usize, i: usize| rank(j) < rank(i) || !relation.is_strict() && rank(j) == rank(i);
                let [left, right] = by_stack(&array, relation);
                for i in 0..array.len() {
                    assert_eq!(left[i], (0..i).rev().find(|&j| holds(j, i)));
                    assert_eq!(right[i], (i + 1..array.len()).find(|&j| holds(j, i)));
                }
            }
        }
    }
}
