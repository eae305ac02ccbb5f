// A mark is a record.
fn mark_put(i: u32, sublist: u32, sum: Value, sublists: u32) { marks_put(i, record_of(sublist, sum)); }
