//! `helman_jaja`: the lists are cut at random splitters, the pieces are walked at the same time, and the lists of the
//! pieces, which are much shorter, are ranked in the same way. Helman and JaJa 1999.
//!
//! One random element of every block is a splitter: a formula tells which, so no array has to be asked whether an
//! element is one. A way of k elements is without a splitter with a probability of at most (1 - 1/block)^k, whatever
//! the lists. A visit reads an element's link (and weight, from the same record) and writes a mark, its sublist and
//! the sum before it. When the sublists' own sums are known, one more pass, in the order of memory, adds the two.
//!
//! Work O(n), span O(block log n) a level, and O(log n) levels at most; memory: 8 bytes an element (16 for two
//! words of sums, and as much for weights), n/8 for the check. Two visits to random places an element: a read and
//! a write.
//!
//! *Measured* on an H200, random list of 2^26: 7.7 to 7.9 ms, of which the check 0.9, the walk 6.1, the short lists of
//! sublists 0.4, the last pass 0.5. The card takes 1.7 ms to read 8 bytes at as many random places: what is written
//! at random places costs more than twice what is read there. With a weight and sums of 32 bits 8.3 ms,
//! with sums of 64 bits not measured. `independent_set`
//! takes 14.9, `pointer_jumping` 64.3.

mod marks;

use thalweg_core::{Error, Result};
use thalweg_trees::list::Direction;

use self::marks::Marks;
use super::pointer_jumping::record_totals;
use super::records::{Form, Records, declare_finished, declare_sums};
use super::status::status_constants;
use super::workgroups::{ITEMS, THREADS};
use crate::array::{DeviceArray, Keys};
use crate::device::Device;
use crate::kernel::Source;
use crate::memory::Buffer;
use crate::recorder::Recorder;

/// Sizes of the engine `helman_jaja`, for measurements: [`rank_tuned`](super::rank_tuned()) takes others than the library's.
/// Ranks do not depend on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tuning {
    /// Elements of a block, of which one is a splitter: a power of two.
    pub block: u32,
    /// Elements that pointer jumping ranks.
    pub base: u64,
    /// Threads that walk at most; more sublists than that are shared among them.
    pub walkers: u32,
}

impl Tuning {
    /// The library's sizes. On an H200, random list of 2^26, ms: blocks of 16 8.8, 32 8.4, 64 8.0, 128 8.3, 256 8.7; with blocks of 64,
    /// walkers 2^16 8.2, 2^17 8.03, 2^18 7.98, 2^19 7.93, 2^20 7.88; base 2^12 8.06, 2^16 7.98, 2^21 8.00. Blocks of
    /// 8, 16, 32 and 64 on 2^24: 2.23, 2.11, 2.14, 2.35; on 2^22: 0.59, 0.62, 0.62, 0.67; on 2^20: 0.31, 0.33, 0.34,
    /// 0.41.
    pub(crate) fn of(len: u64) -> Self {
        let block = match len {
            0..=0x7f_ffff => 8,
            0x80_0000..=0x1ff_ffff => 16,
            _ => 64,
        };
        Self { block, base: 1 << 18, walkers: 1 << 20 }
    }

    /// An error for sizes that do not work.
    pub(crate) fn check(&self) -> Result<()> {
        if self.block.is_power_of_two() && (4..=1 << 16).contains(&self.block) && (1..=1 << 24).contains(&self.walkers)
        {
            return Ok(());
        }
        let reason = "blocks have a power of two of elements, 4 to 65,536, and 1 to 2^24 threads walk".to_owned();
        Err(Error::BadOption { option: "tuning", reason })
    }
}

