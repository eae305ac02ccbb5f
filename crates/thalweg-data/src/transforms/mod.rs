//! Fourier transforms as the definition has them, in numbers of some 106 bits. Nothing here is shared with the engines.

mod double_double;

use rayon::prelude::*;

pub use double_double::{DoubleDouble, Wide, wide_root_of_unity};
use double_double::{product, total};

use crate::{Random, made};

/// Random complex numbers with parts in [-1, 1), of 24 bits each: floats hold them exactly.
pub fn noise(n: usize, seed: u64) -> Vec<[f64; 2]> {
    let random = Random::new(seed, 0xf0);
    let part = |i: usize| (random.bits(i as u64) >> 40) as f64 / f64::from(1u32 << 23) - 1.0;
    made(n, |i| [part(2 * i), part(2 * i + 1)])
}

/// The transform of all values, unscaled: `sum x[j] exp(-2 pi i j k / n)`, with the other sign for the inverse. Work O(n)
/// times the sum of n's prime factors.
pub fn spectrum(values: &[[f64; 2]], inverse: bool) -> Vec<Wide> {
    let values: Vec<Wide> = values.iter().map(|x| x.map(DoubleDouble::from)).collect();
    wide_spectrum(&values, inverse)
}

/// [`spectrum`] of wide values.
pub fn wide_spectrum(values: &[Wide], inverse: bool) -> Vec<Wide> {
    let n = values.len();
    let roots: Vec<Wide> = (0..n).into_par_iter().map(|m| signed_root(m, n, inverse)).collect();
    parts_of(&|i| values[i], 0, 1, n, &roots)
}

/// Splits by the smallest factor p: p transforms of every p-th value, and sums of p for every frequency.
fn parts_of(value: &dyn Fn(usize) -> Wide, start: usize, step: usize, n: usize, roots: &[Wide]) -> Vec<Wide> {
    if n <= 1 {
        return (0..n).map(|_| value(start)).collect();
    }
    let p = (2..).find(|&p| n.is_multiple_of(p) || p * p > n).filter(|&p| n.is_multiple_of(p)).unwrap_or(n);
    let len = n / p;
    let parts: Vec<Vec<Wide>> = (0..p).map(|part| parts_of(value, start + part * step, step * p, len, roots)).collect();
    (0..n)
        .map(|k| {
            let terms = parts.iter().enumerate().map(|(part, x)| product(x[k % len], roots[part * k % n * step]));
            terms.reduce(total).expect("at least two")
        })
        .collect()
}

/// The transform at some frequencies only, unscaled. Work O(n) each, on all threads.
pub fn frequencies(values: &[[f64; 2]], inverse: bool, at: &[usize]) -> Vec<Wide> {
    const RUN: usize = 1 << 12;
    let n = values.len();
    let at_one = |&k: &usize| {
        let power = |j: usize| signed_root((j as u128 * k as u128 % n as u128) as usize, n, inverse);
        // Within a run the roots are those of the first one, times its start's.
        let first: Vec<Wide> = (0..RUN.min(n)).into_par_iter().map(power).collect();
        let run_of = |(run, values): (usize, &[[f64; 2]])| {
            let terms = values.iter().zip(&first).map(|(x, &root)| product(x.map(DoubleDouble::from), root));
            product(terms.reduce(total).expect("a run has values"), power(run * RUN))
        };
        let sums: Vec<Wide> = values.par_chunks(RUN).enumerate().map(run_of).collect();
        sums.into_iter().reduce(total).expect("there are values")
    };
    at.iter().map(at_one).collect()
}

fn signed_root(m: usize, n: usize, inverse: bool) -> Wide {
    let [re, im] = wide_root_of_unity(m as u64, n as u64);
    [re, if inverse { im } else { -im }]
}

/// The relative error of `got` in the root mean square: the size of the difference by that of `exact`.
///
/// # Panics
/// If they are not equally many.
pub fn relative_error(got: &[[f64; 2]], exact: &[Wide]) -> f64 {
    assert_eq!(got.len(), exact.len());
    let square = |x: f64| x * x;
    let difference = |got: f64, exact: DoubleDouble| square((got - exact.high) - exact.low);
    let error: f64 = got.iter().zip(exact).map(|(g, e)| difference(g[0], e[0]) + difference(g[1], e[1])).sum();
    let size: f64 = exact.iter().map(|e| square(e[0].high) + square(e[1].high)).sum();
    if error == 0.0 { 0.0 } else { (error / size).sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitting_and_sampling_agree_with_the_definition() {
        for n in [1, 2, 3, 4, 6, 12, 30, 49, 97, 128, 5000] {
            let values = noise(n, n as u64);
            for inverse in [false, true] {
                let all = spectrum(&values, inverse);
                let at: Vec<usize> = (0..n).step_by(n.div_ceil(40)).collect();
                for (&k, sampled) in at.iter().zip(frequencies(&values, inverse, &at)) {
                    let plain = (0..n).fold([0.0, 0.0], |sum, j| {
                        let angle = std::f64::consts::TAU * ((j * k) % n) as f64 / n as f64;
                        let (sin, cos) = if inverse { angle } else { -angle }.sin_cos();
                        let [re, im] = values[j];
                        [sum[0] + re * cos - im * sin, sum[1] + re * sin + im * cos]
                    });
                    for part in 0..2 {
                        let difference = all[k][part] - sampled[part];
                        assert!((difference.high + difference.low).abs() < 1e-27 * n as f64);
                        assert!((plain[part] - all[k][part].high).abs() < 1e-12 * n as f64, "{n}, {k}");
                    }
                }
            }
        }
    }
}
