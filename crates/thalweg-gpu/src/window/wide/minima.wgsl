// What is known of blocks, one behind the other in `minima`: minima of their heads, which have as many elements as the last block of
// a window has in it, seen from a tile's first window; of what is behind the heads; which blocks are in order; and minima of whole blocks, and
// levels of 16 above these. `places` has the places in the row beside them, if TRACK. Zeros are as seen from place 0.

// A block in order: no element is better than the one before it; or none is worse, nor as good if TRACK, than the one before the block, too. It
// lies inside its row.
const WORSENS = 1u;
const IMPROVES = 2u;
// Its elements have been written as the answers of the windows that begin with them, or that end with them.
const WORSENS_AHEAD = 4u;
const IMPROVES_AHEAD = 8u;
fn minimum_at(i: u32) -> Best {
    var place = 0u;
    if TRACK { place = places_at(i); }
    return Best(minima_at(i), place);
}
