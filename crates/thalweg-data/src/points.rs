//! Points in the plane: spread out, on curves, on grids, and hostile to floating-point arithmetic.

use thalweg_core::{Key, Rank};

use crate::{Random, made};

/// A kind of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PointKind {
    /// Uniform in a square.
    Square,
    /// Uniform in a disk.
    Disk,
    /// On a circle, as near as the type allows: all of them are corners of the hull, or nearly so.
    Circle,
    /// From a normal distribution.
    Normal,
    /// On a grid of 1,000 by 1,000 (100 by 100 in 8 bits), many of them several times.
    Grid,
    /// On a parabola, as near as the type allows.
    Parabola,
    /// On one line, exactly.
    Line,
    /// On one line but for the last bit.
    Nearly,
    /// Uniform in a square, in order of x.
    Sorted,
    /// All at one place.
    Same,
    /// At eight places.
    Few,
    /// At the extremes of the type: the largest and the smallest numbers, subnormal ones, both zeros.
    Extremes,
}

impl PointKind {
    /// Every kind.
    pub const ALL: &'static [Self] = &[
        Self::Square,
        Self::Disk,
        Self::Circle,
        Self::Normal,
        Self::Grid,
        Self::Parabola,
        Self::Line,
        Self::Nearly,
        Self::Sorted,
        Self::Same,
        Self::Few,
        Self::Extremes,
    ];

    /// The kind's name, as the command line takes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Square => "square",
            Self::Disk => "disk",
            Self::Circle => "circle",
            Self::Normal => "normal",
            Self::Grid => "grid",
            Self::Parabola => "parabola",
            Self::Line => "line",
            Self::Nearly => "nearly",
            Self::Sorted => "sorted",
            Self::Same => "same",
            Self::Few => "few",
            Self::Extremes => "extremes",
        }
    }

    /// `n` points, in parallel.
    ///
    /// Floats of the kinds that fill a shape are in [-1, 1], integers take most of their type's range.
    ///
    /// # Panics
    /// If there is not so much memory.
    pub fn make<K: Key>(self, n: usize, seed: u64) -> Vec<[K; 2]> {
        let (random, of) = (Random::new(seed, 20), Type::of::<K>());
        made(n, |i| {
            self.point(i as u64, n as u64, random, of).map(|value| match value {
                Value::Number(x) => K::from_f64(x),
                Value::Bits(bits) => K::from_low_bits(bits),
            })
        })
    }

    /// Point `i` of `n`, before it gets its type.
    fn point(self, i: u64, n: u64, random: Random, of: Type) -> [Value; 2] {
        let unit = |k: u64| random.unit(2 * i + k);
        let symmetric = |k: u64| 2.0 * unit(k) - 1.0;
        match self {
            Self::Square => of.scaled([symmetric(0), symmetric(1)]),
            Self::Disk => {
                let (radius, angle) = (unit(0).sqrt(), std::f64::consts::TAU * unit(1));
                of.scaled([radius * angle.cos(), radius * angle.sin()])
            }
            Self::Circle => {
                let angle = std::f64::consts::TAU * unit(0);
                of.scaled([angle.cos(), angle.sin()])
            }
            Self::Normal => of.scaled([0, 1].map(|k| (0.125 * random.normal(2 * i + k)).clamp(-1.0, 1.0))),
            Self::Grid => {
                let side = if of.bits == 8 { 100 } else { 1000 };
                [0, 1].map(|k| Value::Number(random.below(2 * i + k, side) as f64))
            }
            Self::Parabola => of.scaled([symmetric(0), 2.0 * symmetric(0) * symmetric(0) - 1.0]),
            Self::Line => {
                let x = random.below(i, of.length()) as f64;
                [Value::Number(x), Value::Number(2.0 * x + 1.0)]
            }
            Self::Nearly => of.nearly(random.bits(2 * i), random.below(2 * i + 1, 3)),
            Self::Sorted => of.scaled([2.0 * (i as f64 / n as f64) - 1.0, symmetric(1)]),
            Self::Same => [Value::Number(42.0), Value::Number(17.0)],
            Self::Few => {
                let place = random.below(i, 8);
                [0, 1].map(|k| Value::Number(10.0 + Random::new(place, 21).below(k, 50) as f64))
            }
            Self::Extremes => [0, 1].map(|k| of.extreme(random.bits(2 * i + k))),
        }
    }
}

/// A coordinate before it gets its type.
#[derive(Clone, Copy)]
enum Value {
    /// The nearest value of the type.
    Number(f64),
    /// The value with these low bits.
    Bits(u64),
}

