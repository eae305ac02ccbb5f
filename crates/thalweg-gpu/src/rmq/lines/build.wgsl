// Builds the `lines` index, bottom up: `lines` makes the minima of lines and blocks, `groups` the records of the blocks
// and the first row of the table, `table` the other rows.
//
// All arrays of lines and blocks are filled up to whole tiles, so no thread of a tile inside the array writes outside
// them.
const TILE_LINES = TILE_PACKS * PACK / LINE;
const TILE_BLOCKS = TILE_LINES / BLOCK;
const LINE_PACKS = LINE / PACK;
const BLOCK_PACKS = BLOCK * LINE_PACKS;

// One entry of room behind every line: threads that read a line each then meet different banks.
var<workgroup> least: array<Key, TILE_PACKS + TILE_LINES>;
var<workgroup> place: array<u32, TILE_PACKS + TILE_LINES>;

fn room(slot: u32) -> u32 { return slot + slot / LINE_PACKS; }
var<workgroup> least_of_line: array<Key, TILE_LINES>;
var<workgroup> place_in_line: array<u32, TILE_LINES>;

// Blocks whose elements do not ascend (1, ties allowed) or do not strictly descend (2).
var<workgroup> broken: array<atomic<u32>, TILE_BLOCKS>;

// The ranks of a pack; what lies behind the array has the worst.
fn ranks_of(pack: u32) -> Pack {
    if pack < params.packs { return pack_ranks(values_at(pack)); }
    if pack == params.packs && params.rest > 0u { return pack_within(pack_ranks(values_at(pack)), 0u, params.rest); }
    return ALL_WORST;
}

// What the index stores for element `offset` of a line: its position where that fits, else only the line.
fn stored_position(line: u32, offset: u32) -> u32 {
    if WIDE { return line; }
    return line * LINE + offset;
}

// Counts places of the array where two packs are in order. Only if many are, `lines` asks which blocks are: elsewhere it
// would be for nothing. The last sample's second pack lies inside the array.
@compute @workgroup_size(THREADS)
fn sample(@builtin(local_invocation_index) thread: u32) {
    if thread >= params.samples { return; }
    let pack = thread * params.stride;
    let second = ranks_of(pack + 1u);
    if (pack_breaks_before(ranks_of(pack), pack_key(second, 0u)) | pack_breaks(second)) != 3u { atomicAdd(&flags[2], 1u); }
}

@compute @workgroup_size(THREADS)
fn lines(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) width: u32,
) {
    let tile = params.first + linear_workgroup(group, groups);
    for (var block = thread; block < TILE_BLOCKS; block += THREADS) { atomicStore(&broken[block], 0u); }
    // What is made anew is asked if the rest was.
    let ordered = ORDERED || (!AGAIN && 4u * atomicLoad(&flags[2]) > params.samples);
    // The thread whose pack follows this one's, if it is in the subgroup.
    let follower = subgroupShuffleDown(thread, 1u);
    let followed = lane + 1u < width && follower == thread + 1u;
    // Two bits for every pack that this thread reads: see `broken`.
    var breaks = 0u;
    // The last row of workgroups may reach beyond the tiles. `tile` is the same for the whole workgroup.
    if tile < params.tiles {
        var faithful = true;
        // Everything is asked for before anything is looked at. `tile` is inside, so the first number is.
        var packs: array<Pack, TURNS>;
        if params.packs - tile * TILE_PACKS >= TILE_PACKS {
            @unroll for (var k = 0u; k < TURNS; k++) { packs[k] = values_at(tile * TILE_PACKS + k * THREADS + thread); }
            @unroll for (var k = 0u; k < TURNS; k++) {
                if FLOAT { faithful = faithful && pack_faithful(packs[k]); }
                packs[k] = pack_ranks(packs[k]);
            }
        } else {
            @unroll for (var k = 0u; k < TURNS; k++) {
                let pack = tile * TILE_PACKS + k * THREADS + thread;
                // What lies behind the last key may look unfaithful: then values are fetched by position, which is slower
                // and as right.
                if FLOAT && (pack < params.packs || (pack == params.packs && params.rest > 0u)) {
                    faithful = faithful && pack_faithful(values_at(pack));
                }
                packs[k] = ranks_of(pack);
            }
        }
        @unroll for (var k = 0u; k < TURNS; k++) {
            let slot = k * THREADS + thread;
            let pack = tile * TILE_PACKS + slot;
            let ranks = packs[k];
            if ordered {
                var next = key_shuffle_down(pack_key(ranks, 0u), 1u);
                if (slot + 1u) % BLOCK_PACKS == 0u {
                    breaks |= pack_breaks(ranks) << (2u * k);
                } else {
                    if !followed { next = pack_key(ranks_of(pack + 1u), 0u); }
                    breaks |= pack_breaks_before(ranks, next) << (2u * k);
                }
            }
            let best = pack_first_least(ranks);
            least[room(slot)] = best.rank;
            place[room(slot)] = best.slot;
        }
        if FLOAT && !faithful { atomicOr(&flags[0], 1u); }
    }
    workgroupBarrier();
    if ordered {
        for (var k = 0u; k < TURNS; k++) {
            let block = (k * THREADS + thread) / BLOCK_PACKS;
            let bits = breaks >> (2u * k) & 3u;
            if (bits & ~atomicLoad(&broken[block])) != 0u { atomicOr(&broken[block], bits); }
        }
    }
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
            let order = ~atomicLoad(&broken[block]) & 3u;
            let number = tile * TILE_BLOCKS + block;
            if AGAIN { atomicAnd(&monotone[number / 16u], ~(3u << (2u * (number % 16u)))); }
            if ordered && order != 0u {
                atomicOr(&monotone[number / 16u], order << (2u * (number % 16u)));
                atomicAdd(&flags[1], 1u);
            }
            block_minima_put(tile * TILE_BLOCKS + block, rank);
            block_positions_put(3u * (tile * TILE_BLOCKS + block), stored_position(tile * TILE_LINES + at, place_in_line[at]));
        }
    }
}
