// What was summed is before the element: its own weight is added.
fn finished(i: u32, value: Value) -> Value { return value_add(value, value_of(records_at(i))); }
