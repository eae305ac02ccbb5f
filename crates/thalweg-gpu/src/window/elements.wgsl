// A tile: ITEMS elements for every thread.
const TILE = THREADS * ITEMS;

// The bits of what is worse than all elements, or as bad.
fn nothing() -> Key {
    if FLOAT { return WORST; }
    return key_unrank(WORST);
}

// The bits of an element of a row, `nothing` where there is none.
fn bits_at(row: u32, place: u32) -> Key {
    let is_one = (place < params.len) & (row < params.rows);
    let bits = values_at(select(0u, row * params.len + place, is_one));
    return key_select(nothing(), bits, is_one);
}

// The bits of a tile's elements from a place of a row on, side by side: a thread has every THREADS-th. Nothing is asked of single ones where
// all are there.
fn side_by_side(row: u32, first: u32, thread: u32, bits: ptr<function, array<Key, ITEMS>>) {
    if first < params.len && params.len - first >= TILE && row < params.rows {
        let own = row * params.len + first + thread;
        @unroll for (var k = 0u; k < ITEMS; k++) { (*bits)[k] = values_at(own + k * THREADS); }
    } else {
        @unroll for (var k = 0u; k < ITEMS; k++) { (*bits)[k] = bits_at(row, first + k * THREADS + thread); }
    }
}
