// The first half of a step: the next vertex that is left, its row, and the first vertex to pivot with. In the sweep that is any
// vertex that is left and whose entry in the row is not 0; in the extraction, EDGES, there must be an edge, too.

// Whether there is an edge: rows are in increasing order.
fn has_edge(p: u32, q: u32) -> bool {
    var first = offsets_at(p);
    let end = offsets_at(p + 1u);
    // The first target that is not less than q.
    var count = end - first;
    while count > 0u {
        let half = count / 2u;
        if targets_at(first + half) < q {
            first += half + 1u;
            count -= half + 1u;
        } else {
            count = half;
        }
    }
    return first < end && targets_at(min(first, end - 1u)) == q;
}

@compute @workgroup_size(THREADS)
fn find(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let step = atomicLoad(&journal[0]);
    let p = first_left(atomicLoad(&journal[2u * step]), step, thread);
    if group.x == 0u && thread == 0u {
        atomicStore(&journal[1], step);
        atomicStore(&journal[2u * step + 2u], p + 1u);
    }
    if p >= params.size { return; }
    let slot = 2u * ((step - 1u) % PIVOTS);
    load_coefficients(p, slot, thread);
    workgroupBarrier();
    let column = thread % COLUMNS;
    let j = group.x * COLUMNS + column;
    slices[thread] = slice_of(j, slot, thread / COLUMNS);
    workgroupBarrier();
    if thread < COLUMNS {
        let entry = add(matrix_at(p * params.stride + j), sum_of(column));
        rows_put(slot * params.stride + j, entry);
        // Those before `p` that are left have nothing but zeros between them and never will.
        if entry != 0u && j > p && j < params.size && is_left(j, step) && (!EDGES || has_edge(p, j)) {
            atomicMin(&least, j);
        }
    }
    let q = smallest(thread);
    if thread == 0u && q != NOBODY { atomicMin(&journal[2u * step + 3u], q); }
}
