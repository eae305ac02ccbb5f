// Sums of one or two words, wrapping around.
alias Value = Key;
const IDENTITY: Value = Value();
fn combine(a: Value, b: Value) -> Value { return key_add(a, b); }
fn value_of(bits: Key) -> Value { return bits; }
// Of one word only the bits that the elements have.
fn bits_of(value: Value) -> Key { return key_join(key_low(value) & MASK, key_high(value)); }
fn value_shuffle(v: Value, lane: u32) -> Value { return key_shuffle(v, lane); }
fn value_shuffle_up(v: Value, delta: u32) -> Value { return key_shuffle_up(v, delta); }
fn value_shuffle_xor(v: Value, mask: u32) -> Value { return key_shuffle_xor(v, mask); }
fn subgroup_reduce(v: Value, width: u32) -> Value {
    if KEY_WORDS == 1u { return key_join(subgroupAdd(key_low(v)), 0u); }
    return reduce_by_shuffles(v, width);
}
