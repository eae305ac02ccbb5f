// How often every digit occurs, for all passes at once: in workgroup memory first, then in all.
struct Params { count: u32, chunks: u32 }

const CHUNK = THREADS * ITEMS;

var<workgroup> counters: array<atomic<u32>, PASSES * DIGITS>;

@compute @workgroup_size(THREADS)
fn histogram_of_all(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) width: u32,
) {
    let thread = subgroup * width + lane;
    let chunk = linear_workgroup(group, groups);
    if chunk >= params.chunks { return; }
    for (var c = thread; c < PASSES * DIGITS; c += THREADS) { atomicStore(&counters[c], 0u); }
    workgroupBarrier();
    // The chunk begins inside the array.
    let start = chunk * CHUNK;
    let valid = min(params.count - start, CHUNK);
    for (var k = 0u; k < ITEMS; k++) {
        let i = k * THREADS + thread;
        let inside = i < valid;
        var rank = WORST;
        if inside { rank = key_rank(keys_at(start + i)); }
        for (var pass_number = 0u; pass_number < PASSES; pass_number++) {
            let digit = rank_digit(rank, pass_number * DIGIT_BITS);
            // Where all threads have the same digit, as in sorted arrays, they would wait for each other.
            if subgroupAll(inside && digit == subgroupBroadcastFirst(digit)) {
                if lane == 0u { atomicAdd(&counters[pass_number * DIGITS + digit], width); }
            } else if inside {
                atomicAdd(&counters[pass_number * DIGITS + digit], 1u);
            }
        }
    }
    workgroupBarrier();
    for (var c = thread; c < PASSES * DIGITS; c += THREADS) {
        let counted = atomicLoad(&counters[c]);
        if counted > 0u { atomicAdd(&histogram[c], counted); }
    }
}
