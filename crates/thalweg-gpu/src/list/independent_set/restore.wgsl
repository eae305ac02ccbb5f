// The sums of the elements that a round took out. Those behind them are known: none was taken out in the same round.
@compute @workgroup_size(THREADS)
fn restore(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let first = params.count - counts[params.round];
    let end = params.count - counts[params.round + 1u];
    for (var k = first + linear_workgroup(group, groups) * THREADS + thread; k < end; k += params.workgroups * THREADS) {
        let i = stack_at(k);
        let record = records_at(i);
        if record.x != NONE {
            records_put(i, record_of(NONE, value_add(value_of(record), value_of(records_at(record.x)))));
        }
    }
}
