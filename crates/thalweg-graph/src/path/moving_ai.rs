//! The text formats of Moving AI's benchmarks: maps (`.map`) and scenarios (`.scen`).
//!
//! Sturtevant, "Benchmarks for grid-based pathfinding", 2012. On such maps paths have eight directions and cut no corners.

use std::fmt;

use super::{Grid, Length, Query};

/// What is wrong with a file, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub reason: String,
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

impl std::error::Error for FormatError {}

fn wrong<T>(line: usize, reason: impl fmt::Display) -> Result<T, FormatError> {
    Err(FormatError { line: line + 1, reason: reason.to_string() })
}

/// A map: `.`, `G` (ground) and `S` (swamp) are free; `@`, `O` (out of bounds), `T` (trees) and `W` (water) are walls.
///
/// ```
/// # mod thalweg { pub use thalweg_graph as graph; pub use thalweg_graph::*; }
/// use thalweg::graph::path::moving_ai::read_map;
/// let grid = read_map(b"type octile\nheight 2\nwidth 3\nmap\n.@.\n...\n").unwrap();
/// assert!(grid.is_free(0, 0) && !grid.is_free(0, 1));
/// assert_eq!(read_map(b"height 2\nwidth 3\nmap\n.@.\n..?\n").unwrap_err().line, 5);
/// ```
///
/// # Errors
/// The first line that is not as it should be.
pub fn read_map(text: &[u8]) -> Result<Grid, FormatError> {
    let mut lines = lines(text);
    let (mut height, mut width) = (None, None);
    let first = loop {
        let Some((number, line)) = lines.next() else {
            return wrong(text.split(|&b| b == b'\n').count() - 1, "the file ends before the line 'map'");
        };
        let shown = String::from_utf8_lossy(line);
        let mut words = shown.split_whitespace();
        let side = match (words.next(), words.next(), words.next()) {
            (Some("map"), None, _) => break number + 1,
            (Some("type"), _, _) | (None, ..) => continue,
            (Some("height"), Some(size), None) => (&mut height, size),
            (Some("width"), Some(size), None) => (&mut width, size),
            _ => return wrong(number, format_args!("expected type, height, width or map, not '{}'", cut(&shown))),
        };
        match side.1.parse::<u32>() {
            Ok(size) => *side.0 = Some(size as usize),
            Err(_) => return wrong(number, format_args!("'{}' is not a size", cut(side.1))),
        }
    };
    let (Some(rows), Some(cols)) = (height, width) else {
        return wrong(first - 1, "height and width must come before the map");
    };
    let mut body = Vec::new();
    for row in 0..rows {
        let Some((number, line)) = lines.next() else {
            return wrong(first + row, format_args!("the file ends after {row} rows of {rows}"));
        };
        if line.len() != cols {
            return wrong(number, format_args!("{} cells, not {cols}", line.len()));
        }
        if let Some(column) = line.iter().position(|cell| !b".GS@OTW".contains(cell)) {
            let cell = line[column].escape_ascii();
            return wrong(number, format_args!("column {}: unknown cell '{cell}'", column + 1));
        }
        body.push(line);
    }
    if let Some((number, _)) = lines.find(|(_, line)| !line.trim_ascii().is_empty()) {
        return wrong(number, format_args!("text after {rows} rows"));
    }
    let is_wall = |row: usize, column: usize| !b".GS".contains(&body[row][column]);
    Grid::from_fn(rows, cols, is_wall).or_else(|error| wrong(first - 1, error))
}

/// A question of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// The line, from 1.
    pub line: usize,
    /// From where to where.
    pub query: Query,
    /// The map's rows and columns, as the file tells them.
    pub size: [usize; 2],
    /// The length of a shortest path, as the file tells it.
    pub length: f64,
    /// How far from it a right length can be, as it was printed with so many digits.
    pub rounding: f64,
}

impl Scenario {
    /// Whether a length is the one that the file tells, as far as its digits go: lengths there are rounded, and sums of single
    /// precision in some files, so a part in a million is forgiven.
    pub fn agrees(&self, length: Length) -> bool {
        let length = length.to_f64();
        (length - self.length).abs() <= self.rounding.max(length * 1e-6)
    }
}

