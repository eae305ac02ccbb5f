// Minima of neighbours' runs, by shuffles: LANES neighbours, a power of two, of one subgroup.

fn best_up(best: Best, lanes: u32) -> Best {
    var place = 0u;
    if TRACK { place = subgroupShuffleUp(best.place, lanes); }
    return Best(key_shuffle_up(best.key, lanes), place);
}
fn best_down(best: Best, lanes: u32) -> Best {
    var place = 0u;
    if TRACK { place = subgroupShuffleDown(best.place, lanes); }
    return Best(key_shuffle_down(best.key, lanes), place);
}

// The best of the runs before this one.
fn runs_before(lane: u32, own: Best) -> Best {
    let place = lane % LANES;
    var joined = own;
    @unroll for (var level = 0u; level < LANES_LOG; level++) {
        let other = best_up(joined, 1u << level);
        joined = best_select(joined, leftmost(other, joined), place >= (1u << level));
    }
    return best_select(Best(WORST, 0u), best_up(joined, 1u), place > 0u);
}

// The best of the runs behind this one.
fn runs_behind(lane: u32, own: Best) -> Best {
    let place = lane % LANES;
    var joined = own;
    @unroll for (var level = 0u; level < LANES_LOG; level++) {
        let other = best_down(joined, 1u << level);
        joined = best_select(joined, leftmost(joined, other), place + (1u << level) < LANES);
    }
    return best_select(Best(WORST, 0u), best_down(joined, 1u), place + 1u < LANES);
}
