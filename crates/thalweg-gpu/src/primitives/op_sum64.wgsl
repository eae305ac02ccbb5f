// Sums of two words, wrapping around.
alias Value = vec2<u32>;
const IDENTITY: Value = vec2<u32>(0u, 0u);
fn combine(a: Value, b: Value) -> Value {
    let low = a.x + b.x;
    return vec2(low, a.y + b.y + select(0u, 1u, low < a.x));
}
fn value_of(bits: vec2<u32>) -> Value { return bits; }
fn bits_of(value: Value) -> vec2<u32> { return value; }
