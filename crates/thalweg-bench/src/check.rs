//! What the right answers are, found without any of the engines.

use std::fmt::{Debug, Display};

use rayon::prelude::*;
use thalweg::{Key, Order};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::memory;

/// Elements of a block of [`RangeMinima`].
const BLOCK: usize = 64;

/// Leftmost range minima by the plainest structure that is fast enough to check millions of answers: ends of the
/// range are scanned, whole blocks in between come from a table with a row for every power of two.
pub struct RangeMinima<'a, K> {
    array: &'a [K],
    /// `rows[k][b]`: the leftmost smallest position in blocks `b..b + 2^k`.
    rows: Vec<Vec<u32>>,
}

impl<'a, K: Key> RangeMinima<'a, K> {
    /// Prepares the table. The array must have fewer than 2^32 elements.
    pub fn new(array: &'a [K]) -> Outcome<Self> {
        let blocks = array.len().div_ceil(BLOCK);
        let mut minima = Self { array, rows: Vec::new() };
        let mut row = memory::filled(blocks, 0, "checker")?;
        row.par_iter_mut().enumerate().for_each(|(block, out)| {
            let first = block * BLOCK;
            *out = minima.scan(first, (first + BLOCK).min(array.len()) - 1) as u32;
        });
        for k in 0.. {
            let half = 1 << k;
            if blocks < 2 * half {
                break;
            }
            let mut next = memory::filled(blocks - 2 * half + 1, 0, "checker")?;
            next.par_iter_mut().enumerate().for_each(|(block, out)| {
                *out = minima.better(row[block] as usize, row[block + half] as usize) as u32;
            });
            minima.rows.push(std::mem::replace(&mut row, next));
        }
        minima.rows.push(row);
        Ok(minima)
    }

    /// Position of the leftmost smallest element of `left..=right`.
    pub fn leftmost(&self, left: usize, right: usize) -> usize {
        let (first, last) = (left / BLOCK + 1, right / BLOCK);
        if first > last {
            return self.scan(left, right);
        }
        let mut best = self.scan(left, first * BLOCK - 1);
        if first < last {
            let k = (last - first).ilog2() as usize;
            best = self.better(best, self.rows[k][first] as usize);
            best = self.better(best, self.rows[k][last - (1 << k)] as usize);
        }
        self.better(best, self.scan(last * BLOCK, right))
    }

    fn scan(&self, left: usize, right: usize) -> usize {
        (left..=right).fold(left, |best, i| self.better(best, i))
    }

    /// The position of the smaller element; the first one given on ties, which lies further left.
    fn better(&self, a: usize, b: usize) -> usize {
        if self.array[b].rank(Order::Min) < self.array[a].rank(Order::Min) { b } else { a }
    }
}

/// Leftmost positions of the minima of all queries.
pub fn leftmost_minima<K: Key>(array: &[K], queries: &[[u32; 2]]) -> Outcome<Vec<u32>> {
    let minima = RangeMinima::new(array)?;
    let mut expected = memory::filled(queries.len(), 0, "expected answers")?;
    expected
        .par_iter_mut()
        .zip(queries)
        .for_each(|(out, &[left, right])| *out = minima.leftmost(left as usize, right as usize) as u32);
    Ok(expected)
}

/// Checks every answer of a batch. `exact` demands the leftmost minimum, as our engines promise; without it any
/// minimum will do. Returns whether all answers were leftmost; `who` names the engine and the case in the failure.
pub fn ranges<K: Key>(
    who: &str,
    array: &[K],
    queries: &[[u32; 2]],
    expected: &[u32],
    got: &[u32],
    exact: bool,
) -> Outcome<bool> {
    let right = |row: usize| {
        let ([left, right], want, got) = (queries[row], expected[row], got[row]);
        let smallest =
            || array.get(got as usize).is_some_and(|key| key.rank(Order::Min) == array[want as usize].rank(Order::Min));
        got == want || !exact && left <= got && got <= right && smallest()
    };
    if let Some(row) = (0..queries.len()).into_par_iter().find_first(|&row| !right(row)) {
        let ([left, right], want) = (queries[row], expected[row]);
        let found = array.get(got[row] as usize).map_or("outside the array".into(), |key| format!("{key:?}"));
        let (there, got) = (array[want as usize], got[row]);
        let place = format_args!("query {row}, range {left}..={right}");
        return wrong(who, format_args!("{place}: the minimum is at {want} ({there:?}), not at {got} ({found})"));
    }
    Ok(got.par_iter().zip(expected).all(|(got, want)| got == want))
}

