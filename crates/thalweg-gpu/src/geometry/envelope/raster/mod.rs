//! The lowest segment at every place of a grid of whole x, on the device.
//!
//! Segments have integers of 32 bits as coordinates, and which one is the lowest is decided exactly (`heights.wgsl`). There
//! are two ways:
//!
//! - *Few, all horizontal* (the question of the paper): a workgroup for a tile of places looks at all segments, and the
//!   answers are written once (`few.wgsl`).
//! - *Any*: segments are put into trees, in which they go down as long as they may be the lowest somewhere
//!   (`insert.wgsl`; Li Chao's tree, by compare and exchange). One tree is over tiles of places, for tiles that a segment
//!   covers as a whole; what covers a tile in part, or crosses another one in it, is put on the tile's lists (`windows.wgsl`).
//!   Then a workgroup a tile puts what it has into a tree of its own, and every place takes the lowest of the nodes above it
//!   (`tile.wgsl`). So beside the answers, which are written once, memory is read and written for segments only. Work
//!   O(m log² n + n log T) for m segments, n places and tiles of T, less where segments are hidden by others.

use thalweg_core::Result;
use thalweg_geometry::envelope::{Grid, Side};

use crate::array::{DeviceArray, Keys};
use crate::device::Device;
use crate::kernel::Source;
use crate::memory::Buffer;
use crate::primitives::elementwise::Elementwise;
use crate::transfer;

/// Segments that every tile looks at, if they are horizontal. Not measured against others.
pub(super) const FEW: u64 = 1024;
/// What makes unsigned numbers of coordinates.
const FLIP: u32 = 1 << 31;
/// Threads of a workgroup.
const THREADS: u32 = 256;
/// Places of a thread of a tile. Not measured against others.
const RUN: u32 = 8;
/// Places of a tile, whose tree takes 16 KiB of a workgroup's memory.
const TILE: u32 = THREADS * RUN;
/// Segments of a tile that its workgroup keeps before it puts them into the tree.
const ROOM: u32 = 512;
/// Lists of a tile at most.
const LANES: u64 = 64;
/// So many segments are put by one thread each; fewer by one for every level of the tree.
const MANY: u64 = 1 << 16;

/// Segments on the device, in rows of four coordinates, and the side that is asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Raster<'a> {
    pub(super) segments: &'a Keys,
    pub(super) side: Side,
    pub(super) grid: Grid,
}

/// What is told of every place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// The lowest segment's number.
    Ids,
    /// Its height, of horizontal segments.
    Levels,
}

