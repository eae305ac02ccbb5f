//! Lengths with large prime factors: a transform as a convolution (Bluestein 1970).
//!
//! With the chirp `c[j] = exp(-pi i j^2 / n)`, `X[k] = c[k] sum x[j] c[j] conj(c[k - j])`: values times the chirp, convolved with
//! its conjugate, times the chirp again. The convolution is by transforms of a length of at least 2 n - 1 without large
//! factors. The chirp and the transform of its conjugate come from the CPU in double precision, `j^2` modulo 2 n in integers.

use std::sync::Arc;

use thalweg_core::Result;
use thalweg_core::memory::filled;
use thalweg_fourier::transform::{Options, transform};
use thalweg_fourier::{Complex, Lines, Shape, root_of_unity};

use super::butterfly::literal;
use super::program::{How, Maker, Slot, Step};
use crate::array::Keys;
use crate::device::Device;
use crate::kernel::{Kernel, Source};

/// Values under way at a time: more lines than these are transformed one group after the other.
const UNDER_WAY: u64 = 1 << 25;

/// The length of the convolution: a power of two times 4, 5, 6 or 7.
///
/// `2 n - 1` would do, but then half of what the two transforms lose to rounding falls on the results, up to 1.2 times the
/// contract's error. A longer line spreads it: below 0.95 of the contract with these (on lavapipe, all lengths to 130 and some
/// to a million).
fn convolution_len(n: u64) -> u64 {
    let least = if n < 256 { 5 * n } else { 3 * n };
    (4..8).map(|start: u64| (0..).map(|k| start << k).find(|&m| m >= least).expect("some power")).min().expect("four")
}

/// Transforms all lines of an array, into another one or in place.
pub(super) fn lines(maker: &mut Maker, lines: Lines, from: Slot, to: Slot, how: How) -> Result<()> {
    let device = maker.device.clone();
    let (n, stride) = (lines.len as u64, lines.stride as u64);
    let count = (lines.outer * lines.stride) as u64;
    let m = convolution_len(n);
    let chirp = chirp(lines.len)?;
    let spectrum = spectrum(&chirp, m as usize)?;
    let (chirp, spectrum) = (narrow(&device, &chirp)?, narrow(&device, &spectrum)?);
    let (chirp, spectrum) = (maker.add(chirp), maker.add(spectrum));

    let together = (UNDER_WAY / m).clamp(1, count);
    let work = maker.complex(together * m)?;
    let chirp_sharding = maker.pairs(chirp)?;
    let source = |entry| {
        Source::new("bluestein", include_str!("bluestein.wgsl"), entry)
            .constant("LEN", n as u32)
            .constant("STRIDE", stride as u32)
            .constant("LONG", m as u32)
            .flag("SWAP", how.inverse)
            .include(&format!("const FACTOR = {};\n", literal(how.factor)))
            .reads_sharded("roots", "vec2<f32>", chirp_sharding)
    };
    let spread =
        device.kernel(&source("spread").reads_sharded("input", "vec2<f32>", maker.pairs(from)?).writes_sharded(
            "output",
            "vec2<f32>",
            maker.pairs(work)?,
        ))?;
    let multiply = device.kernel(
        &Source::new("bluestein", include_str!("product.wgsl"), "multiply")
            .constant("LONG", m as u32)
            .reads_sharded("roots", "vec2<f32>", maker.pairs(spectrum)?)
            .writes_sharded("output", "vec2<f32>", maker.pairs(work)?),
    )?;
    let gather =
        device.kernel(&source("gather").reads_sharded("input", "vec2<f32>", maker.pairs(work)?).writes_sharded(
            "output",
            "vec2<f32>",
            maker.pairs(to)?,
        ))?;

    let work_lines = Lines { outer: together as usize, len: m as usize, stride: 1 };
    let there = maker.smooth_lines(work_lines, work, work, How::new(false, 1.0))?;
    let back = maker.smooth_lines(work_lines, work, work, How::new(true, 1.0))?;
    let mut first = 0;
    while first < count {
        let group = together.min(count - first);
        let step = |kernel: &Arc<Kernel>, arrays: Vec<Slot>, values: u64| Step {
            kernel: Arc::clone(kernel),
            arrays,
            workgroups: values.div_ceil(256),
            params: vec![first as u32, group as u32],
        };
        maker.push(step(&spread, vec![chirp, from, work], group * m));
        there.iter().for_each(|step| maker.push(step.clone()));
        maker.push(step(&multiply, vec![spectrum, work], group * m));
        back.iter().for_each(|step| maker.push(step.clone()));
        maker.push(step(&gather, vec![chirp, work, to], group * n));
        first += group;
    }
    Ok(())
}

/// Complex values as pairs of `f32` on the device.
pub(in crate::fourier) fn narrow(device: &Device, values: &[Complex<f64>]) -> Result<Keys> {
    let mut narrowed = filled(values.len(), Complex::<f32>::default(), "complex values")?;
    narrowed.iter_mut().zip(values).for_each(|(narrow, z)| *narrow = Complex::new(z.re as f32, z.im as f32));
    Ok(device.upload::<f32>(bytemuck::cast_slice(&narrowed))?.keys().clone())
}

/// `exp(-pi i j^2 / n)` for all `j < n`.
fn chirp(n: usize) -> Result<Vec<Complex<f64>>> {
    let mut chirp = filled(n, Complex::default(), "a chirp")?;
    let whole = 2 * n as u64;
    chirp.iter_mut().zip(0u64..).for_each(|(c, j)| *c = root_of_unity(j * j % whole, whole).conj());
    Ok(chirp)
}

/// The transform of the chirp's conjugate, to both sides of 0, divided by the length `m`.
fn spectrum(chirp: &[Complex<f64>], m: usize) -> Result<Vec<Complex<f64>>> {
    let mut values = filled(m, Complex::default(), "a chirp's spectrum")?;
    for (j, c) in chirp.iter().enumerate() {
        values[j] = c.conj() / m as f64;
        values[(m - j) % m] = values[j];
    }
    transform(&mut values, &Shape::line(m)?, &Options::FORWARD)?;
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_convolutions() {
        for n in 17..5000 {
            let m = convolution_len(n);
            assert!(m >= 3 * n && m <= 7 * n, "{n}: {m}");
            assert!(super::super::lengths::is_smooth(m));
        }
    }

    #[test]
    fn squares_do_not_lose_bits() {
        let n = 40_009u64;
        let j = n - 1;
        // (n - 1)^2 = n^2 - 2 n + 1, and n is odd: n^2 is n modulo 2 n.
        assert_eq!(chirp(n as usize).unwrap()[j as usize], root_of_unity(n + 1, 2 * n).conj());
    }
}
