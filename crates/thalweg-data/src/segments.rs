//! Segments in the plane: crossing, nested, in stairs, through one point, overlapping.

use thalweg_core::{Key, Rank};

use crate::{Random, made};

/// A kind of segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SegmentKind {
    /// Both ends uniform in a square: long ones that cross each other, nearly all of them hidden.
    Crossing,
    /// Short ones, uniform in a square, of which some cover every x.
    Short,
    /// Level ones above each other, the lower the shorter: all are seen, on either side.
    Nested,
    /// Level steps, each begins where another one ends, in random order.
    Staircase,
    /// Through one point, with random slopes.
    Fan,
    /// A tree: every segment carries two shorter ones below it, with space around them, and crosses some. About two
    /// pieces a segment.
    Pieces,
    /// Parts of eight lines, so that many lie on each other.
    Overlaps,
    /// Points and vertical segments, one in two, among short ones.
    Points,
    /// Ends on a grid of 8 by 8: everything touches everything.
    Grid,
    /// Ends at the extremes of the type: the largest and the smallest numbers.
    Extremes,
}

impl SegmentKind {
    /// Every kind.
    pub const ALL: &'static [Self] = &[
        Self::Crossing,
        Self::Short,
        Self::Nested,
        Self::Staircase,
        Self::Fan,
        Self::Pieces,
        Self::Overlaps,
        Self::Points,
        Self::Grid,
        Self::Extremes,
    ];

    /// The kind's name, as the command line takes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Crossing => "crossing",
            Self::Short => "short",
            Self::Nested => "nested",
            Self::Staircase => "staircase",
            Self::Fan => "fan",
            Self::Pieces => "pieces",
            Self::Overlaps => "overlaps",
            Self::Points => "points",
            Self::Grid => "grid",
            Self::Extremes => "extremes",
        }
    }

    /// `n` segments `[x1, y1, x2, y2]`, in parallel, either end first.
    ///
    /// # Panics
    /// If there is not so much memory.
    pub fn make<K: Key>(self, n: usize, seed: u64) -> Vec<[K; 4]> {
        let (random, of) = (Random::new(seed, 22), Type::of::<K>());
        made(n, |i| {
            let [x1, y1, x2, y2] = self.segment(i as u64, n as u64, random, of);
            let row = if random.bits(8 * i as u64 + 7) & 1 == 0 { [x1, y1, x2, y2] } else { [x2, y2, x1, y1] };
            // Unsigned types have their zero at the left and lower end.
            row.map(|x| K::from_f64(if of.signed { x } else { x + of.radius }))
        })
    }

    /// Segment `i` of `n`, the ends within the type's radius.
    fn segment(self, i: u64, n: u64, random: Random, of: Type) -> [f64; 4] {
        let radius = of.radius;
        let uniform = |k: u64| of.rounded(radius * (2.0 * random.unit(8 * i + k) - 1.0));
        let near = |x: f64, by: f64, k: u64| {
            let moved = x + radius * by * (2.0 * random.unit(8 * i + k) - 1.0);
            of.rounded(moved.clamp(-radius, radius))
        };
        // As many as the type can tell apart.
        let steps = n.clamp(1, radius as u64 / 2);
        let step = shuffled(i, n) % steps;
        match self {
            Self::Crossing => [uniform(0), uniform(1), uniform(2), uniform(3)],
            Self::Short => {
                let (x, y) = (uniform(0), uniform(1));
                [x, y, near(x, 20.0 / n as f64, 2), near(y, 0.1, 3)]
            }
            Self::Nested => {
                let (step, steps) = (step as f64, steps as f64);
                let width = (radius / steps).floor();
                [step - steps, 0.0, steps - step, 0.0].map(|x| x * width).with_y(-step)
            }
            Self::Staircase => {
                let (left, y) = (2.0 * step as f64 - steps as f64, random.below(step, steps) as f64);
                [left, y, left + 2.0, y]
            }
            Self::Fan => {
                let (dx, dy) = (uniform(0).abs().max(of.least), uniform(1));
                [-dx, -dy, dx, dy]
            }
            Self::Pieces => of.branch(i + 1, radius, random),
            Self::Overlaps => {
                let line = random.below(8 * i, 8) as f64;
                let place = |k: u64| random.below(8 * i + k, radius as u64 / 8) as f64 - (radius / 16.0).floor();
                let (x1, x2) = (place(1), place(2));
                let y = |x: f64| (line - 4.0) * x + line * 3.0;
                [x1, y(x1), x2, y(x2)]
            }
            Self::Points => {
                let (x, y) = (uniform(0), uniform(1));
                match random.below(8 * i + 6, 4) {
                    0 => [x, y, x, y],
                    1 => [x, y, x, near(y, 0.1, 3)],
                    _ => [x, y, near(x, 20.0 / n as f64, 2), near(y, 0.1, 3)],
                }
            }
            Self::Grid => [0, 1, 2, 3].map(|k| random.below(8 * i + k, 8) as f64),
            Self::Extremes => [0, 1, 2, 3].map(|k| of.extreme(random.bits(8 * i + k))),
        }
    }
}

