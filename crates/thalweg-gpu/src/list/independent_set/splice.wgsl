// An element with coin 0 takes over the link of the one behind it if that has coin 1. The latter is changed by nobody
// then, and its record stays as it is from now on: its sum is its own value and the sum behind its link.
@compute @workgroup_size(THREADS)
fn splice(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let there = counts[params.round];
    // The count is at most 2^31, and all threads of a dispatch are fewer than 2^31.
    for (var k = linear_workgroup(group, groups) * THREADS + thread; k < there; k += params.workgroups * THREADS) {
        let j = member(k);
        if coin(j) == 0u {
            let record = records_at(j);
            let i = record.x;
            if i != NONE && coin(i) == 1u {
                let other = records_at(i);
                records_put(j, record_of(other.x, value_add(value_of(record), value_of(other))));
                atomicOr(&taken[i >> 5u], 1u << (i & 31u));
            }
        }
    }
}
