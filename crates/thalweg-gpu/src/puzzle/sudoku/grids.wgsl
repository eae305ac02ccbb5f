// Solutions as bytes: a thread for four cells. Where there is no solution all words are zero, and so are the cells.
fn digit(cell: u32) -> u32 {
    let puzzle = cell / 81u;
    let row = cell % 81u / 9u;
    let column = cell % 9u;
    let at = 27u * puzzle + 3u * (row % 3u * 3u + column % 3u);
    let in_box = row / 3u * 3u + column / 3u;
    var found = 0u;
    for (var third = 0u; third < 3u; third++) {
        let bits = solved_at(at + third) >> in_box;
        let rest = (bits & 1u) + 2u * ((bits >> 9u) & 1u) + 3u * ((bits >> 18u) & 1u);
        found += select(0u, 3u * third + rest, rest != 0u);
    }
    return found;
}

// Of `a` cells.
fn each(i: u32) {
    var word = 0u;
    for (var k = 0u; k < 4u; k++) {
        if 4u * i + k < params.a { word |= digit(4u * i + k) << (8u * k); }
    }
    bytes_put(i, word);
}
