//! The plan of a filter: slabs of x, and for each the heights that are inside the sample's hull for certain.
//!
//! Host and device agree on whole numbers. A coordinate becomes a number of *steps*, by integer operations that are the
//! same for both (`floats.wgsl`, `integer32.wgsl`, `integer64.wgsl`) and never decrease where the coordinate increases. A
//! slab is a range of steps of x. The host knows which coordinates have such steps, takes the sample's hull over all of
//! them, rounded to the inside, and turns the two heights into steps of y. If the steps of a point's y are more than those of
//! the lower height, and less than those of the upper one, then so is y, and the point is strictly inside the hull, for slabs
//! lie between its leftmost and its rightmost corner.
//! No floating-point operation of the device decides anything.

use thalweg_geometry::Rows;

use super::chain::{Chain, height_of_doubles, height_of_integers, sides};

/// Slabs at most; steps are powers of two, so there are at least half as many, if x has so many different values. The table
/// takes 16 KiB of a workgroup's memory, so that eight workgroups of 256 threads run beside each other on an H200.
pub(super) const SLABS: u32 = 2048;

/// How an axis's coordinates become steps; what the numbers mean is up to the kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Axis {
    pub(super) shift: u32,
    pub(super) low: u32,
    pub(super) high: u32,
}

/// What a filter compares with.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) x: Axis,
    pub(super) y: Axis,
    /// For every slab the first step inside, and the number of steps inside. One more entry has none.
    pub(super) table: Vec<[u32; 2]>,
}

impl Plan {
    /// From the corners of a sample's hull: counter-clockwise from the smallest, by x, then y. `None` if it has no inside.
    /// `width` is that of the coordinates on the device, `bias` what is to be added to integers to get their ranks there.
    pub(super) fn of(corners: &Rows<'_, 2>, width: u32, bias: u64) -> Option<Self> {
        match corners {
            Rows::Doubles(corners) => Self::of_doubles(corners, width),
            Rows::Integers { rows, .. } => Self::of_integers(rows, width, bias),
        }
    }

    fn of_doubles(corners: &[[f64; 2]], width: u32) -> Option<Self> {
        let [lower, upper] = sides(corners)?;
        let [x_axis, y_axis] = [0, 1].map(|axis| FloatAxis::of(corners.iter().map(|corner| corner[axis]), width));
        let [least, most] = lower.ends();
        // From the first step that begins behind the left end, whose points may be on a vertical edge.
        let (first, last) = (x_axis.steps(least) + 2, x_axis.steps(most));
        let shift = shift_for(u64::try_from(last - first).ok()?, SLABS);
        let bounds = |slab: u32| -> Option<[i64; 2]> {
            let start = first + (i64::from(slab) << shift);
            let (left, right) = (x_axis.least(start), x_axis.most(start + (1 << shift) - 1));
            // Before the right end. It may be infinite.
            if right >= most {
                return None;
            }
            let [low, high] = inner(&lower, &upper, left, right, height_of_doubles);
            (low < high).then(|| [y_axis.steps(low), y_axis.steps(high)])
        };
        Some(Self {
            x: Axis { shift: x_axis.shift, low: first as u32, high: shift },
            y: Axis { shift: y_axis.shift, ..Axis::default() },
            table: table(bounds),
        })
    }

    fn of_integers(corners: &[[i64; 2]], width: u32, bias: u64) -> Option<Self> {
        let [lower, upper] = sides(corners)?;
        let [least, most] = lower.ends();
        let heights = || corners.iter().map(|corner| corner[1]);
        let (bottom, top) = (heights().min()?, heights().max()?);
        // Between the ends, whose points may be on vertical edges.
        let (first, last) = (least + 1, most - 1);
        if first > last {
            return None;
        }
        let x_shift = shift_for(last.abs_diff(first), SLABS);
        // Words of 32 bits are compared as they are.
        let y_shift = if width == 32 { 0 } else { shift_for(top.abs_diff(bottom), 1 << 31) };
        let bounds = |slab: u32| -> Option<[i64; 2]> {
            let start = u64::from(slab) << x_shift;
            let end = start.checked_add((1 << x_shift) - 1)?;
            if end > last.abs_diff(first) {
                return None;
            }
            let (left, right) = (first.wrapping_add_unsigned(start), first.wrapping_add_unsigned(end));
            let [low, high] = inner(&lower, &upper, left, right, |edge, x| {
                // Whole numbers above a height are those above the next whole number below it.
                let [down, up] = height_of_integers(edge, x);
                [up, down]
            });
            (low < high).then(|| [low, high].map(|y| (y.abs_diff(bottom) >> y_shift) as i64))
        };
        let axis = |base: i64, shift| {
            let rank = (base as u64).wrapping_add(bias);
            Axis { shift, low: rank as u32, high: (rank >> 32) as u32 }
        };
        Some(Self { x: axis(first, x_shift), y: axis(bottom, y_shift), table: table(bounds) })
    }

