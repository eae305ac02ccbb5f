// The entry of rank `i` as a triangle at that height, whose right angle covers all (l, r) with l <= entry <= r, and whose
// long side is beyond all that are asked for. Triangles are numbered by entries.
fn corner(word: u32, x: f32, y: f32, z: f32) {
    corners_put(word, x);
    corners_put(word + 1u, y);
    corners_put(word + 2u, z);
}

fn each(i: u32) {
    let entry = order_at(i);
    let x = f32(entry) + 0.5;
    let y = f32(entry) - 0.5;
    let z = f32(i);
    let beyond = 4.0 * f32(params.count);
    corner(9u * entry, x, y, z);
    corner(9u * entry + 3u, x, beyond, z);
    corner(9u * entry + 6u, -beyond, y, z);
}
