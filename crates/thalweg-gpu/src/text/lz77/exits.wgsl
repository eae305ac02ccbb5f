// Where the chain of phrases from every position leaves its tile of TILE positions. In workgroup memory every position points
// to the next phrase's beginning, or to itself if that is in another tile; pointers are followed twice as far in every
// round. A thread takes ITEMS positions.
struct Params { count: u32, tiles: u32 }

const TILE = THREADS * ITEMS;

var<workgroup> next: array<u32, TILE>;
var<workgroup> changed: atomic<u32>;
var<workgroup> changed_shared: u32;

@compute @workgroup_size(THREADS)
fn exits_of_tiles(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let tile = linear_workgroup(group, groups);
    if tile >= params.tiles { return; }
    let base = tile * TILE;
    let valid = min(params.count - base, TILE);
    for (var at = thread; at < valid; at += THREADS) {
        let length = min(max(matches_at(base + at).x, 1u), TILE);
        next[at] = select(at, at + length, at + length < valid);
    }
    if thread == 0u { atomicStore(&changed, 0u); }
    workgroupBarrier();
    // A chain is at most TILE long, so 2^TILE_LOG steps lead to its end.
    for (var round = 0u; round < TILE_LOG; round++) {
        var further: array<u32, ITEMS>;
        var moves = false;
        @unroll for (var k = 0u; k < ITEMS; k++) {
            let at = k * THREADS + thread;
            if at < valid {
                let to = next[at];
                further[k] = next[to];
                moves = moves || further[k] != to;
            }
        }
        if moves { atomicStore(&changed, 1u); }
        workgroupBarrier();
        @unroll for (var k = 0u; k < ITEMS; k++) {
            let at = k * THREADS + thread;
            if at < valid { next[at] = further[k]; }
        }
        if thread == 0u {
            changed_shared = atomicLoad(&changed);
            atomicStore(&changed, 0u);
        }
        if workgroupUniformLoad(&changed_shared) == 0u { break; }
    }
    for (var at = thread; at < valid; at += THREADS) {
        let last = base + next[at];
        // A phrase ends with the text at the latest.
        exits_put(base + at, last + min(max(matches_at(last).x, 1u), params.count - last));
    }
}
