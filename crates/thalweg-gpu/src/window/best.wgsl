const NOWHERE = 0xffffffffu;

// A minimum, and its place if TRACK.
struct Best { key: Key, place: u32 }

// The better of two, of which `right` lies to the right.
fn leftmost(left: Best, right: Best) -> Best {
    let takes = key_less(right.key, left.key);
    return Best(key_select(left.key, right.key, takes), select(left.place, right.place, takes));
}
