//! Envelopes of segments by looking at everything, in fractions. Nothing here is shared with the engines.

use num_rational::BigRational;

use crate::exact::Exact;

/// A segment `y = slope x + height` from `left` to `right`, which have no end where they are `None`; or a point.
#[derive(Clone, Debug)]
pub struct ExactSegment {
    left: Option<BigRational>,
    right: Option<BigRational>,
    slope: BigRational,
    height: BigRational,
}

/// Where a piece begins, `None` at minus infinity, and the number of its segment, `None` for a gap.
pub type ExactPiece = (Option<BigRational>, Option<usize>);

impl ExactSegment {
    /// From a row of integers. Of a vertical one the lower end counts.
    pub fn of_integers(row: [i128; 4]) -> Self {
        Self::of(row.map(|x| BigRational::from_integer(x.into())))
    }

    /// From a row of doubles. An infinite x has the slope beside it, and for a line the height at 0 on the right.
    ///
    /// # Panics
    /// If a number is NaN, or no row of a segment.
    pub fn of_doubles([x1, y1, x2, y2]: [f64; 4]) -> Self {
        let number = |x: f64| BigRational::from_float(x).expect("a finite number");
        let [x1, y1, x2, y2] = if x1 > x2 { [x2, y2, x1, y1] } else { [x1, y1, x2, y2] };
        let ray = |x: f64, y: f64, slope: f64| {
            let (x, slope) = (number(x), number(slope));
            let height = number(y) - &slope * &x;
            (x, slope, height)
        };
        match (x1 == f64::NEG_INFINITY, x2 == f64::INFINITY) {
            (false, false) => Self::of([x1, y1, x2, y2].map(number)),
            (false, true) => {
                let (x, slope, height) = ray(x1, y1, y2);
                Self { left: Some(x), right: None, slope, height }
            }
            (true, false) => {
                let (x, slope, height) = ray(x2, y2, y1);
                Self { left: None, right: Some(x), slope, height }
            }
            (true, true) => Self { left: None, right: None, slope: number(y1), height: number(y2) },
        }
    }

    fn of([x1, y1, x2, y2]: [BigRational; 4]) -> Self {
        let (x1, y1, x2, y2) = if x1 > x2 { (x2, y2, x1, y1) } else { (x1, y1, x2, y2) };
        let (slope, height) = if x1 == x2 {
            (BigRational::from_integer(0.into()), y1.min(y2))
        } else {
            let slope = (y2 - &y1) / (&x2 - &x1);
            let height = y1 - &slope * &x1;
            (slope, height)
        };
        Self { left: Some(x1), right: Some(x2), slope, height }
    }

    /// The same seen from above: the lower envelope of these is the upper one, turned over.
    pub fn flipped(row: [f64; 4]) -> Self {
        Self::of_doubles([row[0], -row[1], row[2], -row[3]])
    }

    fn is_point(&self) -> bool {
        self.left.is_some() && self.left == self.right
    }

    fn covers(&self, x: &BigRational) -> bool {
        self.left.as_ref().is_none_or(|left| left <= x) && self.right.as_ref().is_none_or(|right| x <= right)
    }

    fn value(&self, x: &BigRational) -> BigRational {
        &self.slope * x + &self.height
    }
}

/// The lowest value at `x`, and the first segment that has it.
pub fn lowest_at(segments: &[ExactSegment], x: &BigRational) -> Option<(BigRational, usize)> {
    let there = segments.iter().enumerate().filter(|(_, segment)| segment.covers(x));
    there.map(|(i, segment)| (segment.value(x), i)).min()
}

