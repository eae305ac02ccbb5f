//! Numbers modulo a prime.
#![allow(unsafe_code)]

use super::integer::{Integer, Values, each_type};
use super::lanes::{Lanes, Modulus, for_lanes};
use super::prime::Prime;
use super::window::{Run, Window};

/// Elements at a time: the halves of their bits fit a first-level cache.
pub(super) const CHUNK: usize = 2048;

/// The bits of [`CHUNK`] elements, from which residues for every prime are made.
pub(super) struct Staged {
    low: [u32; CHUNK],
    high: [u32; CHUNK],
}

impl Staged {
    pub fn new() -> Self {
        Self { low: [0; CHUNK], high: [0; CHUNK] }
    }

    /// Takes `len` elements of a flat window.
    pub fn load(&mut self, window: &Window<'_>, pitch: usize, from: isize, len: usize) {
        let bias = window.values.bias();
        window.flat_runs(pitch, from, len, &mut |start, count, run| {
            let (low, high) = (&mut self.low[start..start + count], &mut self.high[start..start + count]);
            each_type!(window.values, values => put(values, run, bias, low, high));
        });
    }

    /// Their residues.
    pub fn residues(&self, level: thalweg_core::simd::Level, values: &Values<'_>, prime: &Prime, out: &mut [u32]) {
        let p = u64::from(prime.p);
        let (low, high) = (&self.low[..out.len()], &self.high[..out.len()]);
        residues(level, low, high, values.is_long(), (values.bias() % p) as u32, prime, out);
    }
}

/// The low or the high 32 bits of elements of a flat window, with their bias.
pub fn half(window: &Window<'_>, pitch: usize, from: isize, high: bool, out: &mut [u32]) {
    let bias = window.values.bias();
    let shift = if high { 32 } else { 0 };
    window.flat_runs(pitch, from, out.len(), &mut |start, count, run| {
        let out = &mut out[start..start + count];
        each_type!(window.values, values => put_half(values, run, bias, shift, out));
    });
}

fn put_half<T: Integer>(values: &[T], run: Run, bias: u64, shift: u32, out: &mut [u32]) {
    let count = out.len();
    let bits = |value: u64| (value >> shift) as u32;
    match run {
        Run::Zeros => out.fill(bits(bias)),
        Run::Constant(at) => out.fill(bits(values[at].biased())),
        Run::Forward(at) => out.iter_mut().zip(&values[at..at + count]).for_each(|(out, x)| *out = bits(x.biased())),
        Run::Backward(at) => {
            let values = &values[at + 1 - count..=at];
            out.iter_mut().zip(values.iter().rev()).for_each(|(out, x)| *out = bits(x.biased()));
        }
    }
}

fn put<T: Integer>(values: &[T], run: Run, bias: u64, low: &mut [u32], high: &mut [u32]) {
    let count = low.len();
    let mut each = |at: usize, value: u64| {
        low[at] = value as u32;
        high[at] = (value >> 32) as u32;
    };
    match run {
        Run::Zeros => (0..count).for_each(|i| each(i, bias)),
        Run::Constant(at) => (0..count).for_each(|i| each(i, values[at].biased())),
        Run::Forward(at) => values[at..at + count].iter().enumerate().for_each(|(i, x)| each(i, x.biased())),
        Run::Backward(at) => {
            values[at + 1 - count..=at].iter().rev().enumerate().for_each(|(i, x)| each(i, x.biased()));
        }
    }
}

for_lanes! {
    /// `low + 2^32 high - bias` modulo the prime, at most 16 elements beyond whole vectors being written one by one.
    fn residues(low: &[u32], high: &[u32], is_long: bool, bias: u32, prime: &Prime, out: &mut [u32]) = residues_body;
}

#[inline(always)]
unsafe fn residues_body<L: Lanes>(low: &[u32], high: &[u32], is_long: bool, bias: u32, prime: &Prime, out: &mut [u32]) {
    let len = out.len();
    assert!(low.len() == len && high.len() == len);
    let whole = len / L::WIDTH * L::WIDTH;
    // SAFETY: the caller has the instruction set; whole vectors. A factor below p times any number is below p * 2^32.
    unsafe {
        let m = Modulus::<L>::new(prime);
        let (one, square, bias) = (L::splat(prime.one), L::splat(prime.square), L::splat(bias));
        for at in (0..whole).step_by(L::WIDTH) {
            let mut sum = m.product(L::load(low.as_ptr().add(at)), one);
            if is_long {
                sum = m.sum(sum, m.product(L::load(high.as_ptr().add(at)), square));
            }
            m.difference(sum, bias).store(out.as_mut_ptr().add(at));
        }
    }
    let p = u64::from(prime.p);
    for at in whole..len {
        let high = if is_long { u64::from(high[at]) } else { 0 };
        let value = (u64::from(low[at]) | high << 32) % p;
        out[at] = ((value + p - u64::from(bias)) % p) as u32;
    }
}

#[cfg(test)]
mod tests {
    use thalweg_core::simd::Level;

    use super::*;
    use crate::exact::prime::PRIMES;

    fn check<T: Integer>(values: &[T]) {
        let staged_values = T::values(values);
        let window = Window::all(staged_values, [1, values.len()]);
        let mut staged = Staged::new();
        staged.load(&window, values.len(), 0, values.len());
        for prime in &PRIMES {
            for &level in Level::available() {
                let mut out = vec![0; values.len()];
                staged.residues(level, &staged_values, prime, &mut out);
                let expected: Vec<u32> =
                    values.iter().map(|x| x.whole().rem_euclid(i128::from(prime.p)) as u32).collect();
                assert_eq!(out, expected, "{} {} {level:?}", T::NAME, prime.p);
            }
        }
    }

    #[test]
    fn residues_of_all_types() {
        macro_rules! check_types {
            ($($type:ident)*) => {$(
                let edges = [0, 1, 2, 100, $type::MAX, $type::MAX - 1, $type::MAX / 2, $type::MIN, $type::MIN + 1, $type::MIN / 2];
                check(&edges.iter().cycle().take(37).copied().collect::<Vec<$type>>());
            )*};
        }
        check_types!(u8 i8 u16 i16 u32 i32 u64 i64);
    }
}
