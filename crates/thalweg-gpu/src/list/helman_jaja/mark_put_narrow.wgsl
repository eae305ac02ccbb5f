// A mark is a word: see `mark_narrow.wgsl`.
fn mark_put(i: u32, sublist: u32, sum: Value, sublists: u32) {
    let bits = countLeadingZeros(sublists);
    if (sum >> bits) != 0u { atomicStore(&status[LONG], 1u); }
    marks_put(i, sublist << bits | sum);
}
