//! The WGSL of a pass: the stages of its transforms, written out.
//!
//! A stage reads the values of its butterflies (from memory, or from the workgroup's), turns them, transforms them in registers
//! and writes them where the next stage finds them: Stockham's order, which needs no reversal of bits. Transforms back are
//! forward ones of values whose parts are exchanged.

use std::fmt::Write;

use super::butterfly::{Code, literal};
use super::pass::{Order, Pass, Place};
use super::tables::Layout;
use crate::kernel::Source;

/// What a pass does besides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Extras {
    /// Back instead of forward.
    pub(super) inverse: bool,
    /// What all results are multiplied by.
    pub(super) factor: f64,
    /// Whether it reads and writes the same array.
    pub(super) in_place: bool,
}

/// Elements per buffer as a power of two and the number of buffers, of an array that has several.
pub(super) type Sharding = Option<(u32, u32)>;

/// The kernel of a pass. It sees the roots of unity, then the array or the two arrays.
pub(super) fn source(pass: &Pass, extras: Extras, from: Sharding, to: Sharding) -> Source {
    let (turned, parts, stride, source_step, target_step) = match pass.place {
        Place::Same { inner } => (false, [1; 3], 1, inner, inner),
        Place::Turned { parts, stride } => (true, parts, stride, stride, parts.iter().product::<u64>() * stride),
    };
    let (gap, every) = pass.gaps();
    let source = Source::new("transform", include_str!("pass.wgsl"), "main")
        .constant("LEN", pass.len)
        .constant("COLUMNS", pass.columns)
        .constant("THREADS", pass.threads)
        .flag("TURNED", turned)
        .constant("PART_1", parts[0] as u32)
        .constant("PART_2", parts[1] as u32)
        .constant("PART_3", parts[2] as u32)
        .constant("STRIDE", stride as u32)
        .constant("SOURCE_STEP", source_step as u32)
        .constant("TARGET_STEP", target_step as u32)
        .constant("GAP", gap)
        .constant("EVERY", every)
        .constant("ROOM", if pass.radices.len() < 2 { 1 } else { pass.room() })
        .replace("TILE_ELEMENT", if pass.split { "f32" } else { "vec2<f32>" })
        .replace("STAGES", &Writer { pass, extras, layout: Layout::of(pass), text: String::new() }.stages())
        .reads("roots", "vec2<f32>");
    if extras.in_place {
        source.writes_sharded("data", "vec2<f32>", to)
    } else {
        source.reads_sharded("input", "vec2<f32>", from).writes_sharded("data", "vec2<f32>", to)
    }
}

/// A stage of the transform.
#[derive(Clone, Copy)]
struct Stage {
    number: usize,
    radix: u32,
    /// The product of the radices before.
    done: u32,
    /// Butterflies of a thread.
    rounds: u32,
    /// Neighbouring threads take neighbouring values of a line.
    by_rows: bool,
}

struct Writer<'a> {
    pass: &'a Pass,
    extras: Extras,
    layout: Layout,
    text: String,
}

