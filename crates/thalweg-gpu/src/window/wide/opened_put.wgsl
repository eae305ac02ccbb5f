// Places in the list of tiles whose ends others read.
fn places_for(count: u32) -> u32 { return atomicAdd(&opened_count[0], count); }

// Lists a tile.
fn opened_put(i: u32, known: Known) {
    opened_keys_put(i, known.core.key);
    opened_tiles_put(i, vec4(known.tile << 2u | known.ends, known.core.place, known.ahead, known.behind));
}
