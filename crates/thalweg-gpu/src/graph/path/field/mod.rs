//! Distances of all cells from some sources, by a wavefront of tiles.
//!
//! A round works on the tiles that have something to do, a workgroup each: it takes the tile and a margin of one cell into its
//! memory, relaxes all cells until nothing changes, and writes back what did. The tiles that see a change on their margin are
//! the next round's. Within a dispatch tiles read their neighbours' margins before or after those write them; whoever read
//! too early is on the next list. So distances are exact when a list is empty, with costs, too. (Bellman and Ford's algorithm,
//! by tiles.)

use thalweg_core::Result;

use super::map::Map;
use crate::kernel::Source;
use crate::memory::{Binding, Buffer};
use crate::transfer::{read_word, upload};

/// Threads of a workgroup, and cells of a tile's side.
const THREADS: u32 = 256;
const TILE: u32 = 32;
/// Rounds of one submission; even, so that lists alternate across them.
const ROUNDS: u64 = 32;
/// Workgroups of a round at most. Not measured.
const GROUPS: u64 = 2048;

/// Complements of the distances from every source, a map after the other, or `None` if one is too long for the kernels.
pub(super) fn distances(map: &Map, sources: &[u32]) -> Result<Option<Buffer>> {
    let device = &map.device;
    let (tile_rows, tile_cols) = (map.rows.div_ceil(TILE), map.cols.div_ceil(TILE));
    let tiles = tile_rows * tile_cols;
    let room = u64::from(tiles) * sources.len() as u64;
    let words = u64::from(map.cells()) * sources.len() as u64;
    let distances = device.words(words, "distances")?;
    let (list, stamps) = (device.words(2 * room, "tiles")?, device.words(room, "tiles")?);
    // A counter a round, and a flag.
    let counts = [device.words(ROUNDS + 2, "counts")?, device.words(ROUNDS + 2, "counts")?];
    let mut first = Vec::new();
    for (k, &source) in sources.iter().enumerate() {
        // The tile of the source, and all that may see it.
        let (row, column) = (source / map.cols / TILE, source % map.cols / TILE);
        for r in row.saturating_sub(1)..=(row + 1).min(tile_rows - 1) {
            for c in column.saturating_sub(1)..=(column + 1).min(tile_cols - 1) {
                first.push(k as u32 * tiles + r * tile_cols + c);
            }
        }
    }
    let mut commands = device.record();
    commands.clear(&distances, 4 * words);
    commands.clear(&stamps, 4 * room);
    commands.clear(&counts[0], 4 * (ROUNDS + 2));
    commands.submit()?;
    let put = |buffer: &Buffer, at: u64, words: &[u32]| {
        let bytes: &[u8] = bytemuck::cast_slice(words);
        upload(device, buffer, 4 * at, bytes.len() as u64, |from, piece| {
            piece.copy_from_slice(&bytes[from as usize..][..piece.len()]);
        })
    };
    put(&list, 0, &first)?;
    put(&counts[0], 0, &[first.len() as u32])?;
    for (k, &source) in sources.iter().enumerate() {
        put(&distances, k as u64 * u64::from(map.cells()) + u64::from(source), &[u32::MAX])?;
    }
    let source = map
        .source(Source::new("path", include_str!("field.wgsl"), "relax"))
        .constant("THREADS", THREADS)
        .constant("TILE", TILE)
        // A software renderer compiles longer than it runs.
        .unroll(!map.device.is_software())
        .constant("DIRECTIONS", 8)
        .constant("TOO_LONG", ROUNDS as u32 + 1)
        .writes("list", "u32")
        .atomics("distances")
        .atomics("stamps")
        .atomics("counts");
    let kernel = device.kernel(&source)?;
    for pass in 0u32.. {
        let [now, next] = if pass % 2 == 0 { [&counts[0], &counts[1]] } else { [&counts[1], &counts[0]] };
        let bindings: Vec<Binding<'_>> =
            map.bindings().chain([&list, &distances, &stamps, now].map(Buffer::all)).collect();
        let mut commands = device.record();
        for round in 0..ROUNDS as u32 {
            let stamp = pass * ROUNDS as u32 + round;
            let params = [map.rows, map.cols, tile_cols, tiles, room as u32, round, stamp];
            commands.dispatch(&kernel, room.min(GROUPS), &bindings, &params)?;
        }
        commands.clear(next, 4 * (ROUNDS + 2));
        commands.copy((now, 4 * ROUNDS), (next, 0), 4);
        commands.submit()?;
        if read_word(device, now, ROUNDS + 1)? != 0 {
            return Ok(None);
        }
        if read_word(device, next, 0)? == 0 {
            break;
        }
    }
    Ok(Some(distances))
}