/// Left and right nearest strictly smaller positions, `u32::MAX` for none: every element follows the neighbours of
/// its neighbour until one is smaller.
pub fn nearest_smaller<K: Key>(array: &[K]) -> Outcome<[Vec<u32>; 2]> {
    const NONE: u32 = u32::MAX;
    let rank = |i: u32| array[i as usize].rank(Order::Min);
    let n = array.len() as u32;
    let mut left = memory::filled(array.len(), NONE, "expected answers")?;
    let mut right = memory::filled(array.len(), NONE, "expected answers")?;
    for i in 1..n {
        let mut j = i - 1;
        while j != NONE && rank(j) >= rank(i) {
            j = left[j as usize];
        }
        left[i as usize] = j;
    }
    for i in (0..n.saturating_sub(1)).rev() {
        let mut j = i + 1;
        while j != NONE && rank(j) >= rank(i) {
            j = right[j as usize];
        }
        right[i as usize] = j;
    }
    Ok([left, right])
}

/// Checks a list against the expected one, by what `of` makes of the elements (bits, for keys: NaN equals itself
/// then). The failure names the first difference.
pub fn equal<T: Debug + Sync, Q: PartialEq>(
    who: &str,
    what: &str,
    expected: &[T],
    got: &[T],
    of: impl Fn(&T) -> Q + Sync,
) -> Outcome {
    let first = expected.par_iter().zip(got).position_first(|(want, got)| of(want) != of(got));
    match first {
        Some(i) => wrong(who, format_args!("{what}[{i}] is {:?}, not {:?}", got[i], expected[i])),
        None if expected.len() != got.len() => {
            wrong(who, format_args!("{what} has {} elements, not {}", got.len(), expected.len()))
        }
        None => Ok(()),
    }
}

/// A failure for the answer of `who`.
pub fn wrong<T>(who: &str, text: impl Display) -> Outcome<T> {
    Err(Failure::wrong_answer(format_args!("{who}: {text}")))
}

#[cfg(test)]
mod tests {
    use thalweg_data::oracles::{argmin_by_scan, neighbours_by_stack};
    use thalweg_data::{ArrayKind, QueryKind};

    use super::*;

    #[test]
    fn the_range_checker_agrees_with_a_scan() {
        for &kind in ArrayKind::ALL {
            for n in [1, 63, 64, 65, 128, 129, 1000, 4096] {
                let array = kind.make::<f32>(n, 3);
                for &queries in QueryKind::ALL {
                    let queries = queries.make::<u32>(n, 300, 4);
                    let expected = leftmost_minima(&array, &queries).unwrap();
                    for (&[l, r], want) in queries.iter().zip(expected) {
                        assert_eq!(argmin_by_scan(&array, Order::Min, l as usize, r as usize), want as usize);
                    }
                }
            }
        }
    }

    #[test]
    fn the_neighbour_checker_agrees_with_the_oracle() {
        for &kind in ArrayKind::ALL {
            for n in [0, 1, 2, 1000] {
                let array = kind.make::<f32>(n, 3);
                let expected = neighbours_by_stack(&array, Order::Min, true);
                let got = nearest_smaller(&array).unwrap();
                for (expected, got) in expected.iter().zip(&got) {
                    assert!(expected.iter().zip(got).all(|(e, &g)| e.map_or(u32::MAX, |e| e as u32) == g), "{kind:?}");
                }
            }
        }
    }

    #[test]
    fn a_wrong_answer_is_named() {
        let array = [5u32, 1, 7, 1, 9];
        let queries = [[0, 4], [2, 4], [4, 4]];
        let expected = leftmost_minima(&array, &queries).unwrap();
        assert_eq!(expected, [1, 3, 4]);
        let check = |got: [u32; 3], exact| ranges("lines", &array, &queries, &expected, &got, exact);
        assert!(check([1, 3, 4], true).unwrap());
        // Position 3 holds the minimum too, but not the leftmost: our engines must not say so, a peer may.
        let text = check([3, 3, 4], true).unwrap_err().to_string();
        assert_eq!(text, "verification failed: lines: query 0, range 0..=4: the minimum is at 1 (1), not at 3 (1)");
        assert!(!check([3, 3, 4], false).unwrap());
        // The right value outside the range is wrong for anybody.
        let text = check([1, 1, 4], false).unwrap_err().to_string();
        assert!(text.contains("lines: query 1, range 2..=4"), "{text}");
        let text = check([1, 3, u32::MAX], false).unwrap_err().to_string();
        assert!(text.contains("query 2") && text.contains("outside the array"), "{text}");
    }

    #[test]
    fn a_wrong_list_is_named() {
        let check = |got: &[u32]| equal("stack", "left", &[1, 2], got, |&x| x);
        assert!(check(&[1, 2]).is_ok());
        assert_eq!(check(&[1, 7]).unwrap_err().to_string(), "verification failed: stack: left[1] is 7, not 2");
        assert_eq!(check(&[1]).unwrap_err().to_string(), "verification failed: stack: left has 1 elements, not 2");
        let nan = [f32::NAN];
        assert!(equal("radix", "keys", &nan, &nan, |x| x.to_bits()).is_ok());
    }
}