    /// How many points of those that are spread evenly over the slabs' widths have a chance to be dropped: a measure for
    /// tests.
    #[cfg(test)]
    fn slabs_in_use(&self) -> usize {
        self.table.iter().filter(|[_, inside]| *inside > 0).count()
    }
}

/// The highest of the lower side and the lowest of the upper side between two places: at either end, as the sides are
/// convex and concave. `height` tells an edge's height at a place, rounded down and up.
fn inner<T: Copy + PartialOrd>(
    lower: &Chain<T>,
    upper: &Chain<T>,
    left: T,
    right: T,
    height: impl Fn([[T; 2]; 2], T) -> [T; 2],
) -> [T; 2] {
    let larger = |a: T, b: T| if a < b { b } else { a };
    let smaller = |a: T, b: T| if b < a { b } else { a };
    let low = larger(height(lower.edge(left), left)[1], height(lower.edge(right), right)[1]);
    let high = smaller(height(upper.edge(left), left)[0], height(upper.edge(right), right)[0]);
    [low, high]
}

/// The table of slabs whose inner heights, in steps, are these.
fn table(bounds: impl Fn(u32) -> Option<[i64; 2]>) -> Vec<[u32; 2]> {
    let entry = |slab| {
        let Some([low, high]) = bounds(slab) else { return [0, 0] };
        // Those above the one and below the other.
        [(low + 1) as u32, u32::try_from(high - low - 1).unwrap_or(0)]
    };
    (0..SLABS).map(entry).chain([[0, 0]]).collect()
}

/// By how much a number has to be shifted so that it is less than a power of two.
fn shift_for(number: u64, below: u32) -> u32 {
    (u64::BITS - number.leading_zeros()).saturating_sub(below.ilog2())
}

/// How floats become steps.
#[derive(Clone, Copy, Debug)]
struct FloatAxis {
    /// The exponent, as the device's format holds it, from which on a number is beyond all steps.
    shift: u32,
    /// A step: a power of two. No number below 2^30 steps is subnormal if it is more than one.
    step: f64,
}

impl FloatAxis {
    /// For numbers up to the largest of these, in a format of so many bits.
    fn of(numbers: impl Iterator<Item = f64>, width: u32) -> Self {
        let largest = numbers.fold(0.0, |largest: f64, x| largest.max(x.abs()));
        let exponent = (largest.to_bits() >> 52) as i32;
        // From the bias of doubles to that of singles.
        let bias = if width == 32 { 1023 - 127 } else { 0 };
        let shift = (exponent + 1 - bias).max(31);
        Self { shift: shift as u32, step: f64::from_bits(((shift + bias - 30) as u64) << 52) }
    }

    /// The steps of a number of at most 2^30 steps. Division by a power of two is exact, but where it underflows.
    fn steps(&self, x: f64) -> i64 {
        (x / self.step) as i64
    }

    /// No number with so many steps, or more, is less. Exact, or infinite.
    fn least(&self, steps: i64) -> f64 {
        self.step * (if steps > 0 { steps } else { steps - 1 }) as f64
    }

    /// No number with so many steps, or fewer, is larger.
    fn most(&self, steps: i64) -> f64 {
        -self.least(-steps)
    }
}

#[cfg(test)]
mod tests {
    use thalweg_geometry::hull::{Engine, Options, hull_with};

    use super::*;

    /// What `floats.wgsl` does with a double.
    fn steps_of_bits(bits: u64, shift: u32) -> i32 {
        let (high, low) = ((bits >> 32) as u32, bits as u32);
        let exponent = (high & 0x7fff_ffff) >> 20;
        let mantissa = ((high << 10 | low >> 22) & 0x3fff_ffff) | 0x4000_0000;
        let whole = mantissa >> (shift - exponent.min(shift)).min(31);
        let sign = 0u32.wrapping_sub(high >> 31);
        ((whole ^ sign).wrapping_sub(sign)) as i32
    }

    /// The same with a single.
    fn steps_of_single(bits: u32, shift: u32) -> i32 {
        let exponent = (bits & 0x7fff_ffff) >> 23;
        let mantissa = (bits << 7 & 0x3fff_ffff) | 0x4000_0000;
        let whole = mantissa >> (shift - exponent.min(shift)).min(31);
        let sign = 0u32.wrapping_sub(bits >> 31);
        ((whole ^ sign).wrapping_sub(sign)) as i32
    }

