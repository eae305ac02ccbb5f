// Which points, in the order of x, then y, may be on the side: of equal x the first, or for the upper side the last.
fn each(i: u32) {
    let other = select(i - 1u, i + 1u, UPPER);
    let outermost = i == select(0u, params.count - 1u, UPPER);
    var flag = 1u;
    if !outermost && keys_at(other).y == keys_at(i).y { flag = 0u; }
    flags_put(i, flag);
}
