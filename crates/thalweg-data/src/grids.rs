//! Maps of walls, from empty ones to those that lead searches astray, and questions on them.

use crate::lists::permutation;
use crate::{Random, made};

/// Rows and columns from a wall of a room to the next.
const ROOM: usize = 32;

/// A kind of map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GridKind {
    /// No walls.
    Empty,
    /// Every cell is a wall with the same probability.
    Random,
    /// Square rooms, with a door of one cell in every wall between two.
    Rooms,
    /// A maze with one way between any two places.
    Maze,
    /// One corridor that winds from the upper left corner to the middle.
    Spiral,
    /// One corridor that winds from the top to the bottom.
    Serpentine,
    /// Walls in the shape of cups, open to the left, in which whoever comes from there is caught.
    Cups,
}

impl GridKind {
    /// Every kind.
    pub const ALL: &'static [Self] =
        &[Self::Empty, Self::Random, Self::Rooms, Self::Maze, Self::Spiral, Self::Serpentine, Self::Cups];

    /// The kind's name, as the command line takes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Random => "random",
            Self::Rooms => "rooms",
            Self::Maze => "maze",
            Self::Spiral => "spiral",
            Self::Serpentine => "serpentine",
            Self::Cups => "cups",
        }
    }

    /// A map of `rows * cols` cells, 1 for walls. `percent` of the cells are walls in [`GridKind::Random`]; others have the
    /// walls that they have.
    ///
    /// # Panics
    /// If there is not so much memory.
    pub fn make(self, rows: usize, cols: usize, percent: u32, seed: u64) -> Vec<u8> {
        let random = Random::new(seed, 40);
        if self == Self::Maze {
            return maze(rows, cols, seed);
        }
        made(rows * cols, |cell| u8::from(self.is_wall(cell / cols, cell % cols, [rows, cols], percent, random)))
    }

    /// The same map with costs: 0 for walls, and from 1 to `most` for others.
    ///
    /// # Panics
    /// If `most` is 0, or if there is not so much memory.
    pub fn make_costs(self, rows: usize, cols: usize, percent: u32, most: u32, seed: u64) -> Vec<u32> {
        assert!(most > 0, "free cells have costs");
        let (random, walls) = (Random::new(seed, 41), self.make(rows, cols, percent, seed));
        made(walls.len(), |cell| match walls[cell] {
            0 => 1 + random.below(cell as u64, u64::from(most)) as u32,
            _ => 0,
        })
    }

    fn is_wall(self, row: usize, column: usize, [rows, cols]: [usize; 2], percent: u32, random: Random) -> bool {
        // How far from the margin.
        let ring = row.min(column).min(rows - 1 - row).min(cols - 1 - column);
        match self {
            Self::Empty | Self::Maze => false,
            Self::Random => random.below((row * cols + column) as u64, 100) < u64::from(percent),
            Self::Rooms => {
                let is_line = [row % ROOM == ROOM - 1, column % ROOM == ROOM - 1];
                // A door of its own for every wall, somewhere between its ends, which the margin may be.
                let door = |along: usize, len: usize, across: usize, side: u64| {
                    let wall = (across * (rows.max(cols) / ROOM + 1) + along / ROOM) as u64;
                    let places = (len - along / ROOM * ROOM).min(ROOM - 1);
                    random.below(2 * wall + side, places as u64) == (along % ROOM) as u64
                };
                match is_line {
                    [true, true] => true,
                    [true, false] => !door(column, cols, row / ROOM, 0),
                    [false, true] => !door(row, rows, column / ROOM, 1),
                    [false, false] => false,
                }
            }
            // Rings of walls, and rings of free cells between them. Every ring is left beside its upper left corner, where
            // a wall beside the entrance makes the way round the longest.
            Self::Spiral => {
                let is_line = 2 * ring + 1 == rows.min(cols);
                (ring % 2 == 1) != (row == ring + 1 && column == ring && !is_line)
            }
            Self::Serpentine => row % 2 == 1 && column != if row % 4 == 1 { cols - 1 } else { 0 },
            Self::Cups => {
                let (r, c) = (row % 24, column % 24);
                let is_back = c == 20 && (2..=20).contains(&r);
                let is_side = (r == 2 || r == 20) && (4..=20).contains(&c);
                is_back || is_side
            }
        }
    }
}

