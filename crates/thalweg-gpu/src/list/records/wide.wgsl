// One sum of 64 bits, the low word first: sixteen bytes a record.
alias Value = vec2<u32>;
alias Record = vec4<u32>;
const NONE = 0xffffffffu;
fn record_of(link: u32, value: Value) -> Record { return vec4(link, value, 0u); }
fn value_of(record: Record) -> Value { return record.yz; }
fn value_add(a: Value, b: Value) -> Value {
    let low = a.x + b.x;
    return vec2(low, a.y + b.y + select(0u, 1u, low < a.x));
}
fn value_subtract(a: Value, b: Value) -> Value { return vec2(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x)); }
