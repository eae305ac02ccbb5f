// Tile pairs: a tile with many open elements on one side, against the tiles that answer them, the nearest first.

var<workgroup> run_minima: array<Four, THREADS>;
// Minima of the runs up to and including this one, seen from the searching tile.
var<workgroup> minima_to: array<Key, THREADS>;
var<workgroup> scan: array<u32, THREADS>;
// The open elements, largest first: where in the tile, and their keys.
var<workgroup> open_place: array<u32, TILE>;
var<workgroup> open_key: array<Key, TILE>;
var<workgroup> settled: u32;
var<workgroup> target_block: u32;

@compute @workgroup_size(THREADS)
fn pairs_solve(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let workers = groups.x * groups.y;
    let count = heavy_count[0];
    for (var i = linear_workgroup(group, groups); i < count; i += workers) {
        let task = heavy[2u * i];
        PAIR_SIDES
    }
}
