//! The lower and the upper side of a convex polygon, and heights on them, rounded to the outside.

/// A side of a convex polygon: corners from left to right, of different x.
#[derive(Clone, Debug)]
pub(super) struct Chain<T>(Vec<[T; 2]>);

/// The lower and the upper side of a polygon with these corners: counter-clockwise from the smallest, by x, then y.
/// `None` if it has no inside.
pub(super) fn sides<T: Copy + PartialOrd>(corners: &[[T; 2]]) -> Option<[Chain<T>; 2]> {
    if corners.len() < 3 {
        return None;
    }
    let largest = (0..corners.len()).max_by(|&a, &b| corners[a].partial_cmp(&corners[b]).expect("finite"))?;
    let lower = corners[..=largest].iter().copied();
    let upper = corners[..1].iter().chain(corners[largest..].iter().rev()).copied();
    let [lower, upper] = [Chain::of(lower, |new, old| new < old), Chain::of(upper, |new, old| new > old)];
    // Vertical edges are no part of a side: the corner that bounds the inside stands for both.
    (lower.0.len() >= 2 && upper.0.len() >= 2).then_some([lower, upper])
}

impl<T: Copy + PartialOrd> Chain<T> {
    /// Of corners of equal x the better one, by y, stays.
    fn of(corners: impl Iterator<Item = [T; 2]>, better: impl Fn(T, T) -> bool) -> Self {
        let mut chain: Vec<[T; 2]> = Vec::new();
        for corner in corners {
            match chain.last_mut() {
                Some(last) if last[0] == corner[0] => {
                    if better(corner[1], last[1]) {
                        *last = corner;
                    }
                }
                _ => chain.push(corner),
            }
        }
        Self(chain)
    }

    /// Its least and its largest x.
    pub(super) fn ends(&self) -> [T; 2] {
        [self.0[0][0], self.0[self.0.len() - 1][0]]
    }

    /// The edge above or below an x that is not beyond the ends.
    pub(super) fn edge(&self, x: T) -> [[T; 2]; 2] {
        let right = self.0.partition_point(|corner| corner[0] < x).clamp(1, self.0.len() - 1);
        [self.0[right - 1], self.0[right]]
    }
}

/// The least and the largest height that an edge may have at `x`.
///
/// A scale of 1/4 keeps differences finite; where it, or a product, underflows, less than 2^-1073 is lost. So `t` has an
/// error of at most 2^-51 if the edge is not shorter than 2^-1010, and the height one of less than
/// 2^-50 (|y1| + |y2|) + 2^-1070. Shorter edges have the heights of their ends.
pub(super) fn height_of_doubles([a, b]: [[f64; 2]; 2], x: f64) -> [f64; 2] {
    const SCALE: f64 = 0.25;
    const SHORT: f64 = f64::from_bits((1023 - 1010) << 52);
    const LEAST: f64 = f64::from_bits(1 << (1074 - 1060));
    let ([x1, y1], [x2, y2]) = (a.map(|c| c * SCALE), b.map(|c| c * SCALE));
    let length = x2 - x1;
    if length < SHORT {
        return [a[1].min(b[1]), a[1].max(b[1])];
    }
    let t = (x * SCALE - x1) / length;
    let (height, slack) = (y1 + (y2 - y1) * t, (y1.abs() + y2.abs()) * (f64::EPSILON * 16.0) + LEAST);
    [(height - slack) / SCALE, (height + slack) / SCALE]
}

/// The height of an edge at `x`, rounded down and up.
pub(super) fn height_of_integers([a, b]: [[i64; 2]; 2], x: i64) -> [i64; 2] {
    let (run, along) = (b[0].abs_diff(a[0]), x.abs_diff(a[0]));
    let product = u128::from(b[1].abs_diff(a[1])) * u128::from(along);
    // At most the height of the edge, which fits.
    let low = (product / u128::from(run)) as u64;
    let high = low + u64::from(product % u128::from(run) != 0);
    if b[1] >= a[1] {
        [a[1].wrapping_add_unsigned(low), a[1].wrapping_add_unsigned(high)]
    } else {
        [a[1].wrapping_sub_unsigned(high), a[1].wrapping_sub_unsigned(low)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_of_polygons() {
        let square = [[0, 0], [2, 0], [2, 2], [0, 2]];
        let [lower, upper] = sides(&square).unwrap();
        assert_eq!((lower.0, upper.0), (vec![[0, 0], [2, 0]], vec![[0, 2], [2, 2]]));
        let kite = [[0, 1], [3, 0], [5, 2], [2, 4]];
        let [lower, upper] = sides(&kite).unwrap();
        assert_eq!(
            (lower.edge(0), lower.edge(3), lower.edge(4)),
            ([[0, 1], [3, 0]], [[0, 1], [3, 0]], [[3, 0], [5, 2]])
        );
        assert_eq!((upper.edge(2), upper.ends()), ([[0, 1], [2, 4]], [0, 5]));
        assert!(sides(&[[0, 0], [1, 1]]).is_none());
    }

    #[test]
    fn heights_are_rounded_to_the_outside() {
        assert_eq!(height_of_integers([[0, 0], [3, 1]], 1), [0, 1]);
        assert_eq!(height_of_integers([[0, 0], [3, -1]], 1), [-1, 0]);
        let wide = [[i64::MIN, i64::MIN], [i64::MAX, i64::MAX]];
        assert_eq!(height_of_integers(wide, 7), [7, 7]);
        assert_eq!(height_of_integers([wide[0], [i64::MAX, i64::MIN]], 7), [i64::MIN; 2]);
        for scale in [1.0, 1e300, 1e-300, 1e-318] {
            for x in [0.0, 0.3, 1.0, 2.0, 3.0] {
                let [low, high] = height_of_doubles([[0.0, 5.0 * scale], [3.0 * scale, scale]], x * scale);
                // Compared after scaling, which is a little less exact.
                let want = (5.0 - 4.0 * (x / 3.0)) * scale;
                assert!(
                    low <= want * (1.0 + 1e-15) && want * (1.0 - 1e-15) <= high,
                    "{scale} {x}: {low} {want} {high}"
                );
                assert!(scale == 1e-318 || high - low <= 1e-12 * scale, "{scale} {x}");
            }
        }
    }
}
