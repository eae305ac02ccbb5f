// The lowest common ancestor by labels. A record holds a node's label, the lowest bits of all labels on its way to
// the root, and its order. `above` has, for every label, the node above the path of that label, and its order.

// The node of the path with label `wanted` (whose lowest bit is number `j`) where the way up from `node` enters it.
fn climbed(node: u32, record: vec4<u32>, wanted: u32, j: u32) -> vec2<u32> {
    if record.x == wanted { return vec2(node, record.z); }
    // The last path before it.
    let k = firstLeadingBit(record.y & ((1u << j) - 1u));
    return above_at((record.x >> (k + 1u) << (k + 1u)) | (1u << k));
}

// Numbers have 31 bits at most, so no shift is by 32.
fn common_ancestor(x: u32, y: u32) -> u32 {
    let a = records_at(x);
    let b = records_at(y);
    var wanted = a.x;
    var j = 0u;
    if a.x != b.x {
        let i = max(firstLeadingBit(a.x ^ b.x), max(firstTrailingBit(a.x), firstTrailingBit(b.x)));
        j = firstTrailingBit(a.y & b.y & ~((1u << i) - 1u));
        wanted = (a.x >> (j + 1u) << (j + 1u)) | (1u << j);
    }
    let u = climbed(x, a, wanted, j);
    let v = climbed(y, b, wanted, j);
    return select(v.x, u.x, u.y < v.y);
}
