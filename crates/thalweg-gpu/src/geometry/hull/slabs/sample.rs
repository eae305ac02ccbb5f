//! A sample of points: one of each of many equal stretches, at a place that looks random, so that neither sorted nor
//! periodic input fools it.

/// Points of a sample at most. Of n points in a disk, about 3.4 n / m^(2/3) are outside the hull of m of them (Rényi and
/// Sulanke 1963, Efron 1965): of 10^7, 52,000.
const MOST: u64 = 1 << 14;
/// There are so many points for one of the sample, or more.
const SPACING: u64 = 16;
/// Fewer points are not worth a sample.
const FEW: u64 = 64;

/// How a sample is taken: a point of each of `count` stretches of `step` points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sampling {
    pub(super) count: u64,
    pub(super) step: u64,
}

impl Sampling {
    /// Of points, unless they are few.
    pub(super) fn of(points: u64) -> Option<Self> {
        let count = (points / SPACING).clamp(SPACING, MOST);
        (points >= FEW).then(|| Self { count, step: points / count })
    }

    /// The places, which the device finds in the same way.
    pub(super) fn places(self) -> impl Iterator<Item = usize> {
        (0..self.count).map(move |i| (i * self.step + u64::from(mixed(i as u32)) % self.step) as usize)
    }
}

/// As `mix.wgsl` has it.
fn mixed(x: u32) -> u32 {
    let z = (x ^ (x >> 16)).wrapping_mul(0x7feb_352d);
    let z = (z ^ (z >> 15)).wrapping_mul(0x846c_a68b);
    z ^ (z >> 16)
}
