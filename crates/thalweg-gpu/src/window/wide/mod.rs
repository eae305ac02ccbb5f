//! Windows wider than a tile.
//!
//! The windows that begin in one block all have what is between the block's end and the end of the first of them in common: the
//! *core*. Its minimum is known from minima of blocks, and the answers of a whole tile are that, unless an end's own minimum
//! can beat it. Then that end is read. Mostly few elements of it beat the core, and each of these is the answer of the windows that
//! see it and no better one; where there are more, running minima over the end and the core's are the answers.
//!
//! What is known of a tile from blocks a single lane finds out, so that a subgroup has all that it has to know of as many tiles as it has lanes
//! at a time (`slide.wgsl`).
//!
//! Where an end matters and its elements are in order, every window of the tile has its own first element as the answer, or its own last one.
//! Their places need no read. Their values are written when the block is read for its minimum, if a look at a few other elements does not show that
//! they cannot be the answers (`ahead.wgsl`); else they are copied.
//!
//! Tiles of which an end has to be read are listed (`opened_put.wgsl`), and a kernel of its own reads those ends, by runs where it can (`open_runs.wgsl`).
//! On an H200, subgroups that read ends themselves where few of theirs have any, as before, took three to five times as long on data that go up and down
//! in runs, and a first kernel some seconds of the driver's time.
//!
//! One read for the minima of blocks, one write, and on data without a trend, and on sorted data, little else: an end of a tile is the best of a
//! window's blocks once in as many. Data that rise or fall, but not in order, have every tile's first end read, or every last one; so have positions where
//! many elements are as good as the best. At most, both: three reads and a write, of which caches take one while windows are small enough for them.

use thalweg_core::Result;

use super::along::{Along, BEST, Found};
use super::tuning::Tuning;
use crate::array::Keys;
use crate::device::Device;
use crate::kernel::Source;
use crate::memory::{Binding, Buffer};
use crate::primitives::elementwise::Elementwise;
use crate::recorder::Recorder;

/// Buffers of an array that kernels see together. On an H200, windows of 4,000 in 2^28 `f64`, values and positions: 1.36 and 1.11 ms, or in each of both
/// buffers by itself 1.40 and 1.19; of 2,000 in 2^30 `f32`, which have four, 5.14 and 5.26, or 3.06 and 3.28.
pub(super) const BUFFERS_TOGETHER: u32 = 2;

/// Blocks that a tile reads at most before there is a level above them: as many as nodes of a level at both of its ends.
const ON_ONE_LEVEL: u32 = 32;

/// Tiles for each subgroup that reads ends for others, if all are listed.
const TILES_OF_OPENER: u64 = 32;

/// Blocks that a lane reads at a time.
const AT_ONCE: u32 = 4;

/// What is known of a block beside its minimum, of which there are levels: that of its head, that of the rest, and whether it is in order.
const PARTS: u64 = 3;

/// What is known of blocks: see `minima.wgsl`.
struct Minima {
    keys: Keys,
    places: Option<Keys>,
}

impl Minima {
    fn declare(&self, source: Source, writes: bool) -> Source {
        let source = source.include(include_str!("minima.wgsl"));
        let source = if writes {
            source.writes_sharded("minima", "Key", self.keys.sharding())
        } else {
            source.reads_sharded("minima", "Key", self.keys.sharding())
        };
        match &self.places {
            Some(places) if writes => source.writes_sharded("places", "u32", places.sharding()),
            Some(places) => source.reads_sharded("places", "u32", places.sharding()),
            None => source.include(include_str!("no_places.wgsl")),
        }
    }

    fn bindings(&self) -> impl Iterator<Item = Binding<'_>> {
        self.keys.bindings().chain(self.places.iter().flat_map(Keys::bindings))
    }

    fn keep_in(self, commands: &mut Recorder<'_>) {
        self.keys.keep_in(commands);
        self.places.into_iter().for_each(|places| places.keep_in(commands));
    }
}

/// Nodes of `raised` levels above `blocks` blocks, and of these themselves.
fn nodes(blocks: u64, raised: u32) -> u64 {
    if raised == 0 { blocks } else { blocks + nodes(blocks.div_ceil(16), raised - 1) }
}

/// Entries of what is known of blocks, at most, for windows along rows of `len` elements.
pub(super) fn entries(rows: u64, len: u64, width: u64, tile: u64) -> u64 {
    let blocks = rows * (len + width).div_ceil(tile);
    PARTS * blocks + nodes(blocks, blocks.max(1).ilog2() / 4)
}

