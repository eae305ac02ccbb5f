// Root and depth of every node, without the bits that say that they are known.
fn each(i: u32) {
    let known = known_at(i) & vec2(0x7fffffffu);
    roots_put(i, known.x);
    depths_put(i, known.y);
}
