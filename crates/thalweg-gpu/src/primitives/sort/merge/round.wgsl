// A round: every element finds its place in the two segments merged.
//
// A tile is part of one segment, so its elements ascend, and so do their places: the first and the last one are searched
// for in the whole neighbouring segment, the others between these.
struct Params { count: u32, tiles: u32, segment: u32 }

const TILE = THREADS * ITEMS;

var<workgroup> ends: array<u32, 2>;

fn rank_at(i: u32) -> Key { return key_rank(keys_at(i)); }

@compute @workgroup_size(THREADS)
fn merge_round(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let tile = linear_workgroup(group, groups);
    if tile >= params.tiles { return; }
    // The tile begins inside the array, and segments are multiples of tiles.
    let start = tile * TILE;
    let valid = min(params.count - start, TILE);
    let neighbour = neighbour_of(start, params.segment, params.count);
    if thread < 2u {
        let i = select(start, start + valid - 1u, thread == 1u);
        ends[thread] = before(neighbour.start, 0u, neighbour.length, rank_at(i), !neighbour.is_left);
    }
    workgroupBarrier();
    @unroll for (var k = 0u; k < ITEMS; k++) {
        let i = k * THREADS + thread;
        if i < valid {
            let key = keys_at(start + i);
            // The offset in one segment plus the number of elements before in the other: below their lengths.
            let place = neighbour.pair + (start + i - neighbour.own)
                + before(neighbour.start, ends[0], ends[1], key_rank(key), !neighbour.is_left);
            if KEEP_KEYS { keys_out_put(place, key); }
            if PAYLOAD_WORDS > 0u { store_payload(place, load_payload(start + i)); }
        }
    }
}