pub(super) fn record(commands: &mut Recorder<'_>, along: &Along<'_>, tuning: &Tuning) -> Result<()> {
    let device = along.array.device();
    let lines_of_tile = tuning.wide_lines_of(along.width, along.tracks());
    let tile = u64::from(lines_of_tile * tuning.lanes);
    let tiles_of_workgroup = u64::from(tuning.lane_threads / tuning.lanes);
    let (rows, dense) = (u64::from(along.rows), u64::from(along.dense()));
    let tiles = dense.div_ceil(tile);
    let blocks = (dense + u64::from(along.width) - 1).div_ceil(tile);
    let (all_blocks, all_tiles) = (rows * blocks, rows * tiles);
    let levels = PARTS * all_blocks;
    // Whole blocks of a window, of which those of the highest level are read one by one.
    let (mut raised, mut between) = (0, u64::from(along.width - 1) / tile - 1);
    while between > u64::from(ON_ONE_LEVEL) {
        (raised, between) = (raised + 1, between / 16);
    }
    let count = levels + nodes(all_blocks, raised);
    let minima = Minima {
        keys: Keys::new(device, count, along.array.words())?,
        places: along.tracks().then(|| Keys::new(device, count, 1)).transpose()?,
    };
    let held = (all_tiles / u64::from(tuning.wide_subgroups)).clamp(1, tuning.lanes.into());
    // Fewer than there may be tiles on a list: mostly there are none.
    let openers = all_tiles.div_ceil(TILES_OF_OPENER * tiles_of_workgroup);
    let params = along.params(&[tile, tiles, 0, held, openers, blocks, levels]);

    let limits = device.limits();
    let whole = [limits.subgroup_min, limits.subgroup_max] == [tuning.lanes; 2];
    let gathering =
        |source: Source| source.flag("WHOLE", whole).flag("SINGLE", rows == 1).include(include_str!("gathered.wgsl"));
    let lines = |text, entry| gathering(along.in_lines(text, entry, lines_of_tile, lines_of_tile, tuning));
    let head = (along.width - 1) % tile as u32 / tuning.lanes;
    let source = lines(include_str!("blocks.wgsl"), "blocks").constant("HEAD", head);
    let (source, answers) = if along.found.values.is_some() {
        let source = along.answered(source).include(include_str!("put_elements.wgsl"));
        (source.include(include_str!("ahead.wgsl")), along.found)
    } else {
        (source.include(include_str!("not_ahead.wgsl")), Found::default())
    };
    let source = minima.declare(source, true);
    let bindings: Vec<_> = along.array.bindings().chain(answers.bindings()).chain(minima.bindings()).collect();
    commands.dispatch(&*device.kernel(&source)?, all_blocks.div_ceil(tiles_of_workgroup), &bindings, &params)?;

    let (mut start, mut size) = (levels, all_blocks);
    for _ in 0..raised {
        let above = size.div_ceil(16);
        Elementwise::new(device, above, "window", include_str!("raise.wgsl"))
            .declare(|source| minima.declare(along.ranks(source).include(BEST), true), minima.bindings())
            .dispatch(commands, &[start as u32, size as u32])?;
        (start, size) = (start + size, above);
    }

    let opened = Opened::new(commands, device, all_tiles, along)?;
    let knowing = |source: Source| source.include(include_str!("known.wgsl"));
    let source = along.answered(knowing(lines(include_str!("slide.wgsl"), "slide")));
    let source =
        source.include(include_str!("put_elements.wgsl")).constant("RAISED", raised).constant("AT_ONCE", AT_ONCE);
    let source = opened.declare_to_list(minima.declare(source, false));
    let bindings: Vec<_> = along.arrays().chain(minima.bindings()).chain(opened.bindings()).collect();
    let subgroups = all_tiles.div_ceil(held);
    commands.dispatch(&*device.kernel(&source)?, subgroups.div_ceil(tiles_of_workgroup), &bindings, &params)?;
    minima.keep_in(commands);

    let joining = |source| knowing(source).include(include_str!("across.wgsl"));
    let by_runs = rows == 1 && along.stride == 1 && lines_of_tile.is_multiple_of(4);
    let source = opened.declare(if by_runs {
        let (text, run) = (include_str!("open_runs.wgsl"), [lines_of_tile, along.width]);
        let source = along.by_runs(text, "open", tuning.lane_threads, run, tuning);
        joining(gathering(source.constant("LANES_LOG", tuning.lanes.ilog2())))
    } else {
        let source = joining(lines(include_str!("open.wgsl"), "open")).include(include_str!("ends.wgsl"));
        along.answered(source.include(match along.array.words() {
            1 => include_str!("may_beat32.wgsl"),
            _ => include_str!("may_beat64.wgsl"),
        }))
    });
    let bindings: Vec<_> = along.arrays().chain(opened.bindings()).collect();
    commands.dispatch(&*device.kernel(&source)?, openers, &bindings, &params)?;
    opened.keep_in(commands);
    Ok(())
}

/// A list of tiles whose ends are read by others than who has found that out, and what is known of them.
struct Opened {
    /// How many.
    count: Buffer,
    /// The best of their cores.
    keys: Keys,
    /// Four words each: a tile and which ends, the place of the core's best, and those of the ends'.
    tiles: Keys,
}

impl Opened {
    /// Room for as many as there are, and none yet.
    fn new(commands: &mut Recorder<'_>, device: &Device, tiles: u64, along: &Along<'_>) -> Result<Self> {
        let count = device.words(1, "tiles with ends")?;
        commands.clear(&count, 4);
        let keys = Keys::new(device, tiles, along.array.words())?;
        Ok(Self { count, keys, tiles: Keys::new(device, 4 * tiles, 1)? })
    }

    /// Declares `opened_put(i, known)`, and the count.
    fn declare_to_list(&self, source: Source) -> Source {
        source
            .include(include_str!("opened_put.wgsl"))
            .atomics("opened_count")
            .writes_sharded("opened_keys", "Key", self.keys.sharding())
            .writes_sharded("opened_tiles", "vec4<u32>", self.tiles.packs().sharding)
    }

    /// Declares `opened(i)`, and the count.
    fn declare(&self, source: Source) -> Source {
        source
            .include(include_str!("opened.wgsl"))
            .reads("opened_count", "u32")
            .reads_sharded("opened_keys", "Key", self.keys.sharding())
            .reads_sharded("opened_tiles", "vec4<u32>", self.tiles.packs().sharding)
    }

    fn bindings(&self) -> impl Iterator<Item = Binding<'_>> {
        [self.count.all()].into_iter().chain(self.keys.bindings()).chain(self.tiles.bindings())
    }

    fn keep_in(self, commands: &mut Recorder<'_>) {
        commands.keep(self.count);
        [self.keys, self.tiles].into_iter().for_each(|keys| keys.keep_in(commands));
    }
}
