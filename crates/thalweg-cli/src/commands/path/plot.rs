//! The picture of a path on its map.

use thalweg::graph::path::{Grid, Length, Query};
use thalweg_cli::numbers::show_count;
use thalweg_cli::picture::{Caption, Picture};

/// Squares of the picture at most, along the longer side: on larger maps a square stands for several cells, and is as dark as
/// walls or costs there are on average.
const SQUARES: usize = 256;
/// Shades, so that squares of the same shade are one shape.
const SHADES: usize = 8;

/// Draws a map and a path on it.
pub fn draw(grid: &Grid, query: Query, path: &[u32], length: Option<Length>) -> String {
    let (rows, cols) = (grid.rows(), grid.cols());
    let mut picture = Picture::downward([0.0, 0.0], [cols as f64, rows as f64]);
    let side = rows.max(cols).div_ceil(SQUARES).max(1);
    for (shade, rectangles) in rectangles(grid, side).into_iter().enumerate() {
        let opacity = (shade + 1) as f64 / SHADES as f64;
        picture.rectangles(rectangles, format_args!("fill=\"#3b4450\" fill-opacity=\"{opacity:.2}\""));
    }
    let middle = |[row, column]: [usize; 2]| [column as f64 + 0.5, row as f64 + 0.5];
    let corners = corners(path.iter().map(|&cell| grid.place(cell)));
    picture.path(
        corners.into_iter().map(middle),
        false,
        "fill=\"none\" stroke=\"#e4572e\" stroke-width=\"2.2\" stroke-linejoin=\"round\" stroke-linecap=\"round\"",
    );
    let ends = [query.start, query.goal].map(|[row, column]| middle([row as usize, column as usize]));
    picture.dots([ends[0]], 4.5, "stroke=\"#2a7f4f\"");
    picture.dots([ends[1]], 4.5, "stroke=\"#e4572e\"");
    let text = |[row, column]: [u32; 2]| format!("({row}, {column})");
    let (start, goal) = (text(query.start), text(query.goal));
    let title = match length {
        Some(length) => format!("Shortest path from {start} to {goal}: {length}"),
        None => format!("No path from {start} to {goal}"),
    };
    let square = if side > 1 { format!(", a square is {side} x {side} cells") } else { String::new() };
    let note = format!("{} x {} cells{square}", show_count(rows), show_count(cols));
    picture.finish(Caption { title: &title, note: &note })
}

/// The first place, the last, and those where the direction changes.
fn corners(places: impl Iterator<Item = [usize; 2]>) -> Vec<[usize; 2]> {
    let mut corners: Vec<[usize; 2]> = Vec::new();
    for place in places {
        let step = |a: [usize; 2], b: [usize; 2]| [0, 1].map(|i| (b[i] as i64 - a[i] as i64).signum());
        if let [.., a, b] = corners[..]
            && step(a, b) == step(b, place)
        {
            corners.pop();
        }
        corners.push(place);
    }
    corners
}

/// Rectangles of every shade, from light to dark: squares side by side are one.
fn rectangles(grid: &Grid, side: usize) -> [Vec<[[f64; 2]; 2]>; SHADES] {
    let (rows, cols) = (grid.rows(), grid.cols());
    let dearest = grid.costs().and_then(|costs| costs.iter().max()).copied().unwrap_or(1).max(1);
    // A wall is as dark as can be, a cell at half of that where it costs the most.
    let dark = |row: usize, column: usize| match grid.cost(row, column) {
        0 => 1.0,
        1 => 0.0,
        cost => 0.5 * f64::from(cost) / f64::from(dearest),
    };
    let mut shades = [const { Vec::new() }; SHADES];
    for top in (0..rows).step_by(side) {
        let bottom = (top + side).min(rows);
        let shade = |left: usize| {
            let right = (left + side).min(cols);
            let sum: f64 = (top..bottom).flat_map(|row| (left..right).map(move |column| dark(row, column))).sum();
            (sum / ((bottom - top) * (right - left)) as f64 * SHADES as f64).round() as usize
        };
        let row: Vec<(usize, usize)> = (0..cols).step_by(side).map(|left| (left, shade(left))).collect();
        for run in row.chunk_by(|a, b| a.1 == b.1) {
            let (left, right) = (run[0].0, (run[run.len() - 1].0 + side).min(cols));
            if let Some(shade) = run[0].1.checked_sub(1) {
                shades[shade].push([[left as f64, top as f64], [right as f64, bottom as f64]]);
            }
        }
    }
    shades
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg::graph::path::{Index, Moves};
    use thalweg_data::GridKind;

    #[test]
    fn large_maps_make_small_pictures() {
        let walls = GridKind::Random.make(1500, 2000, 30, 1);
        let grid = Grid::from_walls(1500, 2000, &walls).unwrap();
        let index = Index::new(grid, Moves::Eight).unwrap();
        let query = Query::new([0, 0], [1499, 1999]);
        let paths = index.paths(&[query]).unwrap();
        let svg = draw(index.grid(), query, paths.path(0), paths.lengths()[0]);
        assert!(svg.len() < 1_500_000, "{}", svg.len());
        assert!(svg.contains("1,500 x 2,000 cells, a square is 8 x 8 cells") && !svg.contains("NaN"));
    }

    #[test]
    fn walls_side_by_side_are_one_shape() {
        let grid = Grid::from_walls(2, 4, &[0, 1, 1, 0, 1, 1, 1, 1]).unwrap();
        let shades = rectangles(&grid, 1);
        assert_eq!(shades[SHADES - 1], [[[1.0, 0.0], [3.0, 1.0]], [[0.0, 1.0], [4.0, 2.0]]]);
        assert!(shades[..SHADES - 1].iter().all(Vec::is_empty));
    }

    #[test]
    fn no_path_and_no_way_to_go() {
        let grid = Grid::from_walls(1, 3, &[0, 1, 0]).unwrap();
        let svg = draw(&grid, Query::new([0, 0], [0, 2]), &[], None);
        assert!(svg.contains("No path from (0, 0) to (0, 2)"));
        let svg = draw(&grid, Query::new([0, 0], [0, 0]), &[0], Some(Length::ZERO));
        assert!(svg.contains("from (0, 0) to (0, 0): 0"), "{svg}");
    }

    #[test]
    fn corners_alone_are_kept() {
        let places = [[0, 0], [0, 1], [0, 2], [1, 3], [2, 4], [2, 5]];
        assert_eq!(corners(places.into_iter()), [[0, 0], [0, 2], [2, 4], [2, 5]]);
        assert_eq!(corners([[3, 3]].into_iter()), [[3, 3]]);
    }
}