    #[test]
    fn host_and_device_have_the_same_steps() {
        let random = thalweg_data::Random::new(5, 0);
        for largest in [1.0, 1.999, 0.1, 1e300, f64::MAX, 1e-300, 1e-307, 5e-324, 3e38, 1e-38, 1e-45] {
            for width in [32, 64] {
                let largest = if width == 32 { f64::from(largest as f32) } else { largest };
                if !largest.is_finite() {
                    continue;
                }
                let axis = FloatAxis::of([-largest].into_iter(), width);
                let device = |x: f64| match width {
                    32 => steps_of_single((x as f32).to_bits(), axis.shift),
                    _ => steps_of_bits(x.to_bits(), axis.shift),
                };
                for i in 0..2000 {
                    let fraction = random.bits(i) as f64 / u64::MAX as f64;
                    let x = largest * fraction.powi(1 + (i % 20) as i32) * if i % 2 == 0 { 1.0 } else { -1.0 };
                    let x = if width == 32 { f64::from(x as f32) } else { x };
                    let steps = axis.steps(x);
                    assert_eq!(i64::from(device(x)), steps, "{x} of {largest}, {width} bits");
                    assert!(axis.least(steps) <= x && x <= axis.most(steps), "{x} of {largest}, {width} bits");
                }
                for x in [f64::INFINITY, f64::NAN, f64::NEG_INFINITY, 1e308, -3e38] {
                    let x = if width == 32 { f64::from(x as f32) } else { x };
                    if x.abs() / 2.0 >= largest || x.is_nan() {
                        assert!(device(x).unsigned_abs() >= 1 << 30, "{x} of {largest}, {width} bits");
                    }
                }
            }
        }
    }

    /// The kernel's test of a point, in doubles.
    fn drops(plan: &Plan, [x, y]: [f64; 2]) -> bool {
        let slab = (steps_of_bits(x.to_bits(), plan.x.shift) as u32).wrapping_sub(plan.x.low) >> plan.x.high;
        let [first, inside] = plan.table[slab.min(SLABS) as usize];
        (steps_of_bits(y.to_bits(), plan.y.shift) as u32).wrapping_sub(first) < inside
    }

    /// The kernel's test of a point, in integers of 64 bits.
    fn drops_integer(plan: &Plan, [x, y]: [i64; 2]) -> bool {
        let steps = |number: i64, axis: Axis| {
            let base = u64::from(axis.high) << 32 | u64::from(axis.low);
            let steps = (number as u64 ^ 1 << 63).wrapping_sub(base) >> axis.shift;
            u32::try_from(steps).unwrap_or(u32::MAX)
        };
        let [first, inside] = plan.table[steps(x, plan.x).min(SLABS) as usize];
        steps(y, plan.y).wrapping_sub(first) < inside
    }

    /// Whether a point is strictly inside a polygon.
    fn is_inside<T: thalweg_geometry::Coordinate>(corners: &[[T; 2]], point: [T; 2]) -> bool {
        let all: Vec<[T; 2]> = corners.iter().copied().chain([point]).collect();
        let options = Options { boundary: true, engine: Some(Engine::Naive) };
        hull_with(&all, options).unwrap().iter().all(|position| position != Some(corners.len()))
    }

    #[test]
    fn what_is_dropped_is_strictly_inside() {
        let random = thalweg_data::Random::new(6, 0);
        let corners = [[-1.0, 0.25], [-0.5, -0.75], [0.5, -1.0], [1.0, 0.0], [0.75, 0.5], [-0.25, 1.0]];
        for scale in [1.0, 1e300, 1e-300, 1e-310, 3.0] {
            for offset in [0.0, 10.0, -1e5] {
                let corners = corners.map(|corner| corner.map(|c| (c + offset) * scale));
                let Some(plan) = Plan::of(&Rows::Doubles((&corners[..]).into()), 64, 0) else {
                    // Subnormal numbers are less than a step.
                    assert_eq!(scale, 1e-310);
                    continue;
                };
                let mut dropped = 0;
                for i in 0..4000 {
                    let unit = |j: u64| random.bits(2 * i + j) as f64 / u64::MAX as f64;
                    let point = [unit(0), unit(1)].map(|c| (2.4 * c - 1.2 + offset) * scale);
                    if drops(&plan, point) {
                        dropped += 1;
                        assert!(is_inside(&corners, point), "{point:?} {scale} {offset}");
                    }
                }
                // Half of the area.
                assert!(dropped > 1500 || scale == 1e-310, "{dropped} {scale} {offset}");
            }
        }
        assert!(Plan::of(&Rows::Doubles((&corners[..2]).into()), 64, 0).is_none());
    }

    #[test]
    fn integers_of_all_sizes() {
        let random = thalweg_data::Random::new(7, 0);
        for bits in [4, 8, 20, 40, 62, 64] {
            let most = (1i128 << (bits - 1)) - 1;
            let corners = [[-1.0, 0.25], [-0.5, -0.75], [0.5, -1.0], [1.0, 0.0], [0.75, 0.5], [-0.25, 1.0]];
            let corners = corners.map(|corner| corner.map(|c: f64| ((c * 16.0) as i128 * most / 16) as i64));
            let rows = Rows::Integers { rows: (&corners[..]).into(), origin: 0 };
            let plan = Plan::of(&rows, 64, 1 << 63).unwrap();
            assert!(plan.slabs_in_use() >= 10.min(1 << (bits - 2)), "{bits}");
            let mut dropped = 0;
            for i in 0..4000 {
                let point = [0, 1].map(|j| (random.bits(2 * i + j) as i64) >> (64 - bits));
                if drops_integer(&plan, point) {
                    dropped += 1;
                    assert!(is_inside(&corners, point), "{point:?} {bits}");
                }
            }
            assert!(dropped > if bits == 4 { 500 } else { 1500 }, "{dropped} {bits}");
        }
    }
}