/// The lists that a level ranks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Input<'a> {
    /// Links; the weights are ones.
    Links(&'a DeviceArray<u32>),
    /// Links of an Euler tour, whose even elements enter a node and whose odd ones leave one. They are counted apart, or, in
    /// one sum, the entries alone.
    ///
    /// Marks do not take the place of links, though only who visits an element reads its link: 32 instead of 11 ms for 2^27
    /// elements on an H200, where what is read and written at random should be two arrays.
    Tour(&'a DeviceArray<u32>, Form),
    /// Links and weights.
    Records(&'a Records),
}

impl<'a> Input<'a> {
    /// Declares `step_of(v)`.
    fn declare(&self, source: Source) -> Source {
        match self {
            Self::Links(next) => {
                source.include(include_str!("step_links.wgsl")).reads_sharded("next", "u32", next.sharding())
            }
            Self::Tour(next, form) => {
                let counted = if *form == Form::One { "1u - (v & 1u)" } else { "vec2(1u - (v & 1u), v & 1u)" };
                source
                    .include(&format!("fn counted(v: u32) -> Value {{ return {counted}; }}\n"))
                    .include(include_str!("step_tour.wgsl"))
                    .reads_sharded("next", "u32", next.sharding())
            }
            Self::Records(records) => {
                source.include(include_str!("step_records.wgsl")).reads_sharded("records", "Record", records.sharding())
            }
        }
    }

    fn bindings(&self) -> Vec<crate::memory::Binding<'a>> {
        match self {
            Self::Links(next) | Self::Tour(next, _) => next.bindings().collect(),
            Self::Records(records) => records.bindings().collect(),
        }
    }

    /// The mean of what is summed over so many elements, if that is known.
    fn mean(&self, elements: u32) -> Option<u32> {
        match self {
            Self::Links(_) => Some(elements),
            Self::Tour(_, Form::One) => Some(elements / 2),
            _ => None,
        }
    }
}

/// Where lists begin.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Heads<'a> {
    /// At these elements; none where there is [`super::records::NONE`].
    Listed(&'a DeviceArray<u32>),
    /// At so many elements from this one on.
    From(u32, u32),
    /// At the first root of a tour, of which the link with this number tells.
    Root(u32),
}

impl Heads<'_> {
    fn len(&self) -> u32 {
        match self {
            Self::Listed(heads) => heads.count() as u32,
            Self::From(_, count) => *count,
            Self::Root(_) => 1,
        }
    }
}

/// Marks at all elements, and the sums of the sublists that they name: see `of_element.wgsl`.
#[derive(Debug)]
pub(crate) struct Marked {
    marks: Marks,
    totals: Records,
    direction: Direction,
    /// Visits of all levels, modulo 2^32, if all elements and sublists are visited: cycles may not be.
    visits: u32,
}

impl Marked {
    /// Declares `of_element(i, sublists)`, for a kernel that has [`Marked::sublists`] in a parameter.
    pub(crate) fn declare(&self, source: Source) -> Source {
        self.declare_totals(self.marks.declare(source))
    }

    /// The same for a kernel that puts something else in the marks' place: `marks_put(i, value)`.
    pub(crate) fn declare_to_replace(&self, source: Source) -> Source {
        self.declare_totals(self.marks.declare_to_replace(source))
    }

    fn declare_totals(&self, source: Source) -> Source {
        source
            .flag("TO_END", self.direction == Direction::ToEnd)
            .include(include_str!("of_element.wgsl"))
            .reads_sharded("totals", "Record", self.totals.sharding())
    }

    pub(crate) fn bindings(&self) -> impl Iterator<Item = crate::memory::Binding<'_>> {
        self.marks.bindings().chain(self.totals.bindings())
    }

    /// What [`super::status::Status::visited`] must be: less if there are cycles.
    pub(crate) fn visits(&self) -> u32 {
        self.visits
    }

    pub(crate) fn sublists(&self) -> u32 {
        self.totals.len as u32
    }

    /// The words of narrow marks.
    pub(crate) fn narrow(&self) -> Option<&DeviceArray<u32>> {
        match &self.marks {
            Marks::Narrow(words) => Some(words),
            Marks::Wide(_) => None,
        }
    }

    pub(crate) fn keep_in(self, commands: &mut Recorder<'_>) {
        self.marks.keep_in(commands);
        self.totals.keep_in(commands);
    }
}

/// Lists to be ranked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lists<'a> {
    pub(crate) device: &'a Device,
    pub(crate) form: Form,
    pub(crate) direction: Direction,
    /// Visits are counted here, and cycles noted.
    pub(crate) status: &'a Buffer,
    pub(crate) seed: u32,
    pub(crate) tuning: Tuning,
    /// Whether marks may be narrow, and the status says so if they are too narrow.
    pub(crate) narrow: bool,
}

