//! Windows along the rows of an array, of which one of one dimension has one: what the kernels are told, and where answers go.

use thalweg_arrays::window::Windows;
use thalweg_core::Coding;

use super::tuning::Tuning;
use crate::array::Keys;
use crate::coding::KeyCode;
use crate::kernel::Source;
use crate::memory::Binding;

/// A minimum and its place.
pub(super) const BEST: &str = include_str!("best.wgsl");

/// The parameters that all kernels have.
const PARAMS: usize = 17;

/// The arrays of the answers; what is left out is not written.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Found<'f> {
    pub(super) values: Option<&'f Keys>,
    pub(super) positions: Option<&'f Keys>,
}

impl<'f> Found<'f> {
    /// Declares the arrays as `found` and `positions`, of keys and words, or of packs.
    pub(super) fn declare(&self, source: Source, by_packs: bool) -> Source {
        let source = source.flag("VALUES", self.values.is_some()).flag("POSITIONS", self.positions.is_some());
        [("found", "Key", self.values), ("positions", "u32", self.positions)].into_iter().fold(
            source,
            |source, (name, element, keys)| {
                let element = if by_packs { "vec4<u32>" } else { element };
                match keys {
                    Some(keys) if by_packs => source.writes_sharded(name, element, keys.packs().sharding),
                    Some(keys) => source.writes_sharded(name, element, keys.sharding()),
                    None => source.include(&format!("fn {name}_put(i: u32, value: {element}) {{}}\n")),
                }
            },
        )
    }

    pub(super) fn bindings(&self) -> impl Iterator<Item = Binding<'f>> {
        [self.values, self.positions].into_iter().flatten().flat_map(Keys::bindings)
    }
}

/// Windows along the rows of an array. Those that reach over an end are cut.
#[derive(Clone, Copy, Debug)]
pub(super) struct Along<'a> {
    pub(super) array: &'a Keys,
    pub(super) coding: Coding,
    pub(super) rows: u32,
    /// Elements of a row, at least one.
    pub(super) len: u32,
    /// Elements of a window before its own.
    pub(super) before: u32,
    /// Elements of a window.
    pub(super) width: u32,
    pub(super) stride: u32,
    /// Windows of a row, at least one.
    pub(super) count: u32,
    pub(super) found: Found<'a>,
    /// Of which array this one is a part.
    pub(super) part: Option<Part>,
}

/// What windows of a part of a longer array have to be told.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Part {
    /// The place of the part's first element, a multiple of four.
    pub(super) origin: u32,
    /// Where the first window's value and position go: multiples of four.
    pub(super) found_from: u32,
    pub(super) positions_from: u32,
}

impl<'a> Along<'a> {
    /// Of an array of rows of `len` elements; `None` if there is nothing to answer.
    pub(super) fn of(array: &'a Keys, coding: Coding, len: u64, windows: &Windows, found: Found<'a>) -> Option<Self> {
        let rows = array.len().checked_div(len)?;
        let plan = windows.plan(len as usize);
        if rows == 0 || plan.count == 0 {
            return None;
        }
        Some(Self {
            array,
            coding,
            rows: rows as u32,
            len: len as u32,
            before: plan.first.unsigned_abs() as u32,
            width: plan.width as u32,
            // With a larger one there is a single window.
            stride: plan.stride.min(len as usize) as u32,
            count: plan.count as u32,
            found,
            part: None,
        })
    }

    /// Windows of a row without strides, up to the last that is wanted.
    pub(super) fn dense(&self) -> u32 {
        (self.count - 1) * self.stride + 1
    }

    /// Whether positions are kept.
    pub(super) fn tracks(&self) -> bool {
        self.found.positions.is_some()
    }

    /// What keys are, and how they are compared: `rank_of`, `bits_of`, `seen_from`.
    pub(super) fn ranks(&self, source: Source) -> Source {
        let code = KeyCode::from(self.coding);
        source.keys(code).flag("TRACK", self.tracks()).include(match (code.float && !self.tracks(), code.words) {
            (false, _) => include_str!("ranks.wgsl"),
            (true, 1) => include_str!("zeros32.wgsl"),
            (true, _) => include_str!("zeros64.wgsl"),
        })
    }

    /// The parameters (`params.wgsl`): those of the windows, then a kernel's own; it does not look at what is left out.
    pub(super) fn params(&self, own: &[u64]) -> Vec<u32> {
        let windows = [self.rows, self.len, self.before, self.width, self.dense(), self.stride, self.count];
        let Part { origin, found_from, positions_from } = self.part.unwrap_or_default();
        let own = own.iter().map(|&number| number as u32);
        let mut params: Vec<u32> = windows.into_iter().chain([origin, found_from, positions_from]).chain(own).collect();
        params.resize(PARAMS, 0);
        params
    }

