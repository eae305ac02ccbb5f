// One sum of 32 bits: eight bytes a record.
alias Value = u32;
alias Record = vec2<u32>;
const NONE = 0xffffffffu;
fn record_of(link: u32, value: Value) -> Record { return vec2(link, value); }
fn value_of(record: Record) -> Value { return record.y; }
fn value_add(a: Value, b: Value) -> Value { return a + b; }
fn value_subtract(a: Value, b: Value) -> Value { return a - b; }
