// The best of two-word keys, by rank.
alias Value = Key;
const IDENTITY: Value = WORST;
fn combine(a: Value, b: Value) -> Value { return key_min(a, b); }
fn value_of(bits: Key) -> Value { return key_rank(bits); }
fn bits_of(value: Value) -> Key {
    return select(key_unrank(value), vec2(NOTHING_LOW, NOTHING_HIGH), key_equal(value, WORST));
}
