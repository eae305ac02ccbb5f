// What is known of blocks, one behind the other in `minima`: minima of their heads, which have as many elements as the last block of
// a window has in it, seen from a tile's first window; of what is behind the heads; of whole blocks, and levels of 16 above
// these; and of every tile's core. `places` has the places in the row beside them, if TRACK.
fn minimum_at(i: u32) -> Best {
    var place = 0u;
    if TRACK { place = places_at(i); }
    return Best(minima_at(i), place);
}

// The better of two minima, wherever they lie.
fn better(a: Best, b: Best) -> Best {
    let takes = key_less(b.key, a.key) || (TRACK && key_equal(b.key, a.key) && b.place < a.place);
    return Best(key_select(a.key, b.key, takes), select(a.place, b.place, takes));
}