impl Writer<'_> {
    fn stages(mut self) -> String {
        let radices = &self.pass.radices;
        let values = self.pass.len * self.pass.columns;
        let mut done = 1;
        let stages: Vec<Stage> = (0..radices.len())
            .map(|number| {
                let radix = radices[number];
                let by_rows = match self.pass.order {
                    Order::Rows => true,
                    Order::Columns => false,
                    Order::Turn => number == 0,
                };
                let rounds = (values / radix).div_ceil(self.pass.threads);
                let stage = Stage { number, radix, done, rounds, by_rows };
                done *= radix;
                stage
            })
            .collect();
        for &stage in &stages {
            for k in 0..stage.rounds * stage.radix {
                self.line(format!("var {}: vec2<f32>;", value(stage.number, k)));
            }
        }
        for (i, &stage) in stages.iter().enumerate() {
            if i == 0 {
                self.rounds(stage, |writer, round| writer.load(stage, round));
            }
            self.rounds(stage, |writer, round| writer.butterfly(stage, round));
            match stages.get(i + 1) {
                Some(&next) => self.exchange(stage, next),
                None => self.rounds(stage, |writer, round| writer.store(stage, round)),
            }
        }
        self.text
    }

    fn line(&mut self, text: impl AsRef<str>) {
        self.text += text.as_ref();
        self.text.push('\n');
    }

    /// Writes something for every round of a stage, in a block that knows `j`, the butterfly's number in its line, and
    /// `column`, its line's in the tile.
    fn rounds(&mut self, stage: Stage, mut body: impl FnMut(&mut Self, u32)) {
        let Pass { len, columns, threads, .. } = *self.pass;
        let butterflies = len / stage.radix;
        for round in 0..stage.rounds {
            let start = round * threads;
            // Where all threads of a round are in step, the divisions are the same in every round.
            let (j, column) = match (stage.by_rows, butterflies, columns) {
                (_, _, 1) => (format!("thread + {start}u"), "0u".to_owned()),
                (true, b, _) if threads % b == 0 => {
                    (format!("thread % {b}u"), format!("thread / {b}u + {}u", start / b))
                }
                (true, b, _) if b % threads == 0 => (format!("thread + {}u", start % b), format!("{}u", start / b)),
                (true, b, _) => (format!("(thread + {start}u) % {b}u"), format!("(thread + {start}u) / {b}u")),
                (false, _, c) if threads % c == 0 => {
                    (format!("thread / {c}u + {}u", start / c), format!("thread % {c}u"))
                }
                (false, _, c) => (format!("(thread + {start}u) / {c}u"), format!("(thread + {start}u) % {c}u")),
            };
            let all = butterflies * columns;
            let guard = if start + threads > all { format!("if thread < {}u ", all - start) } else { String::new() };
            self.line(format!("{guard}{{ let j = {j}; let column = {column};"));
            body(self, round);
            self.line("}");
        }
    }

    /// Whether the last tile is not full.
    fn ragged(&self) -> bool {
        !self.pass.lines.is_multiple_of(self.pass.columns.into())
    }

    fn swapped(&self) -> &'static str {
        if self.extras.inverse { ".yx" } else { "" }
    }

    fn load(&mut self, stage: Stage, round: u32) {
        let array = if self.extras.in_place { "data" } else { "input" };
        let apart = self.pass.len / stage.radix;
        self.line("let line = first_line + column;");
        if self.ragged() {
            self.line("if line < params.lines {");
        }
        self.line("let start = source_of(line) + j * SOURCE_STEP;");
        for i in 0..stage.radix {
            let (target, swapped) = (value(stage.number, round * stage.radix + i), self.swapped());
            self.line(format!("{target} = {array}_at(start + {}u * SOURCE_STEP){swapped};", i * apart));
        }
        if self.ragged() {
            self.line("}");
        }
    }

    fn butterfly(&mut self, stage: Stage, round: u32) {
        let Stage { number, radix, done, .. } = stage;
        let names: Vec<_> = (0..radix).map(|i| value(number, round * radix + i)).collect();
        if done > 1 {
            let start = self.layout.stages[number];
            self.line(format!("let root = {start}u + j % {done}u;"));
            for i in 1..radix {
                let name = &names[i as usize];
                self.line(format!("{name} = times({name}, roots[root + {}u]);", (i - 1) * done));
            }
        }
        let mut code = Code::default();
        let results = code.transform(&names);
        self.text += &code.text;
        for (name, result) in names.iter().zip(results) {
            self.line(format!("{name} = {result};"));
        }
    }

    /// Brings the values from where a stage leaves them to where the next one wants them.
    fn exchange(&mut self, stage: Stage, next: Stage) {
        let parts: &[&str] = if self.pass.split { &[".x", ".y"] } else { &[""] };
        for (i, part) in parts.iter().enumerate() {
            if stage.number + i > 0 {
                self.line("workgroupBarrier();");
            }
            self.rounds(stage, |writer, round| writer.put(stage, round, part));
            self.line("workgroupBarrier();");
            self.rounds(next, |writer, round| writer.take(next, round, part));
        }
    }

    /// Words between neighbouring values of a line and between neighbouring lines, in the workgroup's memory without gaps.
    fn strides(&self) -> (u32, u32) {
        if self.pass.order == Order::Rows { (1, self.pass.len) } else { (self.pass.columns, 1) }
    }

    fn put(&mut self, stage: Stage, round: u32, part: &str) {
        let Stage { number, radix, done, .. } = stage;
        let (apart, between) = self.strides();
        let (gap, every) = self.pass.gaps();
        let step = if done == 1 {
            // A butterfly's results are neighbours, and the gap comes behind them.
            let line = if between == 1 { "column".into() } else { format!("room(column * {between}u)") };
            self.line(format!("let to = {line} + j * {}u;", every + gap));
            apart
        } else {
            self.line(format!(
                "let to = room((j / {done}u * {}u + j % {done}u) * {apart}u + column * {between}u);",
                done * radix
            ));
            debug_assert_eq!(done * apart % every, 0);
            done * apart / every * (every + gap)
        };
        for i in 0..radix {
            let name = value(number, round * radix + i);
            self.line(format!("tile[to + {}u] = {name}{part};", i * step));
        }
    }

    fn take(&mut self, stage: Stage, round: u32, part: &str) {
        let (apart, between) = self.strides();
        let (gap, every) = self.pass.gaps();
        let step = self.pass.len / stage.radix * apart;
        debug_assert_eq!(step % every, 0);
        self.line(format!("let at = room(j * {apart}u + column * {between}u);"));
        for i in 0..stage.radix {
            let name = value(stage.number, round * stage.radix + i);
            self.line(format!("{name}{part} = tile[at + {}u];", i * (step / every * (every + gap))));
        }
    }

    fn store(&mut self, stage: Stage, round: u32) {
        let apart = self.pass.len / stage.radix;
        self.line("let line = first_line + column;");
        if self.ragged() {
            self.line("if line < params.lines {");
        }
        self.line("let to = target_of(line) + j * TARGET_STEP;");
        if let Some(turn) = self.pass.turn {
            let (count, stride) = (turn.count, turn.stride);
            self.line(format!("let rest = line / {stride}u % {count}u;"));
            self.line(format!("let first_root = roots[{}u + j * {count}u + rest];", self.layout.firsts));
        }
        for i in 0..stage.radix {
            let mut result = value(stage.number, round * stage.radix + i);
            if let Some(turn) = self.pass.turn {
                let root = match i {
                    0 => "first_root".into(),
                    _ => format!(
                        "times(first_root, roots[{}u + rest])",
                        self.layout.steps + u64::from(i - 1) * turn.count
                    ),
                };
                result = format!("times({result}, {root})");
            }
            if self.extras.factor != 1.0 {
                result = format!("({result} * {})", literal(self.extras.factor));
            }
            let swapped = self.swapped();
            self.line(format!("data_put(to + {}u * TARGET_STEP, {result}{swapped});", i * apart));
        }
        if self.ragged() {
            self.line("}");
        }
    }
}

/// The variable for value `k` of a thread in a stage.
fn value(stage: usize, k: u32) -> String {
    let mut name = String::new();
    write!(name, "v{stage}_{k}").expect("a string takes all");
    name
}
