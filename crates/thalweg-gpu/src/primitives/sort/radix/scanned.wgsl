// The number of keys before a tile's keys of a digit, from a scan of all tiles' counts, digit by digit.
var<workgroup> trivial: u32;

fn take_tile(group: vec3<u32>, groups: vec3<u32>, thread: u32) -> u32 {
    if thread == 0u { trivial = 0u; }
    workgroupBarrier();
    return linear_workgroup(group, groups);
}

fn asked_early(tile: u32, thread: u32) -> u32 {
    if thread >= DIGITS { return 0u; }
    return before_tiles_at(thread * params.tiles + tile);
}

// Whether the keys of some digit begin at 0 and end at the end.
fn is_trivial(thread: u32) -> bool {
    if thread < DIGITS && before_tiles_at(thread * params.tiles) == 0u {
        var end = params.count;
        if thread + 1u < DIGITS { end = before_tiles_at((thread + 1u) * params.tiles); }
        if end == params.count { trivial = 1u; }
    }
    return workgroupUniformLoad(&trivial) == 1u;
}

fn announce_digit(tile: u32, digit: u32, in_tile: u32) {}
fn find_displacement(tile: u32, in_tile: u32, tile_before: u32, early: u32, thread: u32) {
    if thread < DIGITS { atomicStore(&displacement[thread], early - tile_before); }
    workgroupBarrier();
}