/// A number below `n` for every `i` below `n`, each once, in an order that looks random.
fn shuffled(i: u64, n: u64) -> u64 {
    let gcd = |mut a: u64, mut b: u64| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let factor = (0x9e37_79b1..).find(|&factor| gcd(factor, n) == 1).expect("some number has no common divisor");
    (u128::from(i) * u128::from(factor) % u128::from(n.max(1))) as u64
}

trait WithY {
    fn with_y(self, y: f64) -> Self;
}

impl WithY for [f64; 4] {
    fn with_y(self, y: f64) -> Self {
        [self[0], y, self[2], y]
    }
}

/// What must be known of a coordinate's type.
#[derive(Clone, Copy)]
struct Type {
    bits: u32,
    float: bool,
    signed: bool,
    /// Coordinates go from -radius to radius.
    radius: f64,
    /// The least length.
    least: f64,
}

impl Type {
    fn of<K: Key>() -> Self {
        let bits = K::Rank::BITS;
        let radius = match (K::FLOAT, bits) {
            // Whole numbers that a float can hold, and products with small ones.
            (true, 32) => 2f64.powi(22),
            (_, 64) => 2f64.powi(50),
            (_, bits) => 2f64.powi(bits as i32 - 1) - 1.0,
        };
        Self { bits, float: K::FLOAT, signed: K::from_f64(-1.0) < K::default(), radius, least: 1.0 }
    }

    /// Integers are whole.
    fn rounded(self, x: f64) -> f64 {
        if self.float { x } else { x.round() }
    }

    /// Segment `node` of the tree, whose root is 1.
    fn branch(self, node: u64, radius: f64, random: Random) -> [f64; 4] {
        let (mut left, mut right) = (-radius, radius);
        let level = node.ilog2();
        for bit in (0..level).rev() {
            let (space, middle) = ((right - left) / 64.0, (left + right) / 2.0);
            (left, right) =
                if node >> bit & 1 == 0 { (left + space, middle - space) } else { (middle + space, right - space) };
        }
        let y = |k: u64| {
            let height = radius / 64.0;
            let y = height * (32.0 - f64::from(level) + 1.5 * (random.unit(8 * node + k) - 0.5));
            self.rounded(y)
        };
        let [left, right] = [left, right].map(f64::round);
        [left, y(0), right.max(left + 1.0).min(radius), y(1)]
    }

    fn extreme(self, bits: u64) -> f64 {
        let pick = (bits % 10) as usize;
        let sign = if bits >> 40 & 1 == 0 { 1.0 } else { -1.0 };
        if !self.float {
            let r = self.radius;
            return sign * [0.0, 1.0, r, r - 1.0, r - 2.0, (r / 2.0).floor(), (r / 3.0).floor(), 2.0, r, 7.0][pick];
        }
        // Few mantissas, so that some ends are equal or on a line.
        let mantissa = 1.0 + (bits >> 32 & 3) as f64 / 4.0;
        let magnitude = if self.bits == 32 {
            [0.0, 1e-45, 1e-40, 1.2e-38, 1e-20, 1.0, 1.0, 1e20, 1e37, 1.7e38]
        } else {
            [0.0, f64::from_bits(1), 1e-310, 3e-308, 1e-300, 1.0, 1.0, 1e150, 1e300, f64::MAX / 2.0]
        };
        sign * mantissa * magnitude[pick]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::with_threads;

    #[test]
    fn segments_depend_on_the_seed_only() {
        for &kind in SegmentKind::ALL {
            let one = kind.make::<f64>(3000, 7);
            assert_eq!(one, with_threads(3, || kind.make::<f64>(3000, 7)), "{kind:?}");
            assert_ne!(one, kind.make::<f64>(3000, 8), "{kind:?}");
            assert!(one.as_flattened().iter().all(|x| x.is_finite()), "{kind:?}");
            assert!(kind.make::<f32>(3000, 7).as_flattened().iter().all(|x| x.is_finite()), "{kind:?}");
            assert!(kind.make::<i32>(0, 7).is_empty());
            assert_eq!(kind.make::<i8>(1, 7).len(), 1);
        }
    }

    #[test]
    fn unsigned_types_are_shifted_and_nothing_wraps() {
        for &kind in SegmentKind::ALL {
            let (signed, unsigned) = (kind.make::<i32>(5000, 3), kind.make::<u32>(5000, 3));
            for (one, two) in signed.iter().zip(&unsigned) {
                assert_eq!(one.map(|x| i64::from(x) + i64::from(i32::MAX)), two.map(i64::from), "{kind:?}");
            }
            let narrow = kind.make::<i8>(5000, 3);
            assert!(narrow.as_flattened().iter().all(|&x| x > i8::MIN), "{kind:?}");
        }
    }

    #[test]
    fn stairs_have_every_step_once() {
        let mut lefts: Vec<i32> = SegmentKind::Staircase.make::<i32>(1000, 1).iter().map(|s| s[0].min(s[2])).collect();
        assert!(!lefts.is_sorted());
        lefts.sort_unstable();
        assert!(lefts.windows(2).all(|pair| pair[1] == pair[0] + 2));
    }
}
