// How often every digit occurs, for all passes at once: in workgroup memory first, then in all.
struct Params { count: u32, chunks: u32 }

const CHUNK = THREADS * ROUNDS * PACKS * PACK;

var<workgroup> counters: array<atomic<u32>, PASSES * DIGITS>;

@compute @workgroup_size(THREADS)
fn histogram_of_all(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) size: u32,
) {
    let width = fixed_width(size);
    let thread = subgroup * width + lane;
    let chunk = linear_workgroup(group, groups);
    if chunk >= params.chunks { return; }
    for (var c = thread; c < PASSES * DIGITS; c += THREADS) { atomicStore(&counters[c], 0u); }
    workgroupBarrier();
    // The chunk begins inside the array.
    let start = chunk * CHUNK;
    let valid = min(params.count - start, CHUNK);
    for (var round = 0u; round < ROUNDS; round++) {
        var packs: array<vec4<u32>, PACKS>;
        @unroll for (var v = 0u; v < PACKS; v++) {
            let i = (round * PACKS + v) * THREADS + thread;
            // The last pack may reach beyond the array, but not beyond its buffer.
            if i * PACK < valid { packs[v] = keys_at(start / PACK + i); }
        }
        @unroll for (var v = 0u; v < PACKS; v++) {
            @unroll for (var j = 0u; j < PACK; j++) {
                let inside = ((round * PACKS + v) * THREADS + thread) * PACK + j < valid;
                let rank = key_rank(pack_key(packs[v], j));
                @unroll for (var pass_number = 0u; pass_number < PASSES; pass_number++) {
                    let digit = rank_digit(rank, pass_number * DIGIT_BITS);
                    if inside { atomicAdd(&counters[pass_number * DIGITS + digit], 1u); }
                }
            }
        }
    }
    workgroupBarrier();
    for (var c = thread; c < PASSES * DIGITS; c += THREADS) {
        let counted = atomicLoad(&counters[c]);
        if counted > 0u { atomicAdd(&histogram[c], counted); }
    }
}
