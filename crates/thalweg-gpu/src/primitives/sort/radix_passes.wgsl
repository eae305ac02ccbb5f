// The number of keys before a tile's keys of a digit, from a scan of all tiles' counts, digit by digit.
fn take_tile(group: vec3<u32>, groups: vec3<u32>, thread: u32) -> u32 { return linear_workgroup(group, groups); }
fn is_trivial(thread: u32) -> bool { return false; }
fn announce_digit(tile: u32, digit: u32, in_tile: u32) {}
fn digit_before(tile: u32, in_tile: u32, thread: u32, subgroup: u32, lane: u32, width: u32) -> u32 {
    if thread >= DIGITS { return 0u; }
    return before_tiles_at(thread * params.tiles + tile);
}
