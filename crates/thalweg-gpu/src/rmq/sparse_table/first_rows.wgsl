// The first rows of the table, each from the one before it, in the workgroup's memory: as many as THREADS has bits behind the first. A workgroup
// makes THREADS entries of each, for which it needs as many more that follow.
var<workgroup> minima: array<Key, 2u * THREADS>;
var<workgroup> places: array<u32, 2u * THREADS>;

@compute @workgroup_size(THREADS)
fn table_first_rows(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let g = linear_workgroup(group, groups) * THREADS + thread;
    for (var half = 0u; half < 2u; half++) {
        // Beyond the last whole window an entry is never read; the last group stands in.
        let source = min(g + half * THREADS, params.groups - 1u);
        minima[half * THREADS + thread] = table_at(source);
        places[half * THREADS + thread] = table_positions_at(source);
    }
    workgroupBarrier();
    for (var row = 1u; row <= FIRST_ROWS; row++) {
        var best: array<Key, 2>;
        var at: array<u32, 2>;
        for (var half = 0u; half < 2u; half++) {
            let own = half * THREADS + thread;
            let other = min(own + (1u << (row - 1u)), 2u * THREADS - 1u);
            let better = key_less(minima[other], minima[own]);
            best[half] = key_select(minima[own], minima[other], better);
            at[half] = select(places[own], places[other], better);
        }
        workgroupBarrier();
        for (var half = 0u; half < 2u; half++) {
            minima[half * THREADS + thread] = best[half];
            places[half * THREADS + thread] = at[half];
        }
        workgroupBarrier();
        if row < params.rows && g < params.groups {
            table_put(row * params.groups + g, best[0]);
            table_positions_put(row * params.groups + g, at[0]);
        }
    }
}
