// A mark is a record.
fn mark_at(i: u32, sublists: u32) -> Record { return marks_at(i); }
