// Counts: sums of one word, whatever is counted.
alias Value = u32;
const IDENTITY: Value = 0u;
fn combine(a: Value, b: Value) -> Value { return a + b; }
fn value_shuffle(v: Value, lane: u32) -> Value { return subgroupShuffle(v, lane); }
fn value_shuffle_up(v: Value, delta: u32) -> Value { return subgroupShuffleUp(v, delta); }
fn value_shuffle_xor(v: Value, mask: u32) -> Value { return subgroupShuffleXor(v, mask); }
fn subgroup_reduce(v: Value, width: u32) -> Value { return subgroupAdd(v); }
