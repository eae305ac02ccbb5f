//! The WGSL of a pass: the stages of its transforms, written out.
//!
//! A stage reads the values of its butterflies (from memory, or from the workgroup's), turns them, transforms them in registers
//! and writes them where the next stage finds them: Stockham's order, which needs no reversal of bits. Transforms back are
//! forward ones of values whose parts are exchanged.

use super::butterfly::{Code, literal};
use super::pass::{Order, Pass, Place, Turn};
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
    pub(super) product: Product,
}

/// Whether a pass multiplies its results by those of another transform, value by value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::fourier) enum Product {
    /// No.
    None,
    /// Yes, by an array as large as its own.
    Last,
    /// The same, and then it transforms them back.
    AndBack,
}

/// Elements per buffer as a power of two and the number of buffers, of an array that has several.
pub(super) type Sharding = Option<(u32, u32)>;

/// Those of all arrays of a pass.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shardings {
    pub(super) roots: Sharding,
    pub(super) from: Sharding,
    pub(super) to: Sharding,
    pub(super) factors: Sharding,
}

/// The kernel of a pass. It sees the roots of unity, then the array or the two arrays, then what it multiplies by.
pub(super) fn source(pass: &Pass, extras: Extras, shardings: Shardings) -> Source {
    let Shardings { roots, from, to, factors } = shardings;
    let (turned, parts, stride) = match pass.place {
        Place::Same { .. } => (false, [1; 3], 1),
        Place::Turned { parts, stride } => (true, parts, stride),
    };
    let [source_step, target_step] = pass.steps();
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
        .replace("STAGES", &Writer { pass, extras, layout: Layout::of(pass), from, to, text: String::new() }.stages())
        .reads_sharded("roots", "vec2<f32>", roots);
    let source = if extras.in_place {
        source.writes_sharded("data", "vec2<f32>", to)
    } else {
        source.reads_sharded("input", "vec2<f32>", from).writes_sharded("data", "vec2<f32>", to)
    };
    match extras.product {
        Product::None => source,
        _ => source.reads_sharded("factors", "vec2<f32>", factors),
    }
}

/// A stage of the transform.
#[derive(Clone, Copy)]
struct Stage {
    /// Its place among the stages, which names its variables, and in its transform.
    name: usize,
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
    from: Sharding,
    to: Sharding,
    text: String,
}

