// How many words are not zero.
alias Value = u32;
const IDENTITY: Value = 0u;
fn combine(a: Value, b: Value) -> Value { return a + b; }
fn value_of(bits: u32) -> Value { return select(0u, 1u, bits != 0u); }
fn bits_of(value: Value) -> u32 { return value; }
fn value_shuffle(v: Value, lane: u32) -> Value { return subgroupShuffle(v, lane); }
fn value_shuffle_up(v: Value) -> Value { return subgroupShuffleUp(v, 1u); }
// By shuffles: NVIDIA's own inclusive addition is slower.
// Lanes beyond the subgroup's width ask for nothing: `lane` is smaller than any `step` they could be asked for.
fn subgroup_scan(v: Value, lane: u32) -> Value {
    var running = v;
    @unroll for (var log = 0u; log < WIDTH_LOG; log++) {
        let other = subgroupShuffleUp(running, 1u << log);
        if lane >= (1u << log) { running += other; }
    }
    return running;
}
fn subgroup_reduce(v: Value, width: u32) -> Value { return subgroupAdd(v); }
