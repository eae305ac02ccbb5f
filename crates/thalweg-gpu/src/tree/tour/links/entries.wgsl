// Behind every node's entry: its first child, counted from 1, or none. And the first root.
fn first_at(place: u32, end: u32) -> u32 {
    if place < end { return nodes_at(place) + 1u; }
    return 0u;
}

fn each(i: u32) {
    links_put(2u * i, first_at(offsets_at(i), offsets_at(i + 1u)));
    if i == 0u { links_put(2u * params.count, first_at(offsets_at(params.count), params.count)); }
}
