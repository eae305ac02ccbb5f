// The sum of an element, of the sum of its sublist and of what is before it there: to the end, the element included,
// or from the head, without it. No mark is left at elements of cycles; what is found there instead must not lead out
// of the array, which has `sublists` sums.
fn of_element(i: u32, sublists: u32) -> Value {
    let mark = mark_at(i, sublists);
    let total = value_of(totals_at(min(mark.x, sublists - 1u)));
    if TO_END { return value_subtract(total, value_of(mark)); }
    return value_add(total, value_of(mark));
}
