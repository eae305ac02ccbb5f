//! `thalweg search`: every place where a pattern occurs.

use std::ops::Range;
use std::path::PathBuf;

use serde_json::json;
use thalweg::Chosen;
use thalweg::text::search::{Builder, Engine};
use thalweg_cli::choice::engine_of;
use thalweg_cli::device::{DeviceArgs, say_chosen};
use thalweg_cli::dtype::DType;
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::input::text::{self, FastaArgs, excerpt};
use thalweg_cli::numbers::{counted, show_count, show_seconds};
use thalweg_cli::output;

use super::{BareRunArgs, Summary};
use crate::commands::report::timed;

/// Find every place where a pattern occurs in a file, overlapping ones included
///
/// Prints byte offsets from 0, one a line, or writes them to a file. An empty pattern occurs everywhere, the end included. As with
/// grep, the exit code is 1 where nothing is found.
#[derive(clap::Args)]
pub struct Args {
    /// The pattern
    pattern: std::ffi::OsString,

    /// The text; - is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    fasta: FastaArgs,

    /// Where the places go: then they are not printed
    #[arg(short, long, value_name = "FILE", conflicts_with = "count")]
    out: Option<PathBuf>,

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
    let mut run = args.run.start(Some(&args.device))?;
    run.progress.stage("reading");
    let text = text::open(&args.file, &args.fasta)?;
    run.keep(Some(&args.file));
    let out = run.output(args.out.as_deref())?;
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
    let search = Search { text: text.bytes(), pattern: &pattern, builder };
    if let Some(mut out) = out {
        // How many they are stands before them in some formats.
        let total = search.builder.count(text.bytes(), &pattern)?.into_inner();
        run.progress.steps("writing", total);
        let as_words = text.has_records() && out.is_table();
        if as_words {
            out.begin_words()?
        } else {
            out.begin_list::<i64>(total)?
        }
        let (chosen, count, seconds) = search.each(&mut |positions| match as_words {
            true => out.add_words(positions.len(), &|i| text.place(positions[i]), &run.progress),
            false => {
                let positions: Vec<i64> = positions.iter().map(|&position| position as i64).collect();
                out.add(&positions, &run.progress)
            }
        })?;
        told(&chosen, count, seconds);
        summary.line("text", text.describe());
        summary.answered(&chosen, run.threads, "");
        summary.line("found", format_args!("{} in {}", counted(count, "place"), show_seconds(seconds)));
        summary.value("seconds", seconds);
        summary.value("count", count);
        summary.written_elements(&out.name, count, DType::I64.name());
        output::commit([out])?;
        let stdout_taken = run.stdout_taken;
        drop(run);
        summary.print(args.run.json, stdout_taken)?;
        return found(count);
    }
    // Positions as JSON has them, or a place a line.
    if args.run.json {
        summary.print_open("places")?;
    }
    let mut is_first = true;
    let (chosen, count, seconds) = search.each(&mut |positions| {
        let mut lines = String::new();
        for &position in positions {
            if !args.run.json {
                lines += &text.place(position);
                lines.push('\n');
                continue;
            }
            if !std::mem::take(&mut is_first) {
                lines.push(',');
            }
            lines += &position.to_string();
        }
        output::print(&lines, false)
    })?;
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

/// A search that goes through a text in pieces.
struct Search<'s> {
    text: &'s [u8],
    pattern: &'s [u8],
    builder: Builder,
}

impl Search<'_> {
    /// Hands on all places, some at a time; who has found them, how many, in how many seconds.
    fn each(&self, take: &mut dyn FnMut(&[usize]) -> Outcome) -> Outcome<(Chosen, usize, f64)> {
        let (mut count, mut seconds, mut used) = (0, 0.0, None);
        for piece in pieces(self.text.len(), self.pattern.len()) {
            let (found, took) = timed(|| self.builder.find_all(&self.text[piece.clone()], self.pattern));
            let (found, chosen) = found?.into_parts();
            seconds += took.as_secs_f64();
            used = Some(chosen);
            // The empty pattern occurs at the end of a piece, too, where the next begins.
            let is_own =
                |position: &usize| !self.pattern.is_empty() || *position < piece.len() || piece.end == self.text.len();
            let mut places = found.iter().flatten().filter(is_own).map(|position| piece.start + position);
            loop {
                let some: Vec<usize> = places.by_ref().take(CHUNK).collect();
                if some.is_empty() {
                    break;
                }
                count += some.len();
                take(&some)?;
            }
        }
        Ok((used.expect("there is a piece, if an empty one"), count, seconds))
    }
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
