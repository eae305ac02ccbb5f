// The best key, by rank.
alias Value = Key;
const IDENTITY: Value = WORST;
fn combine(a: Value, b: Value) -> Value { return key_min(a, b); }
fn value_of(bits: Key) -> Value { return key_rank(bits); }
// The identity's bits are given: no key need have its rank.
fn bits_of(value: Value) -> Key {
    return key_select(key_unrank(value), key_join(NOTHING_LOW, NOTHING_HIGH), key_equal(value, WORST));
}
fn value_shuffle(v: Value, lane: u32) -> Value { return key_shuffle(v, lane); }
fn value_shuffle_up(v: Value, delta: u32) -> Value { return key_shuffle_up(v, delta); }
fn value_shuffle_xor(v: Value, mask: u32) -> Value { return key_shuffle_xor(v, mask); }
fn subgroup_reduce(v: Value, width: u32) -> Value {
    if KEY_WORDS == 1u { return key_join(subgroupMin(key_low(v)), 0u); }
    return reduce_by_shuffles(v, width);
}
