//! `thalweg-bench text`: suffix arrays, LZ77 with its stages, common extensions, string matching.

use std::hint::black_box;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use libsais::SuffixArrayConstruction;
use memchr::memmem;
use thalweg::text::lz77::{self, Factors, Phrase};
use thalweg::text::{Lce, Stage, search, suffix_array};
use thalweg::{Answer, Device, Positions};
use thalweg_cli::choice::one_of;
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::input::{Bytes, name_of};
use thalweg_cli::memory;
use thalweg_cli::numbers::parse_count;
use thalweg_data::TextKind;

use crate::bench::{Bench, Case, Common, Pool, drive, on_gpu};
use crate::columns::{self, table};
use crate::report::Row;
use crate::table::times;
use crate::texts::{FILE, Part, Texts};
use crate::timing::{Timing, time};

/// Texts: suffix array, LCP, LZ77 by stages, common extensions, string matching
#[derive(clap::Args)]
pub struct Args {
    /// Lengths of the text, such as 2^22,2^26 [default: 2^22, or the whole file]
    #[arg(long, value_name = "N", num_args = 1.., value_delimiter = ',', value_parser = parse_count)]
    n: Vec<usize>,
    /// Kind of text
    #[arg(long, value_parser = one_of(TextKind::ALL, TextKind::name), default_value = "mixed")]
    kind: TextKind,
    /// A text of your own instead; --n takes its beginning
    #[arg(long, value_name = "FILE", conflicts_with = "kind")]
    file: Option<PathBuf>,
    /// What to look for [default: 16 bytes from the middle of the text]
    #[arg(long)]
    pattern: Option<String>,
    /// What to time
    #[arg(long, num_args = 1.., value_delimiter = ',', value_parser = one_of(Part::ALL, Part::name), default_value = "sort,lz77,decode,search,lce")]
    what: Vec<Part>,
    /// Pairs of positions for the extensions
    #[arg(long, value_parser = parse_count, default_value = "2^20")]
    count: usize,
    /// Numbers of threads [default: 1 and all cores]
    #[arg(long, num_args = 1.., value_delimiter = ',', value_parser = parse_count)]
    threads: Vec<usize>,
    /// cpu, gpu, or an adapter's name or number: the engines on a GPU, by its own clock
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    device: String,
    /// Timed runs, after one to warm up; the median counts
    #[arg(long, value_parser = parse_count, default_value = "3")]
    repeat: usize,
    /// Seed of the data
    #[arg(long, default_value = "1")]
    seed: u64,
    /// Where all measurements go, as JSON
    #[arg(short, long, value_name = "FILE", conflicts_with = "json")]
    out: Option<PathBuf>,
    /// Print the report as JSON, without tables (with a FILE, as --out)
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    json: Option<PathBuf>,
    /// Write all measurements as a table of comma-separated values
    #[arg(long, value_name = "FILE.csv")]
    csv: Option<PathBuf>,
    /// Draw time against n (two sizes at least)
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
}

/// Runs the benchmark.
pub fn run(args: Args) -> Outcome {
    thalweg_cli::openmp::wait_patiently();
    let file = args.file.as_deref().map(|path| Bytes::open(path, &name_of(path))).transpose()?;
    let mut sizes = args.n.clone();
    if let Some(file) = &file {
        let len = file.get().len();
        if sizes.is_empty() {
            sizes.push(len);
        }
        if let Some(&n) = sizes.iter().find(|&&n| n > len) {
            return Err(Failure::at("--n", format_args!("{n}: the file has {len} bytes")));
        }
    }
    if args.count == 0 {
        return Err(Failure::at("--count", "0 pairs have nothing to time"));
    }
    let common = Common {
        n: sizes,
        threads: args.threads,
        dtype: vec!["u8".into()],
        kind: vec![if file.is_some() { FILE } else { args.kind.name() }.into()],
        device: args.device,
        peers: true,
        repeat: args.repeat,
        seed: args.seed,
        out: args.out,
        json: args.json,
        csv: args.csv,
        plot: args.plot,
    };
    let pattern = args.pattern.map(String::into_bytes);
    let texts = Texts { kind: args.kind, file, pattern, count: args.count, parts: args.what };
    on_gpu!(common, crate::gpu::text::run(&common, texts));
    drive(&TextBench { texts }, &common)
}

struct TextBench {
    texts: Texts,
}

/// Everything that is timed on one text, and what is right.
struct Subject<'t> {
    text: &'t [u8],
    pattern: &'t [u8],
    places: Positions,
    factors: Factors,
    pairs: Vec<[u32; 2]>,
    extensions: Vec<u32>,
}

