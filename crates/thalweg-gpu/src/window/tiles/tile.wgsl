// A workgroup's tile: THREADS runs of ITEMS elements, one a thread. In workgroup memory there is a slot to spare for every BANKS elements,
// so that neither threads that read their runs nor threads that read side by side meet in a bank.
const TILE = THREADS * ITEMS;
const BANKS = 32u / KEY_WORDS;
const TILE_SLOTS = TILE + TILE / BANKS;

var<workgroup> slots: array<Key, TILE_SLOTS>;
// Minima of runs and their places, twice.
var<workgroup> run_keys: array<Key, 2u * THREADS>;
var<workgroup> run_places: array<u32, 2u * THREADS>;

fn slot(i: u32) -> u32 { return i + i / BANKS; }
// The slot of element `k * THREADS + thread`.
fn side(k: u32, thread: u32) -> u32 { return k * (THREADS + THREADS / BANKS) + slot(thread); }

fn run_put(half: u32, thread: u32, best: Best) {
    run_keys[half + thread] = best.key;
    if TRACK { run_places[half + thread] = best.place; }
}
fn run_at(half: u32, run: u32) -> Best {
    var place = 0u;
    if TRACK { place = run_places[half + run]; }
    return Best(run_keys[half + run], place);
}

// Sixteen offsets of 4 bits.
fn nibble(words: vec2<u32>, k: u32) -> u32 {
    return (select(words.x, words.y, (k & 8u) != 0u) >> ((4u * k) & 31u)) & 15u;
}
fn with_nibble(words: vec2<u32>, k: u32, offset: u32) -> vec2<u32> {
    let moved = offset << ((4u * k) & 31u);
    return words | select(vec2(moved, 0u), vec2(0u, moved), (k & 8u) != 0u);
}

// Where element `i` of a workgroup's tile lies: its row, the window `first` of that row at which the row's part of the tile
// begins, and the element `start` of the tile that is.
struct Spot { row: u32, first: u32, start: u32 }
fn spot(workgroup: u32, i: u32) -> Spot {
    if SEVERAL {
        let part = i / ITEMS / params.runs;
        // Runs beyond the last whole row belong to none.
        let row = select(params.rows, workgroup * params.held + part, part < params.held);
        return Spot(row, 0u, part * params.runs * ITEMS);
    }
    let row = workgroup / params.tiles;
    return Spot(row, (workgroup - row * params.tiles) * params.tile, 0u);
}
