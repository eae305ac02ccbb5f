// What all operations on two words share: exchange between the threads of a subgroup by shuffles.
fn value_shuffle(v: Value, lane: u32) -> Value {
    return vec2(subgroupShuffle(v.x, lane), subgroupShuffle(v.y, lane));
}
fn value_shuffle_up(v: Value) -> Value { return vec2(subgroupShuffleUp(v.x, 1u), subgroupShuffleUp(v.y, 1u)); }
fn subgroup_scan(v: Value, lane: u32) -> Value {
    var running = v;
    @unroll for (var log = 0u; log < WIDTH_LOG; log++) {
        let step = 1u << log;
        let other = vec2(subgroupShuffleUp(running.x, step), subgroupShuffleUp(running.y, step));
        if lane >= step { running = combine(running, other); }
    }
    return running;
}
fn subgroup_reduce(v: Value, width: u32) -> Value {
    var all = v;
    for (var step = 1u; step < width; step *= 2u) {
        all = combine(all, vec2(subgroupShuffleXor(all.x, step), subgroupShuffleXor(all.y, step)));
    }
    return all;
}
