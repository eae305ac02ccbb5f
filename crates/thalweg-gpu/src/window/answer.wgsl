// Whether one of the windows from `first` on, `count` of them, is wanted.
fn some_wanted(first: u32, count: u32) -> bool {
    if !STRIDED { return true; }
    let next = (first + params.stride - 1u) / params.stride * params.stride;
    return next < min(first + count, params.dense);
}

// Writes answer `i`, of window `d` of a row: its rank and, if TRACK, the element's place in the row.
fn answer_at(i: u32, row: u32, d: u32, rank: Key, place: u32) {
    if POSITIONS { positions_put(positions_from() + i, origin() + row * params.len + place); }
    if VALUES { found_put(found_from() + i, bits_found(row, d, rank, place)); }
}

// The same, if the window is wanted.
fn answer_put(row: u32, d: u32, rank: Key, place: u32) {
    var j = d;
    if STRIDED {
        j = d / params.stride;
        if j * params.stride != d { return; }
    }
    answer_at(row * params.count + j, row, d, rank, place);
}