/// What must be known of a coordinate's type.
#[derive(Clone, Copy)]
struct Type {
    bits: u32,
    float: bool,
    signed: bool,
}

impl Type {
    fn of<K: Key>() -> Self {
        Self { bits: K::Rank::BITS, float: K::FLOAT, signed: K::from_f64(-1.0) < K::default() }
    }

    /// From [-1, 1] to most of the type's range.
    fn scaled(self, point: [f64; 2]) -> [Value; 2] {
        let radius = 2f64.powi(self.bits as i32 - 1);
        point.map(|x| match self {
            Self { float: true, .. } => Value::Number(x),
            Self { signed: true, .. } => Value::Number(0.999 * x * radius),
            _ => Value::Number((0.999 * x + 1.0) * radius),
        })
    }

    /// Places on a line that every value of the type can tell apart.
    fn length(self) -> u64 {
        match self.bits {
            8 => 60,
            16 => 16_000,
            _ => 1 << 22,
        }
    }

    /// A point whose y is off a line by at most one unit in the last place.
    fn nearly(self, bits: u64, off: u64) -> [Value; 2] {
        if self.float {
            let digits = if self.bits == 32 { 24 } else { 53 };
            let ulp = 2f64.powi(-digits);
            let x = 0.5 + (bits >> (64 - digits + 2)) as f64 * ulp;
            [Value::Number(x), Value::Number(x + (off as f64 - 1.0) * ulp)]
        } else {
            // The golden ratio's digital line.
            let x = bits >> (66 - self.bits);
            let y = (u128::from(x) * 618_033_988_749_894_848 / 1_000_000_000_000_000_000) as u64;
            [Value::Bits(x), Value::Bits(y + off)]
        }
    }

    fn extreme(self, bits: u64) -> Value {
        let pick = bits % 10;
        if !self.float {
            let most = if self.signed { u64::MAX >> (65 - self.bits) } else { u64::MAX >> (64 - self.bits) };
            return Value::Bits(
                [0, 1, most, most - 1, most.wrapping_add(1), most.wrapping_add(2), u64::MAX, most / 2, most / 3, bits]
                    [pick as usize],
            );
        }
        // Numbers of a few mantissas only, so that some of them are equal or on a line.
        let mantissa = 1.0 + (bits >> 32 & 3) as f64 / 4.0;
        let magnitude = if self.bits == 32 {
            [0.0, 1e-45, 1e-40, 1.2e-38, 1e-20, 1.0, 1.0, 1e20, 1e37, 1.7e38]
        } else {
            [0.0, f64::from_bits(1), 1e-310, 3e-308, 1e-300, 1.0, 1.0, 1e150, 1e300, f64::MAX / 2.0]
        };
        let x = mantissa * magnitude[pick as usize];
        Value::Number(if bits >> 40 & 1 == 0 { x } else { -x })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::with_threads;

    #[test]
    fn points_depend_on_the_seed_only() {
        for &kind in PointKind::ALL {
            let one = kind.make::<f64>(3000, 7);
            assert_eq!(one, with_threads(3, || kind.make::<f64>(3000, 7)), "{kind:?}");
            let constant = kind == PointKind::Same;
            assert_eq!(one == kind.make::<f64>(3000, 8), constant, "{kind:?}");
            assert!(one.as_flattened().iter().all(|x| x.is_finite()), "{kind:?}");
            assert!(kind.make::<f32>(3000, 7).as_flattened().iter().all(|x| x.is_finite()), "{kind:?}");
        }
    }

    #[test]
    fn shapes_fill_the_type_without_wrapping() {
        macro_rules! one {
            ($t:ident) => {
                for kind in [PointKind::Square, PointKind::Disk, PointKind::Circle] {
                    let points = kind.make::<$t>(10_000, 1);
                    let largest = points.iter().map(|p| p[0]).fold(points[0][0], |a, b| if a < b { b } else { a });
                    // At the right end of a disk there is nothing in the corners.
                    if kind != PointKind::Square {
                        let y = points.iter().find(|p| p[0] == largest).unwrap()[1].rank(thalweg_core::Order::Min);
                        let middle = <$t as Key>::Rank::WORST.to_u64() / 2;
                        assert!(y.to_u64().abs_diff(middle) < middle / 3, "{} {kind:?}", <$t>::NAME);
                    }
                }
            };
        }
        one!(u8);
        one!(u16);
        one!(u32);
        one!(u64);
        one!(i8);
        one!(i16);
        one!(i32);
        one!(i64);
    }
}
