// Rank of a suffix, and of the one `a` further on, counted from 1; 0 for none. The latter take `b` bits, at most 31; the
// text's length is `c`.
fn each(i: u32) {
    let position = positions_at(i);
    let further = position + params.a;
    var second = 0u;
    if further < params.c { second = ranks_at(further) + 1u; }
    let first = ranks_at(position);
    keys_put(i, vec2((first << params.b) | second, first >> (32u - params.b)));
}