/// Scenarios. Their columns are bucket, map, width, height, column and row of the start, column and row of the goal, length.
///
/// # Errors
/// The first line that is not as it should be.
pub fn read_scenarios(text: &[u8]) -> Result<Vec<Scenario>, FormatError> {
    let mut scenarios = Vec::new();
    for (number, line) in lines(text) {
        let line = String::from_utf8_lossy(line);
        let words: Vec<&str> = match line.contains('\t') {
            // Names of maps may have spaces.
            true => line.trim().split('\t').map(str::trim).collect(),
            false => line.split_whitespace().collect(),
        };
        if words.is_empty() || words == [""] || (number == 0 && line.starts_with("version")) {
            continue;
        }
        let &[_, _, width, height, x0, y0, x1, y1, length] = &words[..] else {
            return wrong(number, format_args!("{} columns, not 9", words.len()));
        };
        let mut numbers = [0; 6];
        for (number_of, word) in numbers.iter_mut().zip([width, height, x0, y0, x1, y1]) {
            match word.parse::<u32>() {
                Ok(parsed) => *number_of = parsed,
                Err(_) => return wrong(number, format_args!("'{}' is not a whole number", cut(word))),
            }
        }
        let [width, height, x0, y0, x1, y1] = numbers;
        let rounding = match length.split_once('.') {
            Some((_, digits)) if digits.bytes().all(|b| b.is_ascii_digit()) => {
                10f64.powi(-(digits.len().min(300) as i32))
            }
            _ => 1e-6,
        };
        let length = match length.parse::<f64>() {
            Ok(length) if length.is_finite() => length,
            _ => return wrong(number, format_args!("'{}' is not a length", cut(length))),
        };
        let query = Query::new([y0, x0], [y1, x1]);
        let size = [height as usize, width as usize];
        scenarios.push(Scenario { line: number + 1, query, size, length, rounding });
    }
    Ok(scenarios)
}

/// The lines with their numbers, from 0; without what ends them, on Windows too.
fn lines(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    text.split(|&b| b == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line)).enumerate()
}

/// As much of a text as fits into a message.
fn cut(text: &str) -> String {
    text.chars().take(32).flat_map(char::escape_default).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_terrain_and_line_ending() {
        let grid = read_map(b"type octile\r\nheight 1\r\nwidth 7\r\nmap\r\n.GS@OTW\r\n\r\n").unwrap();
        let free: Vec<bool> = (0..7).map(|column| grid.is_free(0, column)).collect();
        assert_eq!(free, [true, true, true, false, false, false, false]);
        assert!(read_map(b"width 0\nheight 0\nmap\n").unwrap().is_empty());
    }

    #[test]
    fn bad_maps_name_their_line() {
        for (text, line) in [
            ("", 1),
            ("type octile\nheight 2\n", 3),
            ("height x\nwidth 2\nmap\n..\n", 1),
            ("height -1\nwidth 2\nmap\n..\n", 1),
            ("width 2\nmap\n..\n", 2),
            ("height 2\nwidth 2\nmap\n..\n", 5),
            ("height 2\nwidth 2\nmap\n..\n...\n", 5),
            ("height 2\nwidth 2\nmap\n..\n.#\n", 5),
            ("height 1\nwidth 2\nmap\n..\n\n..\n", 6),
            ("hight 1\nwidth 2\nmap\n..\n", 1),
            ("height 4294967295\nwidth 4294967295\nmap\n", 4),
        ] {
            let error = read_map(text.as_bytes()).unwrap_err();
            assert_eq!(error.line, line, "{text:?}: {error}");
        }
    }

    #[test]
    fn scenarios_are_columns_of_text() {
        let text = "version 1\n0\tmaps/a b.map\t7\t5\t1\t2\t3\t4\t2.82842712\n\n3 x.map 7 5 0 0 6 4 8.1\r\n";
        let found = read_scenarios(text.as_bytes()).unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].line, found[0].query, found[0].size), (2, Query::new([2, 1], [4, 3]), [5, 7]));
        assert!(found[0].agrees(Length::new(0, 2)) && !found[0].agrees(Length::new(1, 1)));
        assert_eq!((found[1].line, found[1].query), (4, Query::new([0, 0], [4, 6])));
        assert!(found[1].agrees(Length::new(8, 0)) && !found[1].agrees(Length::new(9, 0)));
        for (text, line) in [
            ("version 1\n0 a 7 5 1 2 3 4\n", 2),
            ("0 a 7 5 1 2 3 -4 5\n", 1),
            ("0 a 7 5 1 2 3 4 five\n", 1),
            ("0 a 7 5 1 2 3 4 NaN\n", 1),
            ("0 a 7 5 1 2 3 4 5 6\n", 1),
        ] {
            assert_eq!(read_scenarios(text.as_bytes()).unwrap_err().line, line, "{text:?}");
        }
    }
}
