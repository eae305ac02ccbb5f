// Exchange between the threads of a subgroup by shuffles, whatever the operation.

// NVIDIA's own inclusive addition is slower.
// Lanes beyond the subgroup's width ask for nothing: `lane` is smaller than any `step` they could be asked for.
fn subgroup_scan(v: Value, lane: u32) -> Value {
    var running = v;
    @unroll for (var log = 0u; log < WIDTH_LOG; log++) {
        let step = 1u << log;
        let other = value_shuffle_up(running, step);
        if lane >= step { running = combine(running, other); }
    }
    return running;
}

// For values that subgroups have no operation for.
fn reduce_by_shuffles(v: Value, width: u32) -> Value {
    var all = v;
    for (var step = 1u; step < width; step *= 2u) { all = combine(all, value_shuffle_xor(all, step)); }
    return all;
}