/// The lower envelope: between any two neighbours of all ends and crossings the lowest segment at the middle, and at each of
/// them whatever is lower than both sides. O(n³).
pub fn lower_envelope(segments: &[ExactSegment]) -> Vec<ExactPiece> {
    let mut places: Vec<BigRational> = Vec::new();
    for (i, one) in segments.iter().enumerate() {
        places.extend([&one.left, &one.right].into_iter().flatten().cloned());
        for two in segments[..i].iter().filter(|two| one.slope != two.slope) {
            places.push((&two.height - &one.height) / (&one.slope - &two.slope));
        }
    }
    places.sort();
    places.dedup();
    let one = || BigRational::from_integer(1.into());
    let middles: Vec<BigRational> = match (places.first(), places.last()) {
        (Some(first), Some(last)) => {
            let between = places.windows(2).map(|pair| (&pair[0] + &pair[1]) / BigRational::from_integer(2.into()));
            [first - one()].into_iter().chain(between).chain([last + one()]).collect()
        }
        _ => vec![BigRational::from_integer(0.into())],
    };
    let lowest = |x: &BigRational| lowest_at(segments, x).map(|(_, i)| i);
    let (mut pieces, mut last): (Vec<ExactPiece>, Option<usize>) = (Vec::new(), None);
    let starts = std::iter::once(None).chain(places.iter().map(Some));
    for (start, middle) in starts.zip(&middles) {
        if let Some(x) = start {
            // Neither the segment on the left nor that on the right is as low as this one.
            let here = lowest_at(segments, x);
            let sides = [last, lowest(middle)];
            let is_lower = |(value, _): &(BigRational, usize)| {
                sides.iter().flatten().all(|&side| !segments[side].covers(x) || segments[side].value(x) > *value)
            };
            if let Some((_, i)) = here.filter(is_lower) {
                assert!(segments[i].is_point(), "a segment is as low on one of its sides");
                pieces.push((Some(x.clone()), Some(i)));
                pieces.push((Some(x.clone()), lowest(middle)));
                last = lowest(middle);
                continue;
            }
        }
        if lowest(middle) != last {
            last = lowest(middle);
            pieces.push((start.cloned(), last));
        }
    }
    pieces
}

/// Whether no double is nearer to a number. Beyond the largest one, an infinity.
pub fn is_nearest(got: f64, want: &BigRational) -> bool {
    let distance = |x: f64| {
        let x = BigRational::from_float(x)? - want;
        Some(if x < BigRational::from_integer(0.into()) { -x } else { x })
    };
    let Some(own) = distance(got) else {
        let largest = BigRational::from_float(f64::MAX).expect("a finite number");
        return if got > 0.0 { *want > largest } else { *want < -largest };
    };
    [got.next_down(), got.next_up()].into_iter().all(|x| distance(x).is_none_or(|other| own <= other))
}

/// Rows of which the lowest or highest at an x is found by looking at all: in doubles with a margin, and then in fractions
/// among those that are left.
#[derive(Clone, Copy, Debug)]
pub struct Scan<'r, K> {
    /// Segments `[x1, y1, x2, y2]`.
    pub rows: &'r [[K; 4]],
    /// Whether the highest one is wanted.
    pub upper: bool,
}

impl<K: Exact> Scan<'_, K> {
    /// A row as fractions, turned over if the highest one is wanted.
    pub fn segment(&self, i: usize) -> ExactSegment {
        let row = self.rows[i];
        if row[0].integer().is_some() {
            let [x1, y1, x2, y2] = row.map(|x| x.integer().expect("all are integers"));
            ExactSegment::of_integers(if self.upper { [x1, -y1, x2, -y2] } else { [x1, y1, x2, y2] })
        } else if self.upper {
            ExactSegment::flipped(row.map(Exact::double))
        } else {
            ExactSegment::of_doubles(row.map(Exact::double))
        }
    }

    /// The value of a segment at `x`, if it is there.
    pub fn value(&self, i: usize, x: &BigRational) -> Option<BigRational> {
        let segment = self.segment(i);
        let value = segment.covers(x).then(|| segment.value(x))?;
        Some(if self.upper { -value } else { value })
    }

    /// The value at `x`, to which `near` is the nearest double, of the lowest segment (or highest), and the first segment that has it.
    pub fn lowest(&self, x: &BigRational, near: f64) -> Option<(BigRational, usize)> {
        let (mut bound, mut candidates) = (f64::INFINITY, Vec::new());
        for (i, row) in self.rows.iter().enumerate() {
            let Some((low, high, is_sure)) = around(row.map(Exact::double), near, self.upper) else { continue };
            if is_sure {
                bound = bound.min(high);
            }
            if low <= bound {
                candidates.push((low, i));
            }
        }
        let left = candidates.into_iter().filter(|(low, _)| *low <= bound);
        let there = left.map(|(_, i)| (self.segment(i), i)).filter(|(segment, _)| segment.covers(x));
        let (value, i) = there.map(|(segment, i)| (segment.value(x), i)).min()?;
        Some((if self.upper { -value } else { value }, i))
    }
}

