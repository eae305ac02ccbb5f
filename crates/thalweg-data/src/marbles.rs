//! A picture to blur: glass marbles on a wooden board, seen from above.
//!
//! Made with the four operations and square roots only, so that every machine makes the same one.

use rayon::prelude::*;

use crate::Random;

/// Sizes of the picture that the command has built in: rows and columns.
pub const SIZES: [usize; 2] = [1000, 1400];

/// Distance of neighbouring marbles in pixels.
const CELL: f64 = 140.0;
/// Samples of a pixel along either side.
const FINENESS: usize = 2;
/// Where the light comes from, and half way between it and the eye: unit vectors.
const LIGHT: [f64; 3] = [-0.48, -0.6, 0.64];
const HALF: [f64; 3] = [-0.265, -0.3313, 0.9056];

type Colour = [f64; 3];

/// A sample of the light that falls in, in shares of white.
const SKY: Colour = [0.85, 0.92, 1.0];

/// Glass and vanes.
const GLASS: [[Colour; 2]; 10] = [
    [[0.05, 0.22, 0.62], [0.95, 0.85, 0.25]],
    [[0.62, 0.04, 0.07], [0.98, 0.93, 0.86]],
    [[0.03, 0.42, 0.22], [0.75, 0.95, 0.35]],
    [[0.50, 0.16, 0.55], [0.98, 0.62, 0.15]],
    [[0.75, 0.36, 0.03], [0.99, 0.95, 0.70]],
    [[0.10, 0.50, 0.58], [0.96, 0.98, 0.98]],
    [[0.28, 0.30, 0.34], [0.85, 0.15, 0.15]],
    [[0.70, 0.62, 0.10], [0.20, 0.45, 0.80]],
    [[0.07, 0.08, 0.12], [0.45, 0.80, 0.95]],
    [[0.75, 0.30, 0.42], [0.40, 0.10, 0.45]],
];

/// The picture: red, green and blue of every pixel, row by row.
pub fn marbles([height, width]: [usize; 2], seed: u64) -> Vec<u8> {
    let board = Board::new([height, width], seed);
    let mut samples = vec![0; 3 * height * width];
    samples.par_chunks_exact_mut((3 * width).max(1)).enumerate().for_each(|(row, samples)| {
        for (column, pixel) in samples.chunks_exact_mut(3).enumerate() {
            let mut sum = [0.0; 3];
            for part in 0..FINENESS * FINENESS {
                let place = |pixel: usize, part: usize| pixel as f64 + (part as f64 + 0.5) / FINENESS as f64;
                let colour = board.colour(place(column, part % FINENESS), place(row, part / FINENESS));
                sum = added(sum, colour, 1.0 / (FINENESS * FINENESS) as f64);
            }
            // From light to samples: a root is near enough to what screens expect.
            let sample = |light: f64| (light.clamp(0.0, 1.0).sqrt() * 255.0 + 0.5) as u8;
            pixel.copy_from_slice(&sum.map(sample));
        }
    });
    samples
}

/// A marble: its centre and radius, its glass, and how its vanes are turned.
struct Marble {
    x: f64,
    y: f64,
    radius: f64,
    colours: [Colour; 2],
    turn: [f64; 2],
    bend: f64,
}

struct Board {
    random: Random,
    /// Columns of the cells that matter.
    columns: usize,
    /// Their marbles, row by row, from the cell above and left of the first.
    marbles: Vec<Option<Marble>>,
}

impl Board {
    fn new([height, width]: [usize; 2], seed: u64) -> Self {
        let cells = |pixels: usize| (pixels as f64 / CELL) as usize + 3;
        let mut board = Self { random: Random::new(seed, 50), columns: cells(width), marbles: Vec::new() };
        let rows = 0..cells(height);
        board.marbles = rows
            .flat_map(|row| (0..cells(width)).map(move |column| (column, row)))
            .map(|(column, row)| board.marble(column as i64 - 1, row as i64 - 1))
            .collect();
        board
    }

    /// The light that comes from a place.
    fn colour(&self, x: f64, y: f64) -> Colour {
        let first = (y / CELL) as usize * self.columns + (x / CELL) as usize;
        let rows = (0..3).map(|row| &self.marbles[first + row * self.columns..][..3]);
        let marbles = || rows.clone().flatten().flatten();
        if let Some(marble) = marbles().find(|m| squared(x - m.x) + squared(y - m.y) < squared(m.radius)) {
            return marble.colour(x, y);
        }
        let mut colour = self.wood(x, y);
        // Shades reach less than two radii.
        for marble in marbles().filter(|m| squared(x - m.x) + squared(y - m.y) < squared(2.0 * m.radius)) {
            let [dark, lit] = marble.shade(x, y);
            colour = colour.map(|part| part * (1.0 - 0.68 * dark));
            colour = added(colour, mixed(marble.colours[0], marble.colours[1], 0.35), 0.5 * lit);
        }
        colour
    }

    /// The marble of a cell, if it has one. Rows are shifted, as marbles lie; none reaches into another.
    fn marble(&self, column: i64, row: i64) -> Option<Marble> {
        let number = |what: u64| {
            let cell = (row + 1024) as u64 * 4096 + (column + 1024) as u64;
            self.random.unit(8 * cell + what)
        };
        if number(0) < 0.1 {
            return None;
        }
        let shift = if row.rem_euclid(2) == 0 { 0.3 } else { 0.7 };
        let place = |cell: i64, share: f64, what| (cell as f64 + share + 0.12 * (number(what) - 0.5)) * CELL;
        let (sin, cos) = turned(number(4));
        Some(Marble {
            x: place(column, shift, 1),
            y: place(row, 0.5, 2),
            radius: (0.31 + 0.12 * number(3)) * CELL,
            colours: GLASS[(number(5) * GLASS.len() as f64) as usize],
            turn: [sin, cos],
            bend: 0.9 * number(6) - 0.45,
        })
    }