    /// What all kernels have that read the array.
    fn kernel(&self, text: &'static str, entry: &'static str, threads: u32, tuning: &Tuning) -> Source {
        self.ranks(Source::new("window", text, entry))
            .constant("THREADS", threads)
            .flag("PART", self.part.is_some())
            .unroll(tuning.unroll)
            .include(BEST)
            .include(include_str!("params.wgsl"))
            .include(include_str!("elements.wgsl"))
    }

    /// What kernels have that read elements one by one.
    pub(super) fn reading(&self, text: &'static str, entry: &'static str, threads: u32, tuning: &Tuning) -> Source {
        self.kernel(text, entry, threads, tuning).reads_sharded("values", "Key", self.array.sharding())
    }

    /// What kernels have whose subgroups hold lines.
    fn in_lanes(&self, source: Source, tuning: &Tuning) -> Source {
        source.constant("LANES", tuning.lanes).subgroups(self.array.device()).include(include_str!("who.wgsl"))
    }

    /// What kernels have that read `depth` lines of a subgroup, for tiles of `lines` of them.
    pub(super) fn in_lines(
        &self,
        text: &'static str,
        entry: &'static str,
        lines: u32,
        depth: u32,
        tuning: &Tuning,
    ) -> Source {
        self.in_lanes(self.reading(text, entry, tuning.lane_threads, tuning), tuning)
            .constant("LANES_LOG", tuning.lanes.ilog2())
            .constant("LINES", lines)
            .constant("DEPTH", depth)
            .include(include_str!("lines.wgsl"))
    }

    /// What kernels have whose subgroups read elements, and write all windows' answers, by packs, of which a lane has `run` elements: of one row.
    /// `last`: how far behind a window's first element the last run that it is told by lies.
    pub(super) fn by_runs(
        &self,
        text: &'static str,
        entry: &'static str,
        threads: u32,
        [run, last]: [u32; 2],
        tuning: &Tuning,
    ) -> Source {
        let source = self
            .in_lanes(self.kernel(text, entry, threads, tuning), tuning)
            .include(include_str!("bits.wgsl"))
            .constant("ANSWERS", 4)
            .include(include_str!("packs.wgsl"))
            .constant("RUN", run)
            .constant("RUN_FOURS", run / 4)
            // On an H200, keys of two words are as fast without, or faster.
            .constant("PAIRS", if self.array.words() == 1 { run / 8 } else { 0 })
            .include(include_str!("runs.wgsl"))
            .reads_sharded("packs", "vec4<u32>", self.array.packs().sharding);
        // Runs lie in packs as the first ones of a row's windows.
        let keys_of_pack = 4 / self.array.words();
        let source = [(["FIRST", "first", "First"], 0), (["LAST", "last", "Last"], last)].into_iter().fold(
            source,
            |source, (names, place): (_, u32)| {
                let shift = place.wrapping_sub(self.before) % keys_of_pack;
                let text = ["THAT", "that", "That"]
                    .iter()
                    .zip(names)
                    .fold(include_str!("run.wgsl").to_owned(), |text, (that, name)| text.replace(that, name));
                source
                    .constant(&format!("{}_SHIFT", names[0]), shift)
                    .constant(&format!("{}_PACKS", names[0]), (run + shift).div_ceil(keys_of_pack))
                    .include(&text)
            },
        );
        self.found.declare(source, true)
    }

    /// What kernels have that read a tile to workgroup memory. `several`: rows of a workgroup.
    pub(super) fn in_tile(
        &self,
        text: &'static str,
        entry: &'static str,
        threads: u32,
        several: bool,
        tuning: &Tuning,
    ) -> Source {
        self.reading(text, entry, threads, tuning)
            .constant("ITEMS", tuning.items)
            .flag("SEVERAL", several)
            .include(include_str!("tiles/tile.wgsl"))
    }

    /// What kernels that write the answers have besides.
    pub(super) fn answered(&self, source: Source) -> Source {
        let source = source.flag("STRIDED", self.stride > 1);
        let source = source.include(include_str!("bits.wgsl")).include(include_str!("answer.wgsl"));
        self.found.declare(source, false)
    }

    /// Their arrays, in the order of the declarations.
    pub(super) fn arrays(&self) -> impl Iterator<Item = Binding<'a>> {
        self.array.bindings().chain(self.found.bindings())
    }
}
