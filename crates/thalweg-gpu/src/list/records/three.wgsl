// Three sums of 32 bits: sixteen bytes a record.
alias Value = vec3<u32>;
alias Record = vec4<u32>;
const NONE = 0xffffffffu;
fn record_of(link: u32, value: Value) -> Record { return vec4(link, value); }
fn value_of(record: Record) -> Value { return record.yzw; }
fn value_add(a: Value, b: Value) -> Value { return a + b; }
fn value_subtract(a: Value, b: Value) -> Value { return a - b; }
