//! Puzzles as lines of text.
//!
//! A line holds 81 cells, row by row: digits from 1 to 9, and `.`, `0` or `_` for a blank. What follows after a space, a tab, a
//! comma, a semicolon or a `#` is ignored: lists of puzzles have ratings, solutions and names there. Lines that are empty or
//! begin with `#` are skipped. Line ends may be those of Windows, the last one may be missing, and a byte order mark is
//! skipped.

use rayon::prelude::*;
use thalweg_core::error::try_with_capacity;
use thalweg_core::{Error, Result};

use super::Grid;

/// Bytes that a task parses, about.
const PIECE: usize = 1 << 18;

/// The puzzles of a text.
///
/// ```
/// # mod thalweg { pub use thalweg_puzzle as puzzle; pub use thalweg_puzzle::*; }
/// use thalweg::puzzle::sudoku::text::{lines, parse};
/// let text = format!("# two puzzles\r\n{}\r\n{},easy\r\n", "1........".repeat(9), "_0......9".repeat(9));
/// let puzzles = parse(text.as_bytes())?;
/// assert_eq!(puzzles.len(), 2);
/// assert_eq!((puzzles[0][9], puzzles[1][80]), (1, 9));
/// assert_eq!(lines(&puzzles[1..]), ["........9".repeat(9), "\n".into()].concat());
/// assert_eq!(parse(b"\n12x").unwrap_err().to_string(), "line 2: character 3 is 'x', no cell");
/// # Ok::<(), thalweg::Error>(())
/// ```
///
/// # Errors
/// [`Error::Line`] with the number of the first line that is no puzzle; [`Error::OutOfMemory`].
pub fn parse(text: &[u8]) -> Result<Vec<Grid>> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let pieces = pieces(text);
    let parsed: Vec<(usize, Result<Vec<Grid>>)> = pieces.par_iter().map(|piece| parse_piece(piece)).collect();
    let mut total = 0;
    let mut before = 0;
    for (lines, piece) in &parsed {
        match piece {
            Ok(puzzles) => total += puzzles.len(),
            // Numbers inside a piece begin with its first line.
            Err(Error::Line { line, reason }) => {
                return Err(Error::Line { line: before + line, reason: reason.clone() });
            }
            Err(error) => return Err(error.clone()),
        }
        before += lines;
    }
    let mut puzzles = try_with_capacity(total, "puzzles")?;
    for (_, piece) in parsed {
        puzzles.extend_from_slice(&piece?);
    }
    Ok(puzzles)
}

/// Pieces of a text that end where lines end.
fn pieces(text: &[u8]) -> Vec<&[u8]> {
    let mut pieces = Vec::with_capacity(text.len() / PIECE + 1);
    let mut rest = text;
    while rest.len() > PIECE {
        let Some(end) = rest[PIECE..].iter().position(|&byte| byte == b'\n') else { break };
        let (piece, others) = rest.split_at(PIECE + end + 1);
        pieces.push(piece);
        rest = others;
    }
    pieces.push(rest);
    pieces
}

/// The number of lines, and their puzzles; or the first error, whose number is the line's in the piece, from 1.
fn parse_piece(piece: &[u8]) -> (usize, Result<Vec<Grid>>) {
    let mut puzzles = match try_with_capacity(piece.len() / 82 + 1, "puzzles") {
        Ok(puzzles) => puzzles,
        Err(error) => return (0, Err(error)),
    };
    let (mut rest, mut line) = (piece, 0);
    while !rest.is_empty() {
        line += 1;
        // Most lines are as long as a puzzle.
        let end = match rest.get(81) {
            Some(b'\n') if !rest[..81].contains(&b'\n') => 81,
            _ => rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len()),
        };
        match parse_line(&rest[..end]) {
            Ok(puzzle) => puzzles.extend(puzzle),
            Err(reason) => return (line, Err(Error::Line { line, reason })),
        }
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    (line, Ok(puzzles))
}

/// The puzzle of a line, if it has one; or what is wrong.
fn parse_line(line: &[u8]) -> Result<Option<Grid>, String> {
    let line = line.trim_ascii();
    if line.is_empty() || line[0] == b'#' {
        return Ok(None);
    }
    if let Some((cells, rest)) = line.split_first_chunk::<81>() {
        let mut bad = false;
        let mut puzzle = [0; 81];
        for (cell, &byte) in puzzle.iter_mut().zip(cells) {
            let digit = byte.wrapping_sub(b'0');
            let is_blank = (byte == b'.') | (byte == b'_');
            bad |= !(is_blank | (digit < 10));
            *cell = if is_blank { 0 } else { digit };
        }
        if !bad && rest.first().is_none_or(|byte| b" \t,;#".contains(byte)) {
            return Ok(Some(puzzle));
        }
    }
    Err(complaint(line))
}

