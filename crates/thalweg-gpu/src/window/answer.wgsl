// Writes the answer of window `d` of a row: its rank and, if TRACK, the element's place in the row.
fn answer_put(row: u32, d: u32, rank: Key, place: u32) {
    var j = d;
    if STRIDED {
        j = d / params.stride;
        if j * params.stride != d { return; }
    }
    let i = row * params.count + j;
    let position = row * params.len + place;
    if POSITIONS { positions_put(i, position); }
    if VALUES {
        var bits = key_unrank(rank);
        // Of a zero or a NaN the rank does not tell the bits. Only floats have such, and floats are tracked.
        if TRACK && key_ambiguous(rank) { bits = values_at(position); }
        found_put(i, bits);
    }
}
