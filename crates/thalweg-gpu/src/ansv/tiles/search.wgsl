// What the tiles left open: single elements, one thread each, and the first element of tiles that left much open, to find
// out with which tile each must be merged, if with any.

@compute @workgroup_size(THREADS)
fn search_all(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let worker = linear_workgroup(group, groups) * THREADS + thread;
    let workers = groups.x * groups.y * THREADS;
    if WANT_LEFT { left_search(worker, workers); }
    if WANT_RIGHT { right_search(worker, workers); }
    let candidates_count = atomicLoad(&counts[2]);
    for (var i = worker; i < candidates_count; i += workers) {
        let task = candidates[i];
        if WANT_LEFT && (task & 1u) == left_NUMBER { left_candidate(task); }
        if WANT_RIGHT && (task & 1u) == right_NUMBER { right_candidate(task); }
    }
}
