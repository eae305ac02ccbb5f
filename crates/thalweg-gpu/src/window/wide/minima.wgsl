// What is known of blocks, one behind the other in `minima`: minima of their heads, which have as many elements as the last block of
// a window has in it, seen from a tile's first window; of what is behind the heads; of whole blocks, and levels of 16 above
// these. `places` has the places in the row beside them, if TRACK. Zeros are as seen from place 0.
fn minimum_at(i: u32) -> Best {
    var place = 0u;
    if TRACK { place = places_at(i); }
    return Best(minima_at(i), place);
}
