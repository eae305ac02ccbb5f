// Rows `row + 1` to `row + ROWS` of the table, each from row `row`: entry g of row k is the best of 2^k groups from g on.
@compute @workgroup_size(THREADS)
fn table_rows(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let g = linear_workgroup(group, groups) * THREADS + thread;
    if g >= params.groups { return; }
    let base = params.row * params.groups;
    var best = table_at(base + g);
    var at = table_positions_at(base + g);
    for (var k = 1u; k <= ROWS; k++) {
        if params.row + k >= params.rows { break; }
        for (var i = 1u << (k - 1u); i < 1u << k; i++) {
            // Beyond the last whole window an entry is never read; the last group stands in. Table entries are fewer
            // than 2^32: there are at most 2^22 groups.
            let source = base + min(g + (i << params.row), params.groups - 1u);
            let next = table_at(source);
            if key_less(next, best) {
                best = next;
                at = table_positions_at(source);
            }
        }
        table_put(base + k * params.groups + g, best);
        table_positions_put(base + k * params.groups + g, at);
    }
}
