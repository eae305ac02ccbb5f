// Kernel 2: a workgroup for every element of a short array, which looks at all others.
struct Params { count: u32 }

@compute @workgroup_size(THREADS)
fn brute(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let at = linear_workgroup(group, groups);
    if at >= params.count { return; }
    let key = key_rank(values_at(at));
    let part = (params.count + THREADS - 1u) / THREADS;
    let end = min((thread + 1u) * part, params.count);
    var found = vec2(0u, NONE);
    for (var i = thread * part; i < end; i++) {
        let other = key_rank(values_at(i));
        if i < at && smaller_left(other, key) { found.x = i + 1u; }
        if i > at && found.y == NONE && smaller_right(other, key) { found.y = i; }
    }
    let all = nearest_of_all(thread, found);
    if thread == 0u {
        if WANT_LEFT { left_put(at, all.x - 1u); }
        if WANT_RIGHT { right_put(at, all.y); }
    }
}
