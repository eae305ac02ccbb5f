// Who a thread is: the tile its lanes have, its place among them, and its lane of the subgroup.
struct Who { tile: u32, own: u32, lane: u32 }
fn who(workgroup: u32, subgroup: u32, lane: u32, size: u32) -> Who {
    let thread = subgroup * fixed_width(size) + lane;
    return Who(workgroup * (THREADS / LANES) + thread / LANES, lane % LANES, lane);
}

// The lane that has what is `distance` places behind, in the same line or in the next.
fn lane_behind(lane: u32, distance: u32) -> u32 {
    return (lane & ~(LANES - 1u)) | ((lane + distance) & (LANES - 1u));
}

// What another lane has.
fn best_from(best: Best, lane: u32) -> Best {
    var place = 0u;
    if TRACK { place = subgroupShuffle(best.place, lane); }
    return Best(key_shuffle(best.key, lane), place);
}
