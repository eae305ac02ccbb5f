// See `load_tile` for the places. What is written beyond the array's end stays inside its buffer.
fn store_tile(tile: u32, before: Value, packs: ptr<function, array<vec4<u32>, PACKS>>, subgroup: u32, lane: u32, width: u32) {
    let first = subgroup * width * PACKS + lane;
    let start = tile * TILE_PACKS;
    let remaining = params.count - tile * TILE;
    @unroll for (var v = 0u; v < PACKS; v++) {
        if remaining >= TILE || (first + v * width) * PACK < remaining {
            scanned_put(start + first + v * width, pack_bits(pack_after(before, (*packs)[v])));
        }
    }
}
