//! Windows wider than a tile.
//!
//! The windows that begin in one block all have what is between the block's end and the end of the first of them in common: the
//! *core*. Its minimum is known from minima of blocks, and the answers of a whole tile are that, unless an end's own minimum
//! can beat it. Then that end is read, and running minima over it and the core's are the answers.
//!
//! One read for the minima of blocks, one write, and on data without a trend nothing else: an end of a tile is the best of a
//! window's blocks once in as many. Sorted data have every tile's first end read, or every last one. At most, both: three
//! reads and a write, of which caches take one while windows are small enough for them.

use thalweg_core::Result;

use super::along::{Along, BEST};
use super::tuning::Tuning;
use crate::array::Keys;
use crate::kernel::Source;
use crate::memory::Binding;
use crate::primitives::elementwise::Elementwise;
use crate::recorder::Recorder;

/// Threads of the kernel that makes cores. Not measured.
const CORE_THREADS: u32 = 128;

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
}

/// Nodes of all levels above `blocks` blocks, and of these themselves. The highest has less than 16.
fn nodes(blocks: u64) -> u64 {
    if blocks < 16 { blocks } else { blocks + nodes(blocks.div_ceil(16)) }
}

/// Entries of what is known of blocks, for windows along rows of `len` elements.
pub(super) fn entries(rows: u64, len: u64, width: u64, tile: u64) -> u64 {
    let blocks = rows * (len + width).div_ceil(tile);
    3 * blocks + nodes(blocks)
}

pub(super) fn record(commands: &mut Recorder<'_>, along: &Along<'_>, tuning: &Tuning) -> Result<()> {
    let device = along.array.device();
    let lines_of_tile = tuning.wide_lines_of(along.width);
    let tile = u64::from(lines_of_tile * tuning.lanes);
    let lines = |text, entry| along.in_lines(text, entry, lines_of_tile, lines_of_tile, tuning);
    let tiles_of_workgroup = u64::from(tuning.lane_threads / tuning.lanes);
    let (rows, dense) = (u64::from(along.rows), u64::from(along.dense()));
    let tiles = dense.div_ceil(tile);
    let blocks = (dense + u64::from(along.width) - 1).div_ceil(tile);
    let (all_blocks, all_tiles) = (rows * blocks, rows * tiles);
    let levels = 2 * all_blocks;
    let cores = levels + nodes(all_blocks);
    let minima = Minima {
        keys: Keys::new(device, cores + all_tiles, along.array.words())?,
        places: along.tracks().then(|| Keys::new(device, cores + all_tiles, 1)).transpose()?,
    };
    let mut params = along.params().to_vec();
    params.extend([tile, tiles, 0, 0, all_tiles, blocks, levels, cores].map(|count| count as u32));

    let limits = device.limits();
    let whole = [limits.subgroup_min, limits.subgroup_max] == [tuning.lanes; 2];
    let source = minima.declare(lines(include_str!("blocks.wgsl"), "blocks").flag("WHOLE", whole), true);
    let bindings: Vec<_> = along.array.bindings().chain(minima.bindings()).collect();
    commands.dispatch(&*device.kernel(&source)?, all_blocks.div_ceil(tiles_of_workgroup), &bindings, &params)?;

    let (mut start, mut size) = (levels, all_blocks);
    while size >= 16 {
        let above = size.div_ceil(16);
        Elementwise::new(device, above, "window", include_str!("raise.wgsl"))
            .declare(|source| minima.declare(along.ranks(source).include(BEST), true), minima.bindings())
            .dispatch(commands, &[start as u32, size as u32])?;
        (start, size) = (start + size, above);
    }

    let source = along
        .ranks(Source::new("window", include_str!("cores.wgsl"), "cores"))
        .constant("THREADS", CORE_THREADS)
        .constant("TILE", tile as u32)
        .include(BEST)
        .include(include_str!("../params.wgsl"));
    let bindings: Vec<_> = minima.bindings().collect();
    let groups = all_tiles.div_ceil(CORE_THREADS.into());
    commands.dispatch(&*device.kernel(&minima.declare(source, true))?, groups, &bindings, &params)?;

    let source = minima.declare(along.answered(lines(include_str!("slide.wgsl"), "slide")), false);
    let bindings: Vec<_> = along.arrays().chain(minima.bindings()).collect();
    commands.dispatch(&*device.kernel(&source)?, all_tiles.div_ceil(tiles_of_workgroup), &bindings, &params)?;
    let Minima { keys, places } = minima;
    keys.keep_in(commands);
    places.into_iter().for_each(|places| places.keep_in(commands));
    Ok(())
}
