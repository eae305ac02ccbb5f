// A mark is a word: the number of the sublist, and what bits are left for the sum.
fn mark_at(i: u32, sublists: u32) -> Record {
    let bits = countLeadingZeros(sublists);
    let mark = marks_at(i);
    return record_of(mark >> bits, mark & ((1u << bits) - 1u));
}
