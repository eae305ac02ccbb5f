// How many words are not zero.
alias Value = u32;
const IDENTITY: Value = 0u;
fn combine(a: Value, b: Value) -> Value { return a + b; }
fn value_of(bits: u32) -> Value { return select(0u, 1u, bits != 0u); }
fn bits_of(value: Value) -> u32 { return value; }
fn value_shuffle(v: Value, lane: u32) -> Value { return subgroupShuffle(v, lane); }
fn value_shuffle_up(v: Value) -> Value { return subgroupShuffleUp(v, 1u); }
fn subgroup_scan(v: Value, lane: u32) -> Value { return subgroupInclusiveAdd(v); }
fn subgroup_reduce(v: Value, width: u32) -> Value { return subgroupAdd(v); }
