// Where a key differs from the one before it a group begins: its rank is its place in the suffix array. With the scan, the
// others get it, too.
fn each(i: u32) {
    var head = 0u;
    var begins = i == 0u;
    if i > 0u { begins = any(keys_at(i) != keys_at(i - 1u)); }
    if begins { head = slot_of(i); }
    heads_put(i, head);
}
