// How often every digit occurs in every tile, digit by digit.
struct Params { count: u32, tiles: u32, shift: u32, pass_number: u32 }

const TILE = THREADS * ITEMS;

var<workgroup> counters: array<atomic<u32>, DIGITS>;

@compute @workgroup_size(THREADS)
fn digits_of_tiles(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) size: u32,
) {
    let width = fixed_width(size);
    let thread = subgroup * width + lane;
    let tile = linear_workgroup(group, groups);
    if tile >= params.tiles { return; }
    if thread < DIGITS { atomicStore(&counters[thread], 0u); }
    workgroupBarrier();
    // The tile begins inside the array.
    let start = tile * TILE;
    let valid = min(params.count - start, TILE);
    var digits: array<u32, ITEMS>;
    @unroll for (var k = 0u; k < ITEMS; k++) {
        let i = k * THREADS + thread;
        if i < valid { digits[k] = rank_digit(key_rank(keys_at(start + i)), params.shift); }
    }
    @unroll for (var k = 0u; k < ITEMS; k++) {
        if k * THREADS + thread < valid { atomicAdd(&counters[digits[k]], 1u); }
    }
    workgroupBarrier();
    if thread < DIGITS { counts_put(thread * params.tiles + tile, atomicLoad(&counters[thread])); }
}
