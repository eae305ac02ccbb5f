// The element nearest to this side's searchers in a run whose minimum counts as a neighbour of `key`.
fn side_in_run_of(run: u32, key: Key) -> u32 {
    // All quads, the farthest first: to wait for the nearest takes longer.
    var place = 0u;
    @unroll for (var k = 0u; k < QUADS; k++) {
        let q = select(QUADS - 1u - k, k, side_LEFT);
        let element = side_pick(four_before(tile_keys[q * STRIDE + run], key));
        place = select(place, 4u * q + element, element < 4u);
    }
    return place;
}
