// The first rounds: blocks are sorted in workgroup memory, by merging neighbouring segments.
struct Params { count: u32, blocks: u32 }

const BLOCK = THREADS * ITEMS;

// Ranks of the block's keys, low words, then high ones where keys have two, and where the keys came from.
var<workgroup> ranks: array<u32, BLOCK * KEY_WORDS>;
var<workgroup> origins: array<u32, BLOCK>;

fn rank_at(i: u32) -> Key {
    var high = 0u;
    if KEY_WORDS == 2u { high = ranks[BLOCK + i]; }
    return key_join(ranks[i], high);
}

fn rank_put(i: u32, rank: Key) {
    ranks[i] = key_low(rank);
    if KEY_WORDS == 2u { ranks[BLOCK + i] = key_high(rank); }
}

@compute @workgroup_size(THREADS)
fn merge_block(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let block = linear_workgroup(group, groups);
    if block >= params.blocks { return; }
    // The block begins inside the array.
    let start = block * BLOCK;
    let valid = min(params.count - start, BLOCK);
    @unroll for (var k = 0u; k < ITEMS; k++) {
        let i = k * THREADS + thread;
        if i < valid { rank_put(i, key_rank(keys_at(start + i))); }
        origins[i] = i;
    }
    for (var segment = 1u; segment < BLOCK; segment *= 2u) {
        workgroupBarrier();
        var own: array<Key, ITEMS>;
        var own_origins: array<u32, ITEMS>;
        var places: array<u32, ITEMS>;
        @unroll for (var k = 0u; k < ITEMS; k++) {
            let i = k * THREADS + thread;
            if i < valid {
                own[k] = rank_at(i);
                own_origins[k] = origins[i];
                let neighbour = neighbour_of(i, segment, valid);
                // The offset in one segment plus the number of elements before in the other: below their lengths.
                places[k] = neighbour.pair + (i - neighbour.own)
                    + before(neighbour.start, 0u, neighbour.length, own[k], !neighbour.is_left);
            }
        }
        workgroupBarrier();
        @unroll for (var k = 0u; k < ITEMS; k++) {
            if k * THREADS + thread < valid {
                rank_put(places[k], own[k]);
                origins[places[k]] = own_origins[k];
            }
        }
    }
    workgroupBarrier();
    @unroll for (var k = 0u; k < ITEMS; k++) {
        let i = k * THREADS + thread;
        if i < valid {
            let origin = start + origins[i];
            if KEEP_KEYS { keys_out_put(start + i, keys_at(origin)); }
            if PAYLOAD_WORDS > 0u { store_payload(start + i, load_payload(origin)); }
        }
    }
}
