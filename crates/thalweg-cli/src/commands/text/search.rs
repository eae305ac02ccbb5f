//! `thalweg search`: every place where a pattern occurs.

use std::ops::Range;
use std::path::PathBuf;

use serde_json::json;
use thalweg::Chosen;
use thalweg::text::search::{Builder, Engine};
use thalweg_cli::choice::engine_of;
use thalweg_cli::device::{DeviceArgs, say_chosen};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::input::text::{self, FastaArgs, excerpt};
use thalweg_cli::numbers::{counted, show_count, show_seconds};
use thalweg_cli::output;

use super::{BareRunArgs, Summary};
use crate::commands::report::timed;

/// Find every place where a pattern occurs in a file, overlapping ones included
///
/// Prints byte offsets from 0, one a line. An empty pattern occurs everywhere, the end included. As with grep, the exit code is
/// 1 where nothing is found.
#[derive(clap::Args)]
pub struct Args {
    /// The pattern
    pattern: std::ffi::OsString,

    /// The text; - is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    fasta: FastaArgs,

    /// Print only how many places there are
    #[arg(short, long)]
    count: bool,

    /// The pattern is written in hexadecimal digits, two a byte; spaces do not count
    #[arg(long)]
    hex: bool,

    /// The engine (default: the library's choice; see `thalweg info`)
    #[arg(long, value_parser = engine_of(Engine::ALL, Engine::name))]
    engine: Option<Engine>,

    #[command(flatten)]
    device: DeviceArgs,

    #[command(flatten)]
    run: BareRunArgs,
}

/// Places of the text that are searched at a time, so that what is found needs bounded memory; and of what is found, places that
/// are printed at a time.
const PIECE: usize = 1 << 24;
const CHUNK: usize = 1 << 16;

/// Runs the command.
pub fn run(args: Args) -> Outcome {
    let pattern = pattern(&args)?;
    let run = args.run.start()?;
    run.progress.stage("reading");
    let text = text::open(&args.file, &args.fasta)?;
    let builder = Builder::new().engine(args.engine).device(args.device.open()?);
    run.progress.say(format_args!("text: {}", text.describe()));
    run.progress.say(format_args!("pattern: {}, {}", counted(pattern.len(), "byte"), excerpt(&pattern, 60)));
    run.progress.stage("searching");
    let told = |chosen: &Chosen, count: usize, seconds: f64| {
        say_chosen(&run.progress, chosen, args.engine.is_some());
        run.progress.say(format_args!("found: {} in {}", show_count(count), show_seconds(seconds)));
    };
    let mut summary = Summary::new("search");
    summary.value("text", json!({"origin": text.origin, "bytes": text.bytes().len()}));
    summary.value("pattern_bytes", pattern.len());
    summary.value("threads", run.threads);
    if args.count {
        let (count, took) = timed(|| builder.count(text.bytes(), &pattern));
        let (count, chosen) = count?.into_parts();
        told(&chosen, count, took.as_secs_f64());
        summary.value("engine", chosen.engine());
        summary.value("device", chosen.device());
        summary.value("seconds", took.as_secs_f64());
        summary.value("count", count);
        summary.plain(count);
        drop(run);
        summary.print(args.run.json, false)?;
        return found(count);
    }
    // Positions as JSON has them, or a place a line.
    let (before, show): (_, &dyn Fn(usize) -> String) = if args.run.json {
        (",", &|position| position.to_string())
    } else {
        ("", &|position| text.place(position) + "\n")
    };
    if args.run.json {
        summary.print_open("places")?;
    }
    let (mut count, mut seconds, mut used) = (0usize, 0.0, None);
    for piece in pieces(text.bytes().len(), pattern.len()) {
        let (found, took) = timed(|| builder.find_all(&text.bytes()[piece.clone()], &pattern));
        let (found, chosen) = found?.into_parts();
        seconds += took.as_secs_f64();
        used = Some(chosen);
        // The empty pattern occurs at the end of a piece, too, where the next begins.
        let is_own =
            |position: &usize| !pattern.is_empty() || *position < piece.len() || piece.end == text.bytes().len();
        let mut lines = String::new();
        for position in found.iter().flatten().filter(is_own) {
            if count > 0 {
                lines += before;
            }
            lines += &show(piece.start + position);
            count += 1;
            if count.is_multiple_of(CHUNK) {
                output::print(&lines, false)?;
                lines.clear();
            }
        }
        output::print(&lines, false)?;
    }
    let chosen = used.expect("there is a piece, if an empty one");
    told(&chosen, count, seconds);
    drop(run);
    if !args.run.json {
        return found(count);
    }
    let mut summary = Summary::rest();
    summary.value("engine", chosen.engine());
    summary.value("device", chosen.device());
    summary.value("seconds", seconds);
    summary.value("count", count);
    summary.print_close()?;
    found(count)
}

/// Nothing found is "no", as for grep.
fn found(count: usize) -> Outcome {
    if count == 0 { Err(Failure::nothing_found()) } else { Ok(()) }
}

/// Parts of a text of `len` bytes that are searched one after the other for a pattern of `m`: each contains all of the pattern at
/// its places, and so `m - 1` bytes of the next.
fn pieces(len: usize, m: usize) -> impl Iterator<Item = Range<usize>> {
    let step = PIECE.max(m.saturating_mul(8));
    let places = len.saturating_sub(m.saturating_sub(1)).max(1);
    (0..places).step_by(step).map(move |start| start..len.min(start + step + m.saturating_sub(1)))
}

/// The bytes to look for.
fn pattern(args: &Args) -> Outcome<Vec<u8>> {
    let bytes = args.pattern.as_encoded_bytes();
    if !args.hex {
        return Ok(bytes.to_vec());
    }
    let digits: Vec<u8> = bytes.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let bad = |what: String| Failure::at("--hex", what);
    let value = |digit: u8| (digit as char).to_digit(16).map(|value| value as u8);
    if let Some(at) = digits.iter().position(|&digit| value(digit).is_none()) {
        return Err(bad(format!("digit {at} of the pattern, {}, is not hexadecimal", excerpt(&digits[at..=at], 1))));
    }
    if digits.len() % 2 == 1 {
        return Err(bad(format!("{} digits do not make whole bytes", digits.len())));
    }
    Ok(digits.chunks(2).map(|pair| pair.iter().fold(0, |byte, &digit| byte << 4 | value(digit).unwrap_or(0))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_have_every_place_once() {
        for len in [0, 1, 5, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 7] {
            for m in [0, 1, 2, 5, PIECE / 4] {
                let mut next = 0;
                for piece in pieces(len, m) {
                    assert_eq!(piece.start, next, "{len} {m}");
                    // Places at which the pattern fits; an empty one that ends the piece is the next's, or the last.
                    next += (piece.len() + 1).saturating_sub(m.max(1));
                }
                assert_eq!(next, (len + 1).saturating_sub(m.max(1)), "{len} {m}");
            }
        }
    }
}
