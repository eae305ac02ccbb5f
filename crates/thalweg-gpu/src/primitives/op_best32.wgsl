// The best of one-word keys, by rank.
alias Value = Key;
const IDENTITY: Value = WORST;
fn combine(a: Value, b: Value) -> Value { return min(a, b); }
fn value_of(bits: Key) -> Value { return key_rank(bits); }
fn bits_of(value: Value) -> Key { return select(key_unrank(value), NOTHING_LOW, value == WORST); }
fn value_shuffle(v: Value, lane: u32) -> Value { return subgroupShuffle(v, lane); }
fn value_shuffle_up(v: Value) -> Value { return subgroupShuffleUp(v, 1u); }
// Lanes beyond the subgroup's width ask for nothing: `lane` is smaller than any `step` they could be asked for.
fn subgroup_scan(v: Value, lane: u32) -> Value {
    var running = v;
    @unroll for (var log = 0u; log < WIDTH_LOG; log++) {
        let step = 1u << log;
        let other = subgroupShuffleUp(running, step);
        if lane >= step { running = min(running, other); }
    }
    return running;
}
fn subgroup_reduce(v: Value, width: u32) -> Value { return subgroupMin(v); }
