// A tile: ITEMS elements for every thread.
const TILE = THREADS * ITEMS;

// The rank of an element of a row, WORST where there is none.
fn rank_at(row: u32, place: u32) -> Key {
    if place >= params.len || row >= params.rows { return WORST; }
    return key_rank(values_at(row * params.len + place));
}
