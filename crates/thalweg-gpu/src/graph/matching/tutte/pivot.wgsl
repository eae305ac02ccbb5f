// The second half of a step: the row of the second vertex, and a pivot on the two, which waits.
var<workgroup> inverse: u32;

@compute @workgroup_size(THREADS)
fn pivot(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let step = atomicLoad(&journal[1]);
    let next = atomicLoad(&journal[2u * step + 2u]);
    let q = atomicLoad(&journal[2u * step + 3u]);
    let slot = 2u * ((step - 1u) % PIVOTS);
    let column = thread % COLUMNS;
    let j = group.x * COLUMNS + column;
    if group.x == 0u && thread == 0u { atomicStore(&journal[0], step + 1u); }
    if next > params.size || q == NOBODY {
        // Nothing waits here. What the rows have does not matter then.
        if thread < 2u * COLUMNS { columns_put((slot + thread / COLUMNS) * params.stride + j, 0u); }
        return;
    }
    let p = next - 1u;
    load_coefficients(q, slot, thread);
    if thread == THREADS - 1u { inverse = invert(rows_at(slot * params.stride + q)); }
    workgroupBarrier();
    slices[thread] = slice_of(j, slot, thread / COLUMNS);
    workgroupBarrier();
    if thread < COLUMNS {
        // Of the first row, other workgroups read only what is at q, and that stays.
        let r = select(rows_at(slot * params.stride + j), PRIME - 1u, j == p);
        let s = select(add(matrix_at(q * params.stride + j), sum_of(column)), PRIME - 1u, j == q);
        rows_put(slot * params.stride + j, r);
        rows_put((slot + 1u) * params.stride + j, s);
        columns_put(slot * params.stride + j, mul(s, inverse));
        columns_put((slot + 1u) * params.stride + j, negate(mul(r, inverse)));
    }
    if group.x == 0u && thread == 0u {
        atomicStore(&stamps[p], step);
        atomicStore(&stamps[q], step);
    }
}
