//! The picture of an envelope: some of the segments, and the envelope in front of them.

use thalweg::geometry::envelope::Envelope;
use thalweg_cli::numbers::show_count;
use thalweg_cli::picture::{Caption, Picture};
use thalweg_data::Random;

/// Segments and pieces that are drawn at most: more would only make the file larger.
const SEGMENTS: usize = 1500;
const PIECES: usize = 3000;

/// Draws `len` segments, as `row` tells them, and their envelope.
pub fn draw(row: &dyn Fn(usize) -> [f64; 4], len: usize, envelope: &Envelope) -> String {
    // One at random of every so many: a pattern in the data is not taken for one in the picture.
    let (shown, random) = (len.min(SEGMENTS), Random::new(1, 31));
    let start = |i: usize| (i as u128 * len as u128 / shown.max(1) as u128) as usize;
    let segments: Vec<[f64; 4]> =
        (0..shown).map(|i| row(start(i) + random.below(i as u64, (start(i + 1) - start(i)) as u64) as usize)).collect();
    let (low, high) = bounds(&segments, row, envelope);
    let mut picture = Picture::new(low, high);
    let clip = |row: [f64; 4]| {
        let [x1, x2] = [row[0], row[2]].map(|x| x.clamp(low[0], high[0]));
        [[x1, value(row, x1)], [x2, value(row, x2)]]
    };
    picture.lines(
        segments.iter().map(|&[x1, y1, x2, y2]| if x1 == x2 { [[x1, y1], [x2, y2]] } else { clip([x1, y1, x2, y2]) }),
        "stroke=\"#54606e\" stroke-opacity=\"0.35\" stroke-width=\"1\"",
    );
    let pieces: Vec<[[f64; 2]; 2]> = (0..envelope.len().min(PIECES))
        .filter_map(|k| {
            let i = (k as u128 * envelope.len() as u128 / envelope.len().min(PIECES) as u128) as usize;
            let id = envelope.ids()[i];
            if id == Envelope::GAP {
                return None;
            }
            let row = row(id as usize);
            let [from, to] = [i, i + 1].map(|i| envelope.starts().get(i).copied().unwrap_or(high[0]));
            let [from, to] = [from, to].map(|x| x.clamp(low[0], high[0]));
            let at = |x| [x, if row[0] == row[2] { seen_end(row, envelope) } else { value(row, x) }];
            Some([at(from), at(to)])
        })
        .collect();
    let is_point = |piece: &&[[f64; 2]; 2]| piece[0][0] == piece[1][0];
    picture.lines(
        pieces.iter().filter(|piece| !is_point(piece)).copied(),
        "stroke=\"#e4572e\" stroke-width=\"2.2\" stroke-linecap=\"round\"",
    );
    picture.dots(pieces.iter().filter(is_point).map(|piece| piece[0]), 2.2, "stroke=\"#e4572e\"");
    let side = if envelope.side() == thalweg::geometry::envelope::Side::Upper { "Upper" } else { "Lower" };
    let (count, parts) = (show_count(len), show_count(envelope.len()));
    let title = format!("{side} envelope of {count} segments: {parts} pieces");
    let mut notes = Vec::new();
    if shown < len {
        notes.push(format!("{} segments drawn", show_count(shown)));
    }
    if envelope.len() > PIECES {
        notes.push(format!("{} pieces drawn", show_count(PIECES)));
    }
    picture.finish(Caption { title: &title, note: &notes.join(", ") })
}

/// The end of a vertical segment that the envelope shows.
fn seen_end(row: [f64; 4], envelope: &Envelope) -> f64 {
    match envelope.side() {
        thalweg::geometry::envelope::Side::Upper => row[1].max(row[3]),
        _ => row[1].min(row[3]),
    }
}

/// A row's height at `x`, near enough for a picture. An infinite x has the slope beside it.
fn value([x1, y1, x2, y2]: [f64; 4], x: f64) -> f64 {
    let [x1, y1, x2, y2] = if x1 > x2 { [x2, y2, x1, y1] } else { [x1, y1, x2, y2] };
    match (x1.is_finite(), x2.is_finite()) {
        (true, true) => y1 + ((x - x1) / (x2 - x1)).clamp(0.0, 1.0) * (y2 - y1),
        (true, false) => y1 + (x - x1) * y2,
        (false, true) => y2 + (x - x2) * y1,
        (false, false) => y2 + x * y1,
    }
}

/// A rectangle around the finite ends of the segments that are shown and of those that are seen.
fn bounds(segments: &[[f64; 4]], row: &dyn Fn(usize) -> [f64; 4], envelope: &Envelope) -> ([f64; 2], [f64; 2]) {
    let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    let step = envelope.len() / PIECES + 1;
    let seen = envelope.ids().iter().step_by(step).filter(|&&id| id != Envelope::GAP).map(|&id| row(id as usize));
    for [x1, y1, x2, y2] in segments.iter().copied().chain(seen) {
        for [x, y] in [[x1, y1], [x2, y2]] {
            if x.is_finite() {
                (low, high) = ([low[0].min(x), low[1].min(y)], [high[0].max(x), high[1].max(y)]);
            }
        }
    }
    // Where rays cross, and lines alone.
    for &x in envelope.starts().iter().filter(|x| x.is_finite()) {
        (low[0], high[0]) = (low[0].min(x), high[0].max(x));
    }
    if low[0] > high[0] {
        (low[0], high[0]) = (-1.0, 1.0);
    }
    if low[1] > high[1] {
        let sides = [low[0], high[0]];
        let ends = segments.iter().flat_map(|&row| sides.map(|x| value(row, x)));
        for y in ends.filter(|y| y.is_finite()) {
            (low[1], high[1]) = (low[1].min(y), high[1].max(y));
        }
    }
    if low[1] > high[1] { ([low[0], 0.0], [high[0], 1.0]) } else { (low, high) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg::geometry::envelope::lower_envelope;
    use thalweg_data::SegmentKind;

    #[test]
    fn many_segments_make_a_small_picture() {
        let rows = SegmentKind::Pieces.make::<f64>(50_000, 1);
        let svg = draw(&|i| rows[i], rows.len(), &lower_envelope(&rows).unwrap());
        assert!(svg.len() < 250_000, "{}", svg.len());
        assert!(svg.contains("50,000 segments") && svg.contains("1,500 segments drawn") && !svg.contains("NaN"));
    }

    #[test]
    fn none_points_and_lines() {
        let inf = f64::INFINITY;
        for rows in [
            &[][..],
            &[[7.0, 7.0, 7.0, 9.0]],
            &[[-inf, 1.0, inf, 0.0]],
            &[[-inf, 1.0, inf, 0.0], [0.0, 1.0, inf, -1.0]],
        ] {
            let svg = draw(&|i| rows[i], rows.len(), &lower_envelope(rows).unwrap());
            assert!(svg.starts_with("<svg") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }
}
