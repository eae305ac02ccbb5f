// The bits of the best element of window `d` of a row: from its rank and, if TRACK, its place in the row.
fn bits_found(row: u32, d: u32, rank: Key, place: u32) -> Key {
    let first = row * params.len;
    var bits = bits_of(rank);
    if FLOAT && TRACK {
        // Of a zero or a NaN the rank does not tell the bits.
        if key_ambiguous(rank) { bits = values_at(first + place); }
    } else if FLOAT {
        // All are NaN: the first.
        if key_equal(rank, WORST) { bits = values_at(first + max(d, params.before) - params.before); }
    }
    return bits;
}
