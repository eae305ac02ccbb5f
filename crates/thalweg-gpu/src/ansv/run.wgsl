// The element nearest to this side's searchers in a run whose minimum counts as a neighbour of `key`.
fn side_in_run_of(run: u32, key: Key) -> u32 {
    // One of the quads holds a neighbour, so neither loop leaves the run.
    if side_LEFT {
        var q = QUADS - 1u;
        loop {
            let element = last_of(four_before(tile_keys[q * STRIDE + run], key));
            if element < 4u || q == 0u { return 4u * q + element; }
            q--;
        }
    }
    var q = 0u;
    loop {
        let element = first_of(four_before(tile_keys[q * STRIDE + run], key));
        if element < 4u || q == QUADS - 1u { return 4u * q + element; }
        q++;
    }
    return 0u;
}
