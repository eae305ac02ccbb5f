const NOWHERE = 0xffffffffu;

// A minimum, and its place if TRACK.
struct Best { key: Key, place: u32 }

// The better of two, of which `right` lies to the right.
fn leftmost(left: Best, right: Best) -> Best {
    if !TRACK { return Best(key_min(left.key, right.key), 0u); }
    let takes = key_less(right.key, left.key);
    return Best(key_select(left.key, right.key, takes), select(left.place, right.place, takes));
}

fn best_select(if_false: Best, if_true: Best, condition: bool) -> Best {
    return Best(key_select(if_false.key, if_true.key, condition), select(if_false.place, if_true.place, condition));
}
