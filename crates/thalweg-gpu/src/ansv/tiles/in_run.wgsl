// The element nearest to this side's searchers in a run whose minimum counts as a neighbour of `key`.
fn side_in_run_of(run: u32, key: Key) -> u32 {
    var q = select(0u, QUADS - 1u, side_LEFT);
    var element = side_pick(four_before(tile_keys[q * STRIDE + run], key));
    for (var more = 1u; more < QUADS && element > 3u; more++) {
        q = select(q + 1u, q - 1u, side_LEFT);
        element = side_pick(four_before(tile_keys[q * STRIDE + run], key));
    }
    return 4u * q + element;
}
