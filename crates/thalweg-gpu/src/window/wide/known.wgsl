// What is known of a tile: which ends can beat the core, the core's best, and where the best elements of the ends are.
struct Known { tile: u32, ends: u32, core: Best, ahead: u32, behind: u32 }
const FIRST_END = 1u;
const LAST_END = 2u;
// Instead of ends: each window's own first element is the best, or its own last one.
const OWN_FIRST = 4u;
const OWN_LAST = 8u;
// All are answered.
const ANSWERED = 16u;

// A tile's first window in its row.
fn tile_first(tile: u32) -> u32 { return (tile - row_of(tile, params.tiles) * params.tiles) * TILE; }
