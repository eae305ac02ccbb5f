// Kernel 4: the neighbours of the subsets' minima. Kernel 2, or the recursion, has told in which subsets they are.
struct Params { count: u32, subsets: u32 }

@compute @workgroup_size(THREADS)
fn global(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let subset = linear_workgroup(group, groups);
    if subset >= params.subsets { return; }
    let key = minimum_key[subset];
    let i = left_subset[subset];
    let j = right_subset[subset];
    // One more than the position to the left, the position to the right.
    var found = vec2(0u, NONE);
    if i != NONE {
        // A subset to the left of another is complete.
        for (var k = thread * PART; k < (thread + 1u) * PART; k++) {
            if smaller_left(key_rank(values_at(i * SUBSET + k)), key) { found.x = i * SUBSET + k + 1u; }
        }
    }
    if j != NONE {
        let end = min(min(SUBSET, params.count - j * SUBSET), (thread + 1u) * PART);
        for (var k = thread * PART; k < end && found.y == NONE; k++) {
            if smaller_right(key_rank(values_at(j * SUBSET + k)), key) { found.y = j * SUBSET + k; }
        }
    }
    let all = nearest_of_all(thread, found);
    if thread == 0u {
        neighbours_put(subset, vec2(all.x - 1u, all.y));
    }
}
