// Builds the `lines` index, bottom up: `lines` makes the minima of lines and blocks, `groups` the records of the blocks
// and the first row of the table, `table` the other rows.
//
// All arrays of lines and blocks are filled up to whole tiles, so no thread of a tile inside the array writes outside
// them.
struct Params {
    // Whole packs of the array, and the keys of the pack behind them.
    packs: u32,
    rest: u32,
    tiles: u32,
    blocks: u32,
    groups: u32,
    // `table`: the row that the next ones are made of.
    row: u32,
    rows: u32,
}

const TILE_LINES = TILE_PACKS * PACK / LINE;
const TILE_BLOCKS = TILE_LINES / BLOCK;
const LINE_PACKS = LINE / PACK;

// One entry of room behind every line: threads that read a line each then meet different banks.
var<workgroup> least: array<Key, TILE_PACKS + TILE_LINES>;
var<workgroup> place: array<u32, TILE_PACKS + TILE_LINES>;

fn room(slot: u32) -> u32 { return slot + slot / LINE_PACKS; }
var<workgroup> least_of_line: array<Key, TILE_LINES>;
var<workgroup> place_in_line: array<u32, TILE_LINES>;

// What the index stores for element `offset` of a line: its position where that fits, else only the line.
fn stored_position(line: u32, offset: u32) -> u32 {
    if WIDE { return line; }
    return line * LINE + offset;
}

@compute @workgroup_size(THREADS)
fn lines(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let tile = linear_workgroup(group, groups);
    // The last row of workgroups may reach beyond the tiles. `tile` is the same for the whole workgroup.
    if tile < params.tiles {
        var faithful = true;
        for (var k = 0u; k < TILE_PACKS / THREADS; k++) {
            let slot = k * THREADS + thread;
            let pack = tile * TILE_PACKS + slot;
            var ranks = ALL_WORST;
            if pack < params.packs {
                let v = values_at(pack);
                ranks = pack_ranks(v);
                if FLOAT { faithful = faithful && pack_faithful(v); }
            } else if pack == params.packs && params.rest > 0u {
                let v = values_at(pack);
                ranks = pack_ranks(v);
                // What lies behind the last key may look unfaithful: then values are fetched by position, which is
                // slower and as right.
                if FLOAT { faithful = faithful && pack_faithful(v); }
                ranks = pack_within(ranks, 0u, params.rest);
            }
            let best = pack_first_least(ranks);
            least[room(slot)] = best.rank;
            place[room(slot)] = best.slot;
        }
        if FLOAT && !faithful { atomicOr(&flags[0], 1u); }
    }
    workgroupBarrier();
    for (var line = thread; line < TILE_LINES; line += THREADS) {
        let start = line * (LINE_PACKS + 1u);
        var rank = least[start];
        var at = 0u;
        for (var k = 1u; k < LINE_PACKS; k++) {
            let next = least[start + k];
            if key_less(next, rank) {
                rank = next;
                at = k;
            }
        }
        let offset = at * PACK + place[start + at];
        least_of_line[line] = rank;
        place_in_line[line] = offset;
        if tile < params.tiles { line_minima_put(tile * TILE_LINES + line, rank); }
    }
    workgroupBarrier();
    if tile < params.tiles {
        for (var word = thread; word < TILE_LINES / 4u; word += THREADS) {
            let i = word * 4u;
            let bytes = vec4(place_in_line[i], place_in_line[i + 1u], place_in_line[i + 2u], place_in_line[i + 3u]);
            line_offsets_put(tile * (TILE_LINES / 4u) + word, bytes.x | bytes.y << 8u | bytes.z << 16u | bytes.w << 24u);
        }
        for (var block = thread; block < TILE_BLOCKS; block += THREADS) {
            var at = block * BLOCK;
            var rank = least_of_line[at];
            for (var line = block * BLOCK + 1u; line < (block + 1u) * BLOCK; line++) {
                if key_less(least_of_line[line], rank) {
                    rank = least_of_line[line];
                    at = line;
                }
            }
            block_minima_put(tile * TILE_BLOCKS + block, rank);
            block_positions_put(3u * (tile * TILE_BLOCKS + block), stored_position(tile * TILE_LINES + at, place_in_line[at]));
        }
    }
}
