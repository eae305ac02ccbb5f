// The best of a line from this lane on.
fn line_end(here: Best, own: u32, lane: u32) -> Best {
    var joined = here;
    @unroll for (var level = 0u; level < LANES_LOG; level++) {
        let distance = 1u << level;
        let other = best_from(joined, lane_behind(lane, distance));
        joined = best_select(joined, leftmost(joined, other), own + distance < LANES);
    }
    return joined;
}

// The best of a line up to this lane.
fn line_beginning(here: Best, own: u32, lane: u32) -> Best {
    var joined = here;
    @unroll for (var level = 0u; level < LANES_LOG; level++) {
        let distance = 1u << level;
        let other = best_from(joined, lane_behind(lane, LANES - distance));
        joined = best_select(joined, leftmost(other, joined), own >= distance);
    }
    return joined;
}
