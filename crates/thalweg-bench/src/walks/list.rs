//! Lists, walked from head to end.

use thalweg_cli::failure::Outcome;
use thalweg_cli::memory;
use thalweg_data::lists::successor;

/// The head of every list, with the sum of its weights, from the elements in their order: see [`thalweg_data::lists::walk`].
pub fn heads(order: &[usize], starts: &[usize], weight: impl Fn(usize) -> i64) -> Vec<(usize, i64)> {
    let list = |bounds: &[usize]| {
        let list = &order[bounds[0]..bounds[1]];
        (list[0], list.iter().map(|&i| weight(i)).sum())
    };
    starts.windows(2).map(list).collect()
}

/// The right answers, by the definition: the sums from the end of every list.
pub fn expected<T: Clone + Default + Send + Sync>(
    order: &[usize],
    starts: &[usize],
    weight: impl Fn(usize) -> i64,
    put: impl Fn(i64) -> T,
) -> Outcome<Vec<T>> {
    let mut out = memory::filled(order.len(), T::default(), "the right ranks")?;
    for bounds in starts.windows(2) {
        let mut sum = 0;
        for &i in order[bounds[0]..bounds[1]].iter().rev() {
            sum += weight(i);
            out[i] = put(sum);
        }
    }
    Ok(out)
}

/// The plain walk: the sum of what is left, for every element.
pub fn walk<T>(
    next: &[u32],
    heads: &[(usize, i64)],
    out: &mut [T],
    weight: impl Fn(usize) -> i64,
    put: impl Fn(i64) -> T,
) {
    for &(head, sum) in heads {
        let (mut left, mut at) = (sum, head);
        loop {
            out[at] = put(left);
            left -= weight(at);
            match successor(next, at) {
                Some(to) => at = to,
                None => break,
            }
        }
    }
}
