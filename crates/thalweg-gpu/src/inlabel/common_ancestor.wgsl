// The lowest common ancestor by labels. A record holds the first number of a node's range, and the lowest bits of all labels on
// its way to the root, and perhaps the highest bit, which makes no difference. `above` has, for every label, the node above the path of
// that label, and the first number of its range.

// The label of a record: the only number of the range that is a multiple of its own lowest bit, which is that of all bits.
fn label_in(record: vec2<u32>) -> u32 {
    let k = firstTrailingBit(record.y);
    return (record.x + ((1u << k) - 1u)) >> k << k;
}

// The node of the path with label `wanted` (whose lowest bit is number `j`) where the way up from `node` enters it.
fn climbed(node: u32, record: vec2<u32>, label: u32, wanted: u32, j: u32) -> vec2<u32> {
    if label == wanted { return vec2(node, record.x); }
    // The last path before it.
    let k = firstLeadingBit(record.y & ((1u << j) - 1u));
    return above_at((label >> (k + 1u) << (k + 1u)) | (1u << k));
}

// Numbers have 31 bits at most, so no shift is by 32.
fn common_ancestor(x: u32, y: u32) -> u32 {
    let a = records_at(x);
    let b = records_at(y);
    let p = label_in(a);
    let q = label_in(b);
    var wanted = p;
    var j = 0u;
    if p != q {
        let i = max(firstLeadingBit(p ^ q), max(firstTrailingBit(p), firstTrailingBit(q)));
        j = firstTrailingBit(a.y & b.y & ~((1u << i) - 1u));
        wanted = (p >> (j + 1u) << (j + 1u)) | (1u << j);
    }
    let u = climbed(x, a, p, wanted, j);
    let v = climbed(y, b, q, wanted, j);
    // The upper one's range begins before the other one's or, where numbers are inorder, with it, and the node lies behind.
    return select(v.x, u.x, u.y < v.y || u.y == v.y && u.x > v.x);
}