impl Lists<'_> {
    /// Records the ranking of `count` elements, up to the last pass. Visits are counted in the status, and cycles
    /// noted that pointer jumping meets.
    pub(crate) fn record(
        &self,
        commands: &mut Recorder<'_>,
        input: Input<'_>,
        heads: Heads<'_>,
        count: u32,
    ) -> Result<Marked> {
        let &Self { device, form, direction, status, seed, tuning, narrow } = self;
        let blocks = count.div_ceil(tuning.block);
        let sublists = blocks + heads.len();
        let mean = input.mean(tuning.block).filter(|_| narrow && form == Form::One);
        let marks = match mean.is_some_and(|mean| Marks::may_be_narrow(sublists, mean)) {
            true => Marks::narrow(device, count)?,
            false => Marks::wide(device, form, count)?,
        };
        let pieces = Records::new(device, form, sublists.into())?;
        let workers = sublists.min(tuning.walkers).next_multiple_of(THREADS);
        let mut source = Source::new("list walk", include_str!("walk.wgsl"), "walk")
            .constant("THREADS", THREADS)
            .constant("BLOCK", tuning.block)
            .include(crate::wgsl::MIX)
            .include(form.text());
        source = marks
            .declare_to_put(status_constants(input.declare(source)))
            .writes_sharded("sublists", "Record", pieces.sharding())
            .atomics("status");
        let mut bindings: Vec<_> = input
            .bindings()
            .into_iter()
            .chain(marks.bindings())
            .chain(pieces.bindings())
            .chain([status.all()])
            .collect();
        let mut first_head = 0;
        match heads {
            Heads::Listed(heads) => {
                source = source.include("fn head(k: u32) -> u32 { return heads_at(k); }\n").reads_sharded(
                    "heads",
                    "u32",
                    heads.sharding(),
                );
                bindings.extend(heads.bindings());
            }
            Heads::From(first, _) => {
                source = source.include("fn head(k: u32) -> u32 { return params.first_head + k; }\n");
                first_head = first;
            }
            Heads::Root(link) => first_head = link,
        }
        let params = [count, blocks, sublists, workers, first_head, seed];
        commands.dispatch(&*device.kernel(&source)?, u64::from(workers / THREADS), &bindings, &params)?;
        let mut visits = count;
        // Where most sublists begin at heads, there is little to contract.
        let totals = if u64::from(sublists) <= tuning.base || sublists > count / 4 {
            record_totals(commands, device, form, &pieces, direction, false, status)?
        } else {
            let below = Self { seed: seed.wrapping_add(0x9e37_79b9), narrow: false, ..*self };
            let marked = below.record(commands, Input::Records(&pieces), Heads::From(blocks, heads.len()), sublists)?;
            let totals = Records::new(device, form, sublists.into())?;
            let put = "fn put_value(i: u32, value: Value) { out_put(i, record_of(NONE, value)); }\n";
            let source = declare_finished(expand(form).include(put), false);
            let source = marked.declare(source).writes_sharded("out", "Record", totals.sharding());
            let bindings: Vec<_> = marked.bindings().chain(totals.bindings()).collect();
            record_expand(commands, device, source, &bindings, sublists, &marked)?;
            visits = visits.wrapping_add(marked.visits);
            marked.keep_in(commands);
            totals
        };
        pieces.keep_in(commands);
        Ok(Marked { marks, totals, direction, visits })
    }
}

fn expand(form: Form) -> Source {
    Source::new("list expand", include_str!("expand.wgsl"), "expand")
        .constant("THREADS", THREADS)
        .constant("ITEMS", ITEMS)
        .include(form.text())
}

fn record_expand(
    commands: &mut Recorder<'_>,
    device: &Device,
    source: Source,
    bindings: &[crate::memory::Binding<'_>],
    count: u32,
    marked: &Marked,
) -> Result<()> {
    let groups = u64::from(count).div_ceil(u64::from(THREADS * ITEMS));
    commands.dispatch(&*device.kernel(&source)?, groups, bindings, &[count, marked.sublists()])
}

/// Records the last pass: the sums of all elements. `weights`: those of the records are added to what is before an
/// element.
pub(super) fn record_sums(
    commands: &mut Recorder<'_>,
    lists: &Lists<'_>,
    marked: &Marked,
    weights: Option<&Records>,
    count: u32,
) -> Result<Keys> {
    let &Lists { device, form, direction, .. } = lists;
    // Sums take the place of marks that are words.
    let in_place = marked.narrow().map(|words| words.keys().clone());
    let sums = in_place.clone().map_or_else(|| Keys::new(device, count.into(), form.words()), Ok)?;
    let mut source = match in_place {
        Some(_) => marked
            .declare_to_replace(expand(form))
            .include("fn put_value(i: u32, value: Value) { marks_put(i, value); }\n"),
        None => marked.declare(declare_sums(expand(form), &sums)),
    };
    // The marks lead to sums to the end with the element, and from the head without it.
    let apart = if in_place.is_some() { None } else { Some(sums.bindings()) };
    let mut bindings: Vec<_> = apart.into_iter().flatten().chain(marked.bindings()).collect();
    source = match (weights, direction) {
        (None, Direction::ToEnd) => declare_finished(source, true),
        (Some(records), Direction::FromHead) => {
            bindings.extend(records.bindings());
            let source = source.include(include_str!("finished_with_weight.wgsl"));
            source.reads_sharded("records", "Record", records.sharding())
        }
        _ => declare_finished(source, false),
    };
    record_expand(commands, device, source, &bindings, count, marked)?;
    Ok(sums)
}
