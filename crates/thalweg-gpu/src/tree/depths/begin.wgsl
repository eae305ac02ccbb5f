// What every node knows before the first walk: see `sweep.wgsl`.
fn each(i: u32) {
    let up = parents_at(i);
    known_put(i, select(vec2(up, 1u), vec2(i, 0u) | vec2(0x80000000u), up == NO_ELEMENT || up == i));
}
