// The sum of a range of places: a difference of running totals.
fn each(i: u32) {
    let range = ranges_at(i);
    var sum = totals_at(range.y);
    if range.x > 0u { sum = key_subtract(sum, totals_at(range.x - 1u)); }
    out_put(i, sum);
}
