// Tells the first `a` elements of every row.
fn each(i: u32) {
    let row = rows_at(i);
    let place = i - starts_at(row);
    if place < params.a { out_put(row * params.a + place, position_of(nodes_at(order_at(i)), 0u)); }
}
