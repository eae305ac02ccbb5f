//! The picture of a hull: some of the points, the hull, its corners.

use thalweg_cli::numbers::show_count;
use thalweg_cli::picture::{Caption, Picture};
use thalweg_data::Random;

/// Points that are drawn at most, and points of the hull: more would only make the file larger.
const DOTS: usize = 5000;
const CORNERS: usize = 3000;

/// Up to so many corners and points each gets a dot that is seen.
const FEW: usize = 200;
const FEW_DOTS: usize = 1000;

/// Draws `len` points, as `point` tells them, and the hull; `what` its points are.
pub fn draw(len: usize, point: &dyn Fn(usize) -> [f64; 2], hull: &[usize], what: &str) -> String {
    // The hull has the extremes in all directions.
    let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for &position in hull {
        for (axis, x) in point(position).into_iter().enumerate() {
            (low[axis], high[axis]) = (low[axis].min(x), high[axis].max(x));
        }
    }
    if hull.is_empty() {
        (low, high) = ([0.0; 2], [1.0; 2]);
    }
    let mut picture = Picture::new(low, high);
    let corners: Vec<[f64; 2]> = thinned(hull.len(), CORNERS).map(|i| point(hull[i])).collect();
    picture.path(corners.iter().copied(), true, "fill=\"#4c78a8\" fill-opacity=\"0.10\" stroke=\"none\"");
    // One at random of every so many: a pattern in the data is not taken for one in the picture.
    let (shown, random) = (len.min(DOTS), Random::new(1, 30));
    let start = |i: usize| (i as u128 * len as u128 / shown.max(1) as u128) as usize;
    let dots = (0..shown).map(|i| point(start(i) + random.below(i as u64, (start(i + 1) - start(i)) as u64) as usize));
    let radius = if shown <= FEW_DOTS { 1.8 } else { 1.1 };
    picture.dots(dots, radius, "stroke=\"#54606e\" stroke-opacity=\"0.45\"");
    picture.path(
        corners.iter().copied(),
        true,
        "fill=\"none\" stroke=\"#4c78a8\" stroke-width=\"1.6\" stroke-linejoin=\"round\"",
    );
    let radius = if hull.len() <= FEW { 3.0 } else { 1.4 };
    picture.dots(corners, radius, "stroke=\"#e4572e\"");
    let title = format!("Convex hull of {} points: {} {what}", show_count(len), show_count(hull.len()));
    let note = if shown < len { format!("{} points drawn", show_count(shown)) } else { String::new() };
    picture.finish(Caption { title: &title, note: &note })
}

/// Numbers below `len`, so many of them at most, evenly spaced.
fn thinned(len: usize, most: usize) -> impl Iterator<Item = usize> {
    let count = len.min(most);
    (0..count).map(move |i| (i as u128 * len as u128 / count as u128) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_points_make_a_small_picture() {
        let point = |i: usize| [(i as f64).cos(), (i as f64).sin()];
        let all: Vec<usize> = (0..1_000_000).collect();
        let svg = draw(all.len(), &point, &all, "corners");
        assert!(svg.len() < 250_000, "{}", svg.len());
        assert!(svg.contains("1,000,000 points: 1,000,000 corners") && svg.contains("5,000 points drawn"));
    }

    #[test]
    fn none_and_one() {
        for hull in [&[][..], &[0]] {
            let svg = draw(hull.len(), &|_| [7.0, 7.0], hull, "corners");
            assert!(svg.starts_with("<svg") && !svg.contains("NaN"), "{svg}");
        }
    }
}
