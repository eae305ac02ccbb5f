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

// The answer of window `d` of a row, if it is wanted.
struct Wanted { i: u32, is: bool }
fn wanted(row: u32, d: u32) -> Wanted {
    var j = d;
    if STRIDED { j = d / params.stride; }
    return Wanted(row * params.count + j, !STRIDED || j * params.stride == d);
}

// The same, if the window is wanted.
fn answer_put(row: u32, d: u32, rank: Key, place: u32) {
    let to = wanted(row, d);
    if to.is { answer_at(to.i, row, d, rank, place); }
}

// The same, of an element whose bits are known.
fn element_put(row: u32, d: u32, bits: Key, place: u32) {
    let to = wanted(row, d);
    if !to.is { return; }
    if POSITIONS { positions_put(positions_from() + to.i, origin() + row * params.len + place); }
    if VALUES { found_put(found_from() + to.i, bits); }
}
