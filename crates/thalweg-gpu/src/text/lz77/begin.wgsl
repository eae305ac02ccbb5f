// Where phrases begin, as bits: a workgroup loads the lengths of its tile, and one of its threads walks from where the chain
// comes in.
struct Params { count: u32, tiles: u32 }

const TILE = THREADS * ITEMS;

var<workgroup> lengths: array<u32, TILE>;
var<workgroup> bits: array<u32, TILE / 32u>;

@compute @workgroup_size(THREADS)
fn phrases_begin(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let tile = linear_workgroup(group, groups);
    if tile >= params.tiles { return; }
    let base = tile * TILE;
    let valid = min(params.count - base, TILE);
    for (var at = thread; at < valid; at += THREADS) { lengths[at] = min(max(matches_at(base + at).x, 1u), TILE); }
    for (var word = thread; word < TILE / 32u; word += THREADS) { bits[word] = 0u; }
    workgroupBarrier();
    let entry = entries_at(tile);
    if thread == 0u && entry != NO_ENTRY {
        // Below 2 TILE.
        for (var at = entry - base; at < valid; at += lengths[at]) { bits[at / 32u] |= 1u << (at & 31u); }
    }
    workgroupBarrier();
    for (var word = thread; 32u * word < valid; word += THREADS) { begins_put(base / 32u + word, bits[word]); }
}
