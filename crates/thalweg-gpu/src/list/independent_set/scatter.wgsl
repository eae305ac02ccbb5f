// The sums of the short list, back to the elements.
fn remaining(k: u32, i: u32) { records_put(i, record_of(NONE, value_of(few_at(k)))); }
