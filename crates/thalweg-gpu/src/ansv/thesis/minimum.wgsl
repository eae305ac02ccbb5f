// Kernel 1: the smallest element of every subset, and where it is.
struct Params { count: u32, subsets: u32 }

var<workgroup> key_of: array<Key, THREADS>;
var<workgroup> place_of: array<u32, THREADS>;

@compute @workgroup_size(THREADS)
fn minimum(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let subset = linear_workgroup(group, groups);
    // With it, `subset * SUBSET < count`: nothing below wraps around.
    if subset >= params.subsets { return; }
    let first = subset * SUBSET;
    let valid = min(SUBSET, params.count - first);
    var best = WORST;
    var place = NONE;
    for (var i = thread * PART; i < min(valid, (thread + 1u) * PART); i++) {
        let key = key_rank(values_at(first + i));
        if place == NONE || smaller_right(key, best) {
            best = key;
            place = i;
        }
    }
    key_of[thread] = best;
    place_of[thread] = place;
    for (var step = 1u; step < THREADS; step <<= 1u) {
        workgroupBarrier();
        let other = thread + step;
        if thread % (2u * step) == 0u && other < THREADS && place_of[other] != NONE && smaller_right(key_of[other], key_of[thread]) {
            key_of[thread] = key_of[other];
            place_of[thread] = place_of[other];
        }
    }
    if thread == 0u {
        minimum_key_put(subset, key_of[0]);
        minimum_at_put(subset, first + place_of[0]);
    }
}