/// What is wrong with a line that is no puzzle.
fn complaint(line: &[u8]) -> String {
    let is_cell = |byte: u8| byte.is_ascii_digit() || byte == b'.' || byte == b'_';
    match line.iter().position(|&byte| !is_cell(byte)) {
        Some(at) if at < 81 => {
            // A character of several bytes is shown as a whole, or as a byte if it is none.
            let shown = line[at..].utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next());
            match shown {
                Some(shown) => format!("character {} is {shown:?}, no cell", at + 1),
                None => format!("character {} is the byte {}, no cell", at + 1, line[at]),
            }
        }
        Some(81) => format!("after 81 cells comes {:?}", char::from(line[81])),
        end => format!("{} cells, where a puzzle has 81", end.unwrap_or(line.len())),
    }
}

/// Puzzles or solutions as lines, with dots for blanks: what [`parse`] reads.
pub fn lines(grids: &[Grid]) -> String {
    let mut text = String::with_capacity(82 * grids.len());
    for grid in grids {
        text.extend(grid.iter().map(|&cell| if cell == 0 { '.' } else { char::from(b'0' + cell % 10) }));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint_of(text: impl AsRef<[u8]>) -> String {
        parse(text.as_ref()).unwrap_err().to_string()
    }

    #[test]
    fn comments_and_line_ends_are_skipped() {
        let puzzle = "5".repeat(81);
        for text in [
            puzzle.clone(),
            format!("{puzzle}\n"),
            format!("\u{feff}{puzzle}\r\n\r\n"),
            format!("\n# {puzzle}\n  {puzzle} # easy\n#"),
            format!("{puzzle},{puzzle}\n"),
            format!("{puzzle}\t1.5"),
            format!("{puzzle};x\n \t \r\n"),
        ] {
            assert_eq!(parse(text.as_bytes()).unwrap(), [[5; 81]], "{text:?}");
        }
        assert_eq!(parse(b"").unwrap(), [[0; 81]; 0]);
        assert_eq!(parse(b"\n#\n\n").unwrap(), [[0; 81]; 0]);
    }

    #[test]
    fn bad_lines_are_named() {
        let puzzle = ".".repeat(81);
        assert_eq!(complaint_of(format!("{puzzle}\n{}", &puzzle[1..])), "line 2: 80 cells, where a puzzle has 81");
        assert_eq!(complaint_of(format!("{puzzle}.")), "line 1: 82 cells, where a puzzle has 81");
        assert_eq!(complaint_of(format!("\r\n{puzzle}x")), "line 2: after 81 cells comes 'x'");
        assert_eq!(complaint_of("1 2"), "line 1: character 2 is ' ', no cell");
        assert_eq!(complaint_of("12é"), "line 1: character 3 is 'é', no cell");
        assert_eq!(complaint_of(b"12\xff"), "line 1: character 3 is the byte 255, no cell");
        assert_eq!(complaint_of("quizzes,solutions\n"), "line 1: character 1 is 'q', no cell");
    }

    #[test]
    fn long_texts_are_parsed_in_pieces() {
        let grids: Vec<Grid> =
            (0..20_000usize).map(|i| std::array::from_fn(|cell| ((i * 7 + cell * i) % 10) as u8)).collect();
        let text = lines(&grids);
        assert!(text.len() > 5 * PIECE);
        assert_eq!(parse(text.as_bytes()).unwrap(), grids);
        assert_eq!(parse(text.replace('\n', "\r\n").as_bytes()).unwrap(), grids);
        // The first of two bad lines, with empty lines before it.
        for bad in [0, 1, 3000, 9999, 19_998] {
            let mut rows: Vec<&str> = text.lines().flat_map(|line| [line, ""]).collect();
            rows[2 * bad] = "bad";
            rows[39_998] = "worse";
            let want = format!("line {}: character 1 is 'b', no cell", 2 * bad + 1);
            assert_eq!(complaint_of(rows.join("\n")), want);
        }
    }
}