/// Kruskal's algorithm on places two apart, with walls between them in random order.
fn maze(rows: usize, cols: usize, seed: u64) -> Vec<u8> {
    fn top(up: &mut [u32], mut place: u32) -> u32 {
        while up[place as usize] != place {
            up[place as usize] = up[up[place as usize] as usize];
            place = up[place as usize];
        }
        place
    }

    let mut walls = vec![1; rows * cols];
    let (high, wide) = (rows.div_ceil(2), cols.div_ceil(2));
    let mut up: Vec<u32> = (0..(high * wide) as u32).collect();
    for place in 0..high * wide {
        walls[place / wide * 2 * cols + place % wide * 2] = 0;
    }
    for wall in permutation::<u32>(2 * high * wide, seed) {
        let (place, is_down) = (wall as usize / 2, wall % 2 == 1);
        let (row, column) = (place / wide, place % wide);
        let (other, between) = match is_down {
            true if row + 1 < high => (place + wide, (2 * row + 1) * cols + 2 * column),
            false if column + 1 < wide => (place + 1, 2 * row * cols + 2 * column + 1),
            _ => continue,
        };
        let (a, b) = (top(&mut up, place as u32), top(&mut up, other as u32));
        if a != b {
            up[a.max(b) as usize] = a.min(b);
            walls[between] = 0;
        }
    }
    walls
}

/// Questions from anywhere to anywhere: row and column of the start, row and column of the goal. Both are no walls where
/// `is_free` finds such cells in some tries.
///
/// # Panics
/// If there are no cells but questions, or if there is not so much memory.
pub fn grid_queries(
    rows: usize,
    cols: usize,
    is_free: impl Fn(usize) -> bool + Sync,
    count: usize,
    seed: u64,
) -> Vec<[u32; 4]> {
    let (random, cells) = (Random::new(seed, 42), (rows * cols) as u64);
    assert!(cells > 0 || count == 0, "questions need cells");
    let end = |index: usize| {
        let mut tries = (0..64).map(|k| random.below(64 * index as u64 + k, cells) as usize);
        let cell = tries.clone().find(|&cell| is_free(cell)).or_else(|| tries.next()).expect("one of 64");
        [(cell / cols) as u32, (cell % cols) as u32]
    };
    made(count, |i| {
        let ([a, b], [c, d]) = (end(2 * i), end(2 * i + 1));
        [a, b, c, d]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cells that straight steps reach from the first.
    fn reached(rows: usize, cols: usize, walls: &[u8]) -> usize {
        let mut seen: Vec<bool> = walls.iter().map(|&wall| wall != 0).collect();
        let (mut stack, mut count) = (vec![(0, 0)], 0);
        while let Some((row, column)) = stack.pop() {
            if !std::mem::replace(&mut seen[row * cols + column], true) {
                count += 1;
                let around = [(row.wrapping_sub(1), column), (row + 1, column), (row, column.wrapping_sub(1))];
                stack.extend(around.into_iter().chain([(row, column + 1)]).filter(|&(r, c)| r < rows && c < cols));
            }
        }
        count
    }

    #[test]
    fn all_places_of_all_shapes_are_connected() {
        for &kind in GridKind::ALL.iter().filter(|&&kind| kind != GridKind::Random) {
            for (rows, cols) in [(1, 1), (1, 40), (40, 1), (20, 20), (33, 71), (100, 65)] {
                let walls = kind.make(rows, cols, 0, 3);
                let free = walls.iter().filter(|&&wall| wall == 0).count();
                // One row or column of a serpentine ends at a wall; corners may be cut off by a last wall.
                if rows.min(cols) > 1 {
                    assert_eq!(reached(rows, cols, &walls), free, "{kind:?} {rows} x {cols}");
                }
            }
        }
    }

    #[test]
    fn shapes_by_hand() {
        let text = |kind: GridKind, rows, cols| -> String {
            kind.make(rows, cols, 0, 1).iter().map(|&wall| if wall == 1 { '#' } else { '.' }).collect()
        };
        assert_eq!(text(GridKind::Serpentine, 4, 3), ["...", "##.", "...", ".##"].concat());
        let rows = [".......", "######.", ".....#.", ".#####.", "......."];
        assert_eq!(text(GridKind::Spiral, 5, 7), rows.concat());
    }

    #[test]
    fn shares_of_walls_and_costs() {
        let walls = GridKind::Random.make(200, 300, 35, 1);
        let count = walls.iter().filter(|&&wall| wall == 1).count();
        assert!((20_400..21_600).contains(&count), "{count}");
        assert!(GridKind::Random.make(20, 30, 0, 1).iter().all(|&wall| wall == 0));
        assert!(GridKind::Random.make(20, 30, 100, 1).iter().all(|&wall| wall == 1));
        let costs = GridKind::Random.make_costs(200, 300, 35, u32::MAX, 1);
        assert!(costs.iter().zip(&walls).all(|(&cost, &wall)| (cost == 0) == (wall == 1)));
        assert!(*costs.iter().max().unwrap() > 0xfff0_0000);
    }

    #[test]
    fn questions_start_and_end_at_free_cells() {
        let walls = GridKind::Random.make(50, 70, 60, 1);
        for [a, b, c, d] in grid_queries(50, 70, |cell| walls[cell] == 0, 1000, 1) {
            assert!(walls[(a * 70 + b) as usize] == 0 && walls[(c * 70 + d) as usize] == 0);
        }
        assert_eq!(grid_queries(2, 2, |_| false, 3, 1).len(), 3);
        assert!(grid_queries(0, 0, |_| false, 0, 1).is_empty());
    }
}
