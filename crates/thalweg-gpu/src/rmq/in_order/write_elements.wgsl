// What was found are elements. Nodes of a row lie next to each other: the first and the last one know where its elements are.
fn note(i: u32, begin: u32, count: u32) {
    let row = rows_at(i);
    if i == 0u || rows_at(i - 1u) != row { ends_put(2u * row, begin); }
    if i + 1u == params.count || rows_at(i + 1u) != row { ends_put(2u * row + 1u, begin + count); }
}
fn put(place: u32, i: u32, node: u32, bit: u32) { positions_put(place, position_of(node << 5u | bit, node >> 27u)); }