    /// Boards with grain along them.
    fn wood(&self, x: f64, y: f64) -> Colour {
        let plank = (y / 225.0) as u64;
        let edge = squared((y - 225.0 * plank as f64 - 1.5) / 2.5);
        let shift = 977.0 * self.random.unit((1 << 40) | plank);
        let grain = self.noise((x + shift) / 90.0, y / 5.0, 1) * 0.6 + self.noise((x + shift) / 300.0, y / 22.0, 2);
        let tone = 0.72 + 0.2 * grain + 0.1 * self.random.unit((1 << 41) | plank);
        let groove = if edge < 1.0 { 0.45 + 0.55 * edge } else { 1.0 };
        [0.50, 0.30, 0.155].map(|part| part * tone * groove)
    }

    /// Smooth noise in [0, 1): numbers of a grid, with smooth steps between them. Places are not negative.
    fn noise(&self, x: f64, y: f64, stream: u64) -> f64 {
        let (left, top) = (x as u32, y as u32);
        let (u, v) = (smooth(x - f64::from(left)), smooth(y - f64::from(top)));
        let corner = |dx: u32, dy: u32| {
            let (i, j) = (u64::from((left + dx) & 0xffff), u64::from((top + dy) & 0xffff));
            self.random.unit((stream << 42) | (i << 16) | j)
        };
        let along = |dy| corner(0, dy) * (1.0 - u) + corner(1, dy) * u;
        along(0) * (1.0 - v) + along(1) * v
    }
}

impl Marble {
    /// The light from a place on it.
    fn colour(&self, x: f64, y: f64) -> Colour {
        let (u, v) = ((x - self.x) / self.radius, (y - self.y) / self.radius);
        let z = (1.0 - u * u - v * v).max(0.0).sqrt();
        let towards = |[lx, ly, lz]: [f64; 3]| (u * lx + v * ly + z * lz).max(0.0);
        // Vanes, bent within the glass.
        let [sin, cos] = self.turn;
        let (p, q) = (u * cos + v * sin, v * cos - u * sin);
        let centre = self.bend * q * (2.5 - 3.0 * q * q);
        let width = 0.3 * (1.0 - 0.8 * q * q);
        let vane = smooth(1.0 - (p - centre).abs() / width) * (1.0 - 0.3 * (1.0 - z));
        let thread = smooth(1.0 - (p - centre - 0.75 * width).abs() / 0.07);
        let glass = mixed(self.colours[0], self.colours[1], vane);
        let glass = mixed(glass, [0.97; 3], 0.5 * thread);
        // Light goes through the glass to the side away from it.
        let through = (-(u * LIGHT[0] + v * LIGHT[1])).max(0.0);
        let strength = 0.32 + 0.5 * towards(LIGHT) + 0.75 * through * through;
        let colour = glass.map(|part| part * strength);
        // What mirrors: the rim the sky, and the spot the lamp.
        let rim = (1.0 - z) * (1.0 - z);
        let colour = mixed(colour, SKY, 0.35 * rim * (1.0 - z));
        let mut spot = towards(HALF);
        for _ in 0..6 {
            spot *= spot;
        }
        added(
            colour,
            [1.0; 3],
            1.1 * spot + 0.12 * smooth(1.0 - (u + 0.3).abs() / 0.35) * smooth(1.0 - (v + 0.62).abs() / 0.12),
        )
    }

    /// How much of the board's light is taken, and how much falls through the glass.
    fn shade(&self, x: f64, y: f64) -> [f64; 2] {
        let distance = |reach: f64| {
            let (dx, dy) = (x - self.x + reach * LIGHT[0] * self.radius, y - self.y + reach * LIGHT[1] * self.radius);
            (dx * dx + dy * dy).sqrt() / self.radius
        };
        [smooth((1.22 - distance(0.5)) / 0.5), smooth((0.75 - distance(0.95)) / 0.7)]
    }
}

fn squared(x: f64) -> f64 {
    x * x
}

/// From 0 to 1 without a corner; flat outside.
fn smooth(x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}

/// A point of the circle for a number in [0, 1): not evenly spread, but without a sine.
fn turned(number: f64) -> (f64, f64) {
    let (t, far) = (2.0 * (2.0 * number).fract() - 1.0, if number < 0.5 { 1.0 } else { -1.0 });
    (far * 2.0 * t / (1.0 + t * t), far * (1.0 - t * t) / (1.0 + t * t))
}

fn mixed(one: Colour, two: Colour, share: f64) -> Colour {
    std::array::from_fn(|i| one[i] * (1.0 - share) + two[i] * share)
}

fn added(one: Colour, two: Colour, share: f64) -> Colour {
    std::array::from_fn(|i| one[i] + two[i] * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_is_the_same_for_any_number_of_threads_and_colourful() {
        let one = crate::with_threads(1, || marbles([150, 210], 7));
        assert_eq!(one, crate::with_threads(3, || marbles([150, 210], 7)));
        assert_eq!(one.len(), 3 * 150 * 210);
        assert_ne!(one, marbles([150, 210], 8));
        // A larger picture shows more of the same board.
        let more = marbles([160, 300], 7);
        assert!((0..150).all(|row| one[row * 630..][..630] == more[row * 900..][..630]));
        let levels =
            (0..3).map(|channel| one.iter().skip(channel).step_by(3).collect::<std::collections::BTreeSet<_>>().len());
        assert!(levels.into_iter().all(|count| count > 150));
        assert!(marbles([0, 5], 7).is_empty() && marbles([5, 0], 7).is_empty());
    }
}
