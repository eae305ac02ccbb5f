// What every query kernel does alike: read a query, refuse a bad one, write the answer.
//
// Positions are pairs of words, low and high; the high one is 0 in arrays of less than 2^32 elements.

// Left and right bound of a query.
struct Query { left: vec2<u32>, right: vec2<u32> }

fn not_behind(a: vec2<u32>, b: vec2<u32>) -> bool { return a.y < b.y || (a.y == b.y && a.x <= b.x); }

// Query `i` of the batch, or, if it is a bad one, the first element alone. The row of the first bad query is kept.
fn good_or_first(q: Query, i: u32) -> Query {
    let last = vec2(params.len_low - 1u, select(params.len_high, params.len_high - 1u, params.len_low == 0u));
    if not_behind(q.left, q.right) && not_behind(q.right, last) { return q; }
    // The largest complement is the smallest row; 0 stays where all are good, as rows end before 2^32 - 1.
    atomicMax(&bad_row[0], ~(params.row + i));
    return Query(vec2(0u), vec2(0u));
}

// The ranks of keys of the array; TOLD: of an array without keys whose ranks do not tell their bits.
fn told_rank(key: Key) -> Key {
    if TOLD { return key_told_rank(key); }
    return key_rank(key);
}
fn pack_told_ranks(v: Pack) -> Pack {
    return pack_of(
        told_rank(pack_key(v, 0u)), told_rank(pack_key(v, 1u)), told_rank(pack_key(v, 2u)), told_rank(pack_key(v, 3u)),
    );
}