impl Writer<'_> {
    fn stages(mut self) -> String {
        let one: Vec<Stage> = self.transform_stages(0);
        let back = match self.extras.product {
            Product::AndBack => self.transform_stages(one.len()),
            _ => Vec::new(),
        };
        for &stage in one.iter().chain(&back) {
            for k in 0..stage.rounds * stage.radix {
                self.line(format!("var {}: vec2<f32>;", value(stage.name, k)));
            }
        }
        let first = one[0];
        self.rounds(first, |writer, round| writer.load(first, round));
        let mut last = self.transform(&one);
        if self.extras.product != Product::None {
            self.rounds(last, |writer, round| writer.multiply(last, round));
        }
        if let Some(&next) = back.first() {
            self.exchange(last, next, true);
            last = self.transform(&back);
        }
        self.rounds(last, |writer, round| writer.store(last, round));
        self.text
    }

    /// The stages of a transform; `before` is how many others come first.
    fn transform_stages(&self, before: usize) -> Vec<Stage> {
        let values = self.pass.len * self.pass.columns;
        let mut done = 1;
        let stage = |(number, &radix): (usize, &u32)| {
            let by_rows = match self.pass.order {
                Order::Rows => true,
                Order::Columns => false,
                Order::Turn => number == 0,
            };
            let rounds = (values / radix).div_ceil(self.pass.threads);
            let stage = Stage { name: before + number, number, radix, done, rounds, by_rows };
            done *= radix;
            stage
        };
        self.pass.radices.iter().enumerate().map(stage).collect()
    }

    /// From the first stage's values to the last one's results: the last stage.
    fn transform(&mut self, stages: &[Stage]) -> Stage {
        for (i, &stage) in stages.iter().enumerate() {
            self.rounds(stage, |writer, round| writer.butterfly(stage, round));
            if let Some(&next) = stages.get(i + 1) {
                self.exchange(stage, next, false);
            }
        }
        stages[stages.len() - 1]
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
        self.line("let line = first_line + column;");
        if self.ragged() {
            self.line("if line < params.lines {");
        }
        self.line("let start = source_of(line) + j * SOURCE_STEP;");
        let swapped = self.swapped();
        let [step, _] = self.pass.steps();
        self.reach(stage, array, self.from, step, |i, element| {
            format!("{} = {element}{swapped};", value(stage.name, round * stage.radix + i))
        });
        if self.ragged() {
            self.line("}");
        }
    }

    /// Does something to all values of a butterfly in an array, from `start` on. Where the array has several buffers, the one
    /// is found once for all values if it can be.
    fn reach(
        &mut self,
        stage: Stage,
        array: &str,
        sharding: Sharding,
        step: u64,
        something: impl Fn(u32, String) -> String,
    ) {
        let apart = u64::from(self.pass.len / stage.radix) * step;
        let line = u64::from(self.pass.len) * step;
        let all = u64::from(self.pass.len) * self.pass.lines;
        let Some((shift, count)) = sharding else {
            for i in 0..stage.radix {
                self.line(something(i, format!("{array}[start + {}u]", u64::from(i) * apart)));
            }
            return;
        };
        let shard = 1u64 << shift;
        if line == all && all == u64::from(count) * shard && stage.radix.is_multiple_of(count) {
            // Every buffer holds the same values of all butterflies.
            let each = stage.radix / count;
            for i in 0..stage.radix {
                self.line(something(i, format!("{array}_{}[start + {}u]", i / each, u64::from(i % each) * apart)));
            }
        } else if shard.is_multiple_of(line) {
            // No line is in two buffers.
            self.line(format!("let inside = start & {}u;", shard - 1));
            self.line(format!("switch start >> {shift}u {{"));
            for k in 0..count {
                let case = if k + 1 == count { "default".into() } else { format!("case {k}u") };
                self.line(format!("{case}: {{"));
                for i in 0..stage.radix {
                    self.line(something(i, format!("{array}_{k}[inside + {}u]", u64::from(i) * apart)));
                }
                self.line("}");
            }
            self.line("}");
        } else {
            for i in 0..stage.radix {
                let place = format!("start + {}u", u64::from(i) * apart);
                self.line(format!("{{ let place = {place};"));
                self.line(format!("let inside = place & {}u;", shard - 1));
                self.line(format!("switch place >> {shift}u {{"));
                for k in 0..count {
                    let case = if k + 1 == count { "default".into() } else { format!("case {k}u") };
                    let done = something(i, format!("{array}_{k}[inside]"));
                    self.line(format!("{case}: {{ {done} }}"));
                }
                self.line("} }");
            }
        }
    }

    /// Multiplies the results of a transform by the other's, and exchanges their parts if they are to be transformed back.
    fn multiply(&mut self, stage: Stage, round: u32) {
        let apart = self.pass.len / stage.radix;
        let swapped = if self.extras.product == Product::AndBack { ".yx" } else { "" };
        self.line("let line = first_line + column;");
        if self.ragged() {
            self.line("if line < params.lines {");
        }
        self.line("let at = target_of(line) + j * TARGET_STEP;");
        for i in 0..stage.radix {
            let name = value(stage.name, round * stage.radix + i);
            let factor = format!("factors_at(at + {}u * TARGET_STEP)", i * apart);
            self.line(format!("{name} = times({name}, {factor}){swapped};"));
        }
        if self.ragged() {
            self.line("}");
        }
    }

    fn butterfly(&mut self, stage: Stage, round: u32) {
        let Stage { name, number, radix, done, .. } = stage;
        let names: Vec<_> = (0..radix).map(|i| value(name, round * radix + i)).collect();
        if done > 1 {
            let start = self.layout.stages[number];
            self.line(format!("let root = {start}u + j % {done}u;"));
            for i in 1..radix {
                let name = &names[i as usize];
                self.line(format!("{name} = times({name}, roots_at(root + {}u));", (i - 1) * done));
            }
        }
        let mut code = Code::default();
        let results = code.transform(&names);
        self.text += &code.text;
        for (name, result) in names.iter().zip(results) {
            self.line(format!("{name} = {result};"));
        }
    }

    /// Brings the values from where a stage leaves them to where the next one wants them: the next one of its transform, or the
    /// first one of another.
    fn exchange(&mut self, stage: Stage, next: Stage, in_order: bool) {
        if in_order && stage.radix == next.radix && stage.by_rows == next.by_rows {
            for k in 0..stage.rounds * stage.radix {
                self.line(format!("{} = {};", value(next.name, k), value(stage.name, k)));
            }
            return;
        }
        let parts: &[&str] = if self.pass.split { &[".x", ".y"] } else { &[""] };
        for (i, part) in parts.iter().enumerate() {
            if stage.name + i > 0 {
                self.line("workgroupBarrier();");
            }
            self.rounds(stage, |writer, round| match in_order {
                false => writer.put(stage, round, part),
                true => writer.in_order(stage, round, |name, place| format!("{place} = {name}{part};")),
            });
            self.line("workgroupBarrier();");
            self.rounds(next, |writer, round| {
                writer.in_order(next, round, |name, place| format!("{name}{part} = {place};"));
            });
        }
    }

    /// Words between neighbouring values of a line and between neighbouring lines, in the workgroup's memory without gaps.
    fn strides(&self) -> (u32, u32) {
        if self.pass.order == Order::Rows { (1, self.pass.len) } else { (self.pass.columns, 1) }
    }

    fn put(&mut self, stage: Stage, round: u32, part: &str) {
        let Stage { name, radix, done, .. } = stage;
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
            let name = value(name, round * radix + i);
            self.line(format!("tile[to + {}u] = {name}{part};", i * step));
        }
    }

    /// Does something to the values of a butterfly and their places, which are as far apart as can be.
    fn in_order(&mut self, stage: Stage, round: u32, something: impl Fn(String, String) -> String) {
        let (apart, between) = self.strides();
        let (gap, every) = self.pass.gaps();
        let step = self.pass.len / stage.radix * apart;
        self.line(format!("let at = room(j * {apart}u + column * {between}u);"));
        for i in 0..stage.radix {
            let name = value(stage.name, round * stage.radix + i);
            // Whole gaps, unless there is one stage alone, whose values are at once apart.
            let place = if step.is_multiple_of(every) {
                format!("tile[at + {}u]", i * (step / every * (every + gap)))
            } else {
                format!("tile[room(j * {apart}u + column * {between}u + {}u)]", i * step)
            };
            self.line(something(name, place));
        }
    }

    fn store(&mut self, stage: Stage, round: u32) {
        self.line("let line = first_line + column;");
        if self.ragged() {
            self.line("if line < params.lines {");
        }
        self.line("let start = target_of(line) + j * TARGET_STEP;");
        let name = |i: u32| value(stage.name, round * stage.radix + i);
        if let Some(Turn { count, stride }) = self.pass.turn {
            self.line(format!("let rest = line / {stride}u % {count}u;"));
            self.line(format!("let first_root = roots_at({}u + j * {count}u + rest);", self.layout.firsts));
            self.line(format!("{0} = times({0}, first_root);", name(0)));
            for i in 1..stage.radix {
                let step = self.layout.steps + u64::from(i - 1) * count;
                self.line(format!("{0} = times({0}, times(first_root, roots_at({step}u + rest)));", name(i)));
            }
        }
        let factor = match self.extras.factor {
            1.0 => String::new(),
            factor => format!(" * {}", literal(factor)),
        };
        // What was transformed back had its parts exchanged.
        let swapped = if self.extras.product == Product::AndBack { ".yx" } else { self.swapped() };
        let [_, step] = self.pass.steps();
        self.reach(stage, "data", self.to, step, |i, element| format!("{element} = {}{swapped}{factor};", name(i)));
        if self.ragged() {
            self.line("}");
        }
    }
}

/// The variable for value `k` of a thread in a stage.
fn value(stage: usize, k: u32) -> String {
    format!("v{stage}_{k}")
}