impl<'a> Raster<'a> {
    fn device(&self) -> &'a Device {
        self.segments.device()
    }

    pub(super) fn count(&self) -> u64 {
        self.segments.len() / 4
    }

    fn places(&self) -> u64 {
        self.grid.len() as u64
    }

    /// A kernel that sees the segments.
    fn source(&self, name: &'static str, text: &'static str, entry: &'static str) -> Source {
        Source::new(name, text, entry)
            .constant("THREADS", THREADS)
            .constant("NONE", u32::MAX)
            .constant("FLIP", FLIP)
            .flag("UPPER", self.side == Side::Upper)
            .include(include_str!("segment.wgsl"))
            .reads_sharded("segments", "vec4<u32>", self.segments.packs().sharding)
    }

    /// The first place in the kernels' frame.
    fn start(&self) -> u32 {
        self.grid.start() as u32 ^ FLIP
    }

    /// The first segment that is neither horizontal nor a point.
    pub(super) fn first_slope(&self) -> Result<Option<u32>> {
        let device = self.device();
        // As a complement, so that 0 is none.
        let first = device.words(1, "first slope")?;
        let mut commands = device.record();
        commands.clear(&first, 4);
        let sharding = self.segments.packs().sharding;
        let body = "let row = segments_at(i); if row.y != row.w { atomicMax(&first[0], ~i); }";
        Elementwise::statement(device, self.count(), "slopes", body)
            .declare(|source| source.reads_sharded("segments", "vec4<u32>", sharding), self.segments.bindings())
            .declare(|source| source.atomics("first"), [first.all()].into_iter())
            .dispatch(&mut commands, &[])?;
        commands.submit()?;
        Ok(match transfer::read_word(device, &first, 0)? {
            0 => None,
            row => Some(!row),
        })
    }

    /// The answers of all places, by looking at all segments for every tile: all are horizontal, and there are at most
    /// [`FEW`].
    pub(super) fn run_few(&self, told: Told, out: &Keys) -> Result<()> {
        let device = self.device();
        // A software renderer compiles longer than it runs.
        let packs = if device.limits().subgroup_min < 16 { 1 } else { 4 };
        let told = match told {
            Told::Ids => "fn told(entry: vec2<u32>) -> u32 { return entry.y; }\n",
            // The largest number where there is none.
            Told::Levels => {
                "fn told(entry: vec2<u32>) -> u32 {
                    return select(in_frame(entry.xx).y, ~FLIP, entry.y == NONE);
                }\n"
            }
        };
        let source = self
            .source("raster of few", include_str!("few.wgsl"), "lowest_of_few")
            .subgroups(device)
            .constant("FEW", FEW as u32)
            .constant("PACKS", packs)
            .include(told)
            .writes_sharded("out", "vec4<u32>", out.packs().sharding);
        let buffers: Vec<_> = self.segments.bindings().chain(out.bindings()).collect();
        let groups = self.places().div_ceil(u64::from(4 * THREADS * packs));
        let params = [self.count() as u32, self.start(), self.places() as u32];
        let mut commands = device.record();
        commands.dispatch(&*device.kernel(&source)?, groups, &buffers, &params)?;
        commands.submit().map(|_| ())
    }

    /// The numbers of the lowest segments.
    pub(super) fn run(&self, ids: &DeviceArray<u32>) -> Result<()> {
        // At most two nodes a level, and as many crossings in tiles.
        let most = 2 * (u64::from(self.levels()) + 1) * self.count();
        let mut spare = if self.count() < MANY { most } else { self.count() };
        loop {
            let more = self.run_with(ids, spare)?;
            if spare >= most {
                return Ok(());
            }
            let needed = u64::from(transfer::read_word(self.device(), &more, 0)?);
            if needed <= spare {
                return Ok(());
            }
            // How many it takes depends on who comes first.
            spare = most.min(2 * needed);
        }
    }

    /// Levels of the tree over tiles, but for the first one.
    fn levels(&self) -> u32 {
        self.tiles().next_power_of_two().ilog2()
    }

    fn tiles(&self) -> u64 {
        self.places().div_ceil(TILE.into())
    }

    /// The same with room for so many items of lists beside two a segment. The buffer tells how many were asked for.
    fn run_with(&self, ids: &DeviceArray<u32>, spare: u64) -> Result<Buffer> {
        let (device, tiles, count) = (self.device(), self.tiles(), self.count());
        let (levels, leaves) = (self.levels(), 1u64 << self.levels());
        // As many lists as a tile has segments, more or less.
        let lanes = (2 * count / tiles.max(1)).next_power_of_two().min(LANES);
        let tree = device.words(2 * leaves, "tree of tiles")?;
        let heads = device.words(tiles * lanes, "lists of tiles")?;
        let more = device.words(1, "items of lists")?;
        let links = DeviceArray::<u32>::new(device, 2 * count + spare)?;
        let owners = DeviceArray::<u32>::new(device, spare)?;
        let mut commands = device.record();
        commands.clear(&tree, 8 * leaves);
        commands.clear(&heads, 4 * (tiles * lanes).max(1));
        commands.clear(&more, 4);
        let split = if count < MANY { (levels + 1).next_power_of_two() } else { 1 };
        let sizes = [count, self.start().into(), self.places(), tiles, spare].map(|x| x as u32);
        let shape = [leaves as u32, levels, lanes as u32, split];
        let params: Vec<u32> = sizes.into_iter().chain(shape).collect();
        let source = |name, text, entry| {
            let source = self.source(name, text, entry).include(include_str!("heights.wgsl"));
            source.include(include_str!("insert.wgsl"))
        };
        let windows = source("raster windows", include_str!("windows.wgsl"), "windows")
            .constant("TILE", TILE)
            .atomics("tree")
            .atomics("heads")
            .atomics("more")
            .writes_sharded("links", "u32", links.sharding())
            .writes_sharded("owners", "u32", owners.sharding());
        let own = [tree.all(), heads.all(), more.all()];
        let lists = || links.bindings().chain(owners.bindings());
        let buffers: Vec<_> = self.segments.bindings().chain(own).chain(lists()).collect();
        let groups = (count * u64::from(split)).div_ceil(THREADS.into());
        commands.dispatch(&*device.kernel(&windows)?, groups, &buffers, &params)?;
        let tile = source("raster tiles", include_str!("tile.wgsl"), "lowest_of_tile")
            .constant("RUN", RUN)
            .constant("ABOVE", THREADS.ilog2() + 1)
            .constant("BELOW", 2 * RUN - 2)
            .constant("QUADS", RUN / 4)
            .constant("TILE_LOG", TILE.ilog2())
            .constant("ROOM", ROOM)
            .reads("tree", "u32")
            .reads("heads", "u32")
            .reads_sharded("links", "u32", links.sharding())
            .reads_sharded("owners", "u32", owners.sharding())
            .writes_sharded("ids", "vec4<u32>", ids.packs().sharding);
        let own = [tree.all(), heads.all()];
        let buffers: Vec<_> = self.segments.bindings().chain(own).chain(lists()).chain(ids.packs().buffers).collect();
        commands.dispatch(&*device.kernel(&tile)?, tiles, &buffers, &params)?;
        commands.submit()?;
        Ok(more)
    }
}