/// libsais as its users call it.
fn plain_libsais(text: &[u8], _threads: usize) -> Outcome<Vec<i32>> {
    let construction = SuffixArrayConstruction::for_text(text).in_owned_buffer32();
    #[cfg(target_os = "linux")]
    let done = {
        let threads = u16::try_from(_threads).unwrap_or(u16::MAX).max(1);
        construction.multi_threaded(libsais::ThreadCount::fixed(threads)).run()
    };
    #[cfg(not(target_os = "linux"))]
    let done = construction.single_threaded().run();
    Ok(done.map_err(|e| Failure::at("libsais", e))?.into_vec())
}

/// The common prefix of two suffixes, eight bytes at a time: what an index is compared with.
fn extend(text: &[u8], i: usize, j: usize) -> usize {
    let (a, b) = (&text[i..], &text[j..]);
    let len = a.len().min(b.len());
    let word = |s: &[u8], at: usize| u64::from_le_bytes(s[at..at + 8].try_into().expect("eight bytes"));
    let mut at = 0;
    while at + 8 <= len {
        let differ = word(a, at) ^ word(b, at);
        if differ != 0 {
            return at + differ.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    at + a[at..len].iter().zip(&b[at..len]).take_while(|(x, y)| x == y).count()
}

/// Two results that must be equal.
fn expect(equal: bool, what: &str) -> Outcome {
    if equal { Ok(()) } else { Err(Failure::wrong_answer(what)) }
}

fn extents(factors: &Factors) -> impl Iterator<Item = usize> {
    factors.iter().map(Phrase::extent)
}

impl TextBench {
    /// Times everything on one text.
    fn case(&self, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        memory::require(case.n.saturating_mul(32), &case.title())?;
        let mut made = Vec::new();
        let text = self.texts.text(case, &mut made);
        let pattern = self.texts.pattern(text);
        let pairs = self.texts.pairs(case, text);
        let subject = Subject {
            text,
            pattern,
            places: search::Builder::new()
                .device(Device::Cpu)
                .engine(search::Engine::Kmp)
                .find_all(text, pattern)?
                .into_inner(),
            factors: lz77::lz77(text)?,
            pairs,
            extensions: Vec::new(),
        };
        expect(subject.factors.decode_sequential()? == text, "lz77: the decoded text is another one")?;
        let mut rows = Vec::new();
        for pool in case.pools {
            for part in &self.texts.parts {
                match part {
                    Part::Sort => sorting(case, pool, &subject, &mut rows)?,
                    Part::Lz77 => factorising(case, pool, &subject, &mut rows)?,
                    Part::Decode => decoding(case, pool, &subject, &mut rows)?,
                    Part::Search => searching(case, pool, &subject, &mut rows)?,
                    // One index for all threads.
                    Part::Lce => {}
                }
            }
        }
        if self.texts.wants(Part::Lce) {
            extending(case, subject, &mut rows)?;
        }
        Ok(rows)
    }
}

/// Suffix array, inverse, LCP.
fn sorting(case: &Case<'_>, pool: &Pool, subject: &Subject<'_>, rows: &mut Vec<Row>) -> Outcome {
    let text = subject.text;
    let suffixes = suffix_array(text)?;
    let plain = plain_libsais(text, pool.threads)?;
    expect(suffixes.positions().iter().flatten().eq(plain.iter().map(|&p| p as usize)), "suffix array: not libsais's")?;
    drop(plain);
    let timings = case.race(pool, "suffix array", 2, |i| {
        Ok(match i {
            0 => time(|| suffix_array(black_box(text)).map(drop)).0,
            _ => time(|| plain_libsais(black_box(text), pool.threads).map(drop)).0,
        })
    })?;
    for (engine, timing) in ["suffix_array", "libsais"].into_iter().zip(timings) {
        let mut row = case.row(pool, "suffix array", engine).timed(timing, case.n);
        (row.peer, row.default) = (engine == "libsais", engine != "libsais");
        rows.push(row);
    }
    let timings = case.race(pool, "inverse and LCP", 2, |i| {
        Ok(match i {
            0 => time(|| suffixes.inverse().map(drop)).0,
            _ => time(|| suffixes.lcp().map(drop)).0,
        })
    })?;
    for ((what, engine), timing) in [("inverse", "scatter"), ("LCP", "phi")].into_iter().zip(timings) {
        rows.push(Row { default: true, ..case.row(pool, what, engine).timed(timing, case.n) });
    }
    Ok(())
}

/// What the row of a stage is called.
fn row_of(stage: Stage) -> &'static str {
    match stage {
        Stage::SuffixArray => "lz77: suffix array",
        Stage::Neighbours => "lz77: nearest smaller values",
        Stage::TextOrder => "lz77: text order",
        Stage::LongestPrevious => "lz77: longest previous factors",
        Stage::Factors => "lz77: factors",
        other => other.name(),
    }
}

/// LZ77 in all, its stages, and libsais alone to compare with.
fn factorising(case: &Case<'_>, pool: &Pool, subject: &Subject<'_>, rows: &mut Vec<Row>) -> Outcome {
    let engines = [lz77::Engine::Starts, lz77::Engine::Lpf];
    // Times of the stages, of every run but the first.
    let mut stages: Vec<Vec<(Stage, Vec<Duration>)>> = vec![Vec::new(); engines.len()];
    let mut runs = [0; 2];
    let timings = case.race(pool, "lz77", engines.len() + 1, |i| {
        let Some(&engine) = engines.get(i) else {
            return Ok(time(|| plain_libsais(black_box(subject.text), pool.threads).map(drop)).0);
        };
        let marks = Mutex::new(Vec::new());
        let watch = |stage| marks.lock().expect("nobody panics").push((stage, Instant::now()));
        let builder = lz77::Builder::new().device(Device::Cpu).engine(engine).watch(&watch);
        let (took, factors) = time(|| builder.run(black_box(subject.text)).map(Answer::into_inner));
        let end = Instant::now();
        expect(extents(&factors?).eq(extents(&subject.factors)), "lz77: engines disagree")?;
        runs[i] += 1;
        let marks = marks.into_inner().expect("nobody has panicked");
        let ends = marks.iter().skip(1).map(|&(_, start)| start).chain([end]);
        for (&(stage, start), end) in marks.iter().zip(ends).filter(|_| runs[i] > 1) {
            match stages[i].iter_mut().find(|(known, _)| *known == stage) {
                Some((_, times)) => times.push(end - start),
                None => stages[i].push((stage, vec![end - start])),
            }
        }
        Ok(took)
    })?;
    for (i, timing) in timings.into_iter().enumerate() {
        let name = engines.get(i).map_or("libsais alone", |engine| engine.name());
        let mut row = case.row(pool, "lz77", name).timed(timing, case.n);
        (row.peer, row.default) = (i == engines.len(), i == 0);
        rows.push(row);
    }
    for (engine, stages) in engines.iter().zip(stages) {
        let after = |run: usize| stages.iter().skip(1).map(|(_, times)| times[run]).sum();
        let count = stages.first().map_or(0, |(_, times)| times.len());
        let after: Vec<Duration> = (0..count).map(after).collect();
        for (stage, times) in &stages {
            rows.push(case.row(pool, row_of(*stage), engine.name()).timed(Timing::of(times), case.n));
        }
        rows.push(case.row(pool, "lz77: after the suffix array", engine.name()).timed(Timing::of(&after), case.n));
    }
    Ok(())
}

fn decoding(case: &Case<'_>, pool: &Pool, subject: &Subject<'_>, rows: &mut Vec<Row>) -> Outcome {
    let names = ["sequential", "parallel"];
    let timings = case.race(pool, "decode", 2, |i| {
        let (took, text) = time(|| match i {
            0 => black_box(&subject.factors).decode_sequential(),
            _ => black_box(&subject.factors).decode_parallel(),
        });
        expect(text? == subject.text, "decode: another text")?;
        Ok(took)
    })?;
    for (i, timing) in timings.into_iter().enumerate() {
        let mut row = case.row(pool, "decode", names[i]).timed(timing, case.n);
        row.default = i == 0;
        rows.push(row);
    }
    Ok(())
}

/// All engines, and memmem on one thread.
fn searching(case: &Case<'_>, pool: &Pool, subject: &Subject<'_>, rows: &mut Vec<Row>) -> Outcome {
    let engines = search::Engine::ALL;
    let timings = case.race(pool, "find_all", engines.len() + 1, |i| {
        let (text, pattern) = (black_box(subject.text), subject.pattern);
        let Some(&engine) = engines.get(i) else {
            // Not overlapping occurrences: what the crate does.
            return Ok(time(|| black_box(memmem::find_iter(text, pattern).collect::<Vec<usize>>())).0);
        };
        let (took, places) = time(|| search::Builder::new().device(Device::Cpu).engine(engine).find_all(text, pattern));
        expect(*places? == subject.places, engine.name())?;
        Ok(took)
    })?;
    for (i, timing) in timings.into_iter().enumerate() {
        let name = engines.get(i).map_or("memmem, one thread", |engine| engine.name());
        let mut row = case.row(pool, "find_all", name).timed(timing, case.n);
        (row.peer, row.default) = (i == engines.len(), i == 0);
        rows.push(row);
    }
    Ok(())
}

/// Extensions through the index, and by comparing.
fn extending(case: &Case<'_>, mut subject: Subject<'_>, rows: &mut Vec<Row>) -> Outcome {
    let lce = Lce::new(subject.text)?;
    let direct = |pairs: &[[u32; 2]], out: &mut [u32]| {
        for (&[i, j], out) in pairs.iter().zip(out) {
            *out = extend(subject.text, i as usize, j as usize) as u32;
        }
    };
    // Where extensions are long, comparing takes minutes: it gets as many pairs as take half a second or so.
    let mut extensions = memory::filled(subject.pairs.len(), 0, "extensions")?;
    lce.batch(&subject.pairs, &mut extensions)?;
    let reads: u64 = extensions.iter().map(|&length| u64::from(length) + 64).sum();
    let share = (4e9 / reads as f64).min(1.0);
    let few = ((subject.pairs.len() as f64 * share) as usize).max(1);
    subject.extensions = extensions;
    let mut out = memory::filled(subject.pairs.len(), 0u32, "extensions")?;
    for pool in case.pools {
        let timings = case.race(pool, "extensions", 2, |i| {
            out.fill(u32::MAX);
            let count = if i == 0 { subject.pairs.len() } else { few };
            let (took, done) = time(|| match i {
                0 => lce.batch(black_box(&subject.pairs), &mut out),
                _ => {
                    direct(black_box(&subject.pairs[..few]), &mut out[..few]);
                    Ok(())
                }
            });
            done?;
            expect(out[..count] == subject.extensions[..count], "extensions: the index and comparing disagree")?;
            Ok(took)
        })?;
        for (i, timing) in timings.into_iter().enumerate() {
            let (name, count) = [("lce", subject.pairs.len()), ("8 bytes at a time", few)][i];
            // Fewer pairs, timed as if they were all.
            let scale = subject.pairs.len() as f64 / count as f64;
            let timing = Timing { median: timing.median * scale, min: timing.min * scale, runs: timing.runs };
            let mut row = case.row(pool, "extensions", name).timed(timing, subject.pairs.len());
            (row.peer, row.default) = (i == 1, i == 0);
            rows.push(row);
        }
    }
    Ok(())
}

impl Bench for TextBench {
    const NAME: &'static str = "text";
    const SIZES: &'static [usize] = &[1 << 22];
    const UNIT: &'static str = "ns per byte or pair";
    const DTYPES: &'static [&'static str] = &["u8"];

    fn run(&self, _dtype: &str, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        self.case(case)
    }

    fn kinds() -> Vec<&'static str> {
        Texts::kinds()
    }

    fn tables(&self, rows: &[Row]) -> String {
        let parted = |row: &Row| row.what.split_once(": ").unwrap_or((row.what, ""));
        let engine = |row: &Row| match parted(row).1 {
            "" => row.engine.into(),
            stage => format!("{}: {stage}", row.engine),
        };
        let speedup = |row: &Row| {
            let alone = |other: &&Row| (other.what, other.engine, other.threads) == (row.what, row.engine, 1);
            let one = rows.iter().find(alone).filter(|_| row.threads > 1);
            times(one.map(|one| one.median_ns / row.median_ns))
        };
        let columns = [
            columns::words("what", |row| parted(row).0.into()).dividing(),
            columns::words("engine", engine),
            columns::threads(),
            columns::ms(),
            columns::ns("ns/byte or pair"),
            columns::versus("vs peer"),
            columns::number("vs one thread", speedup),
        ];
        table(rows, columns).to_string()
    }

    fn panel(row: &Row) -> Option<String> {
        ["suffix array", "LCP", "lz77", "find_all"].contains(&row.what).then(|| row.what.into())
    }

    fn how_to_read(&self) -> String {
        "Every result was checked. Above 1x is faster. lz77 is compared with libsais's suffix array alone, extensions with\n\
         comparing 8 bytes at a time on one thread, find_all with memchr's memmem on one thread (without overlaps)."
            .into()
    }
}