/// Doubles around a segment's value near `x`, and whether it surely covers it; `None` if it surely does not.
fn around([x1, y1, x2, y2]: [f64; 4], x: f64, upper: bool) -> Option<(f64, f64, bool)> {
    let (left, right) = (x1.min(x2), x1.max(x2));
    let margin = 1e-15 * (x.abs() + left.abs().max(right.abs()));
    if x + margin < left || x - margin > right {
        return None;
    }
    let sloped = !left.is_finite() || !right.is_finite();
    let share = ((x - x1) / (x2 - x1)).clamp(0.0, 1.0);
    let y = y1 + share * (y2 - y1);
    // Rounded coordinates, and a slope times a margin.
    let error = 1e-14 * (y1.abs() + y2.abs() + y.abs()) + (y2 - y1).abs() * (margin / (right - left)).abs() * 4.0;
    if sloped || !(y + error).is_finite() {
        return Some((f64::NEG_INFINITY, f64::INFINITY, false));
    }
    let is_sure = x - margin > left && x + margin < right;
    Some(if upper { (-y - error, -y + error, is_sure) } else { (y - error, y + error, is_sure) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Random, SegmentKind};

    #[test]
    fn a_scan_is_what_fractions_are() {
        fn check<K: Exact>() {
            for &kind in SegmentKind::ALL {
                let rows = kind.make::<K>(40, 3);
                for upper in [false, true] {
                    let scan = Scan { rows: &rows, upper };
                    let segments: Vec<_> = (0..rows.len()).map(|i| scan.segment(i)).collect();
                    for i in 0..20 {
                        // Ends, and anything.
                        let end = rows[i as usize][if i % 2 == 0 { 0 } else { 2 }].double();
                        let x = if i < 10 { end } else { 1e3 * (Random::new(i, 4).unit(0) - 0.5) };
                        let exact = BigRational::from_float(x).unwrap();
                        let want = lowest_at(&segments, &exact).map(|(y, i)| (if upper { -y } else { y }, i));
                        assert_eq!(scan.lowest(&exact, x), want, "{kind:?} {} {x}", K::NAME);
                    }
                }
            }
        }
        check::<i32>();
        check::<i64>();
        check::<f64>();
        check::<f32>();
    }

    fn shown(pieces: &[ExactPiece]) -> String {
        let start = |x: &Option<BigRational>| x.as_ref().map_or("-inf".into(), BigRational::to_string);
        let id = |id: &Option<usize>| id.map_or("gap".into(), |id| id.to_string());
        pieces.iter().map(|(x, i)| format!("{}: {}", start(x), id(i))).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn envelopes_by_hand() {
        let of = |rows: &[[i128; 4]]| {
            shown(&lower_envelope(&rows.iter().map(|&row| ExactSegment::of_integers(row)).collect::<Vec<_>>()))
        };
        assert_eq!(of(&[]), "");
        assert_eq!(of(&[[0, 0, 3, 3], [0, 2, 5, 0]]), "0: 0, 10/7: 1, 5: gap");
        // A point below, one on a segment, one in a gap, two at the same place.
        assert_eq!(of(&[[0, 5, 9, 5], [3, 1, 3, 1]]), "0: 0, 3: 1, 3: 0, 9: gap");
        assert_eq!(of(&[[0, 5, 9, 5], [3, 5, 3, 7]]), "0: 0, 9: gap");
        assert_eq!(of(&[[0, 5, 2, 5], [3, 7, 3, 5], [3, 5, 3, 5]]), "0: 0, 2: gap, 3: 1, 3: gap");
        // The same place: where one ends and another begins.
        assert_eq!(of(&[[0, 5, 2, 5], [2, 4, 3, 4], [2, 4, 2, 4]]), "0: 0, 2: 1, 3: gap");
        // On one line: the first one, where it is.
        assert_eq!(of(&[[3, 3, 5, 5], [0, 0, 9, 9]]), "0: 1, 3: 0, 5: 1, 9: gap");
        let inf = f64::INFINITY;
        let rows = [[-inf, 1.0, inf, 0.0], [0.0, 1.0, inf, 0.0], [-3.0, -5.0, -inf, 2.0]];
        let rows: Vec<_> = rows.into_iter().map(ExactSegment::of_doubles).collect();
        assert_eq!(shown(&lower_envelope(&rows)), "-inf: 2, -3: 0, 1: 1");
    }
}
