// Queries two at a time, which are read at once and whose answers are written at once. Their number is even.
fn pair_or_first(i: u32) -> vec4<u32> {
    if 2u * i < params.count { return queries[i]; }
    return vec4(0u);
}
// One query of pair `i`, or, where there is none or a bad one, the first element alone.
fn query_of_pair(pair: vec4<u32>, i: u32, second: bool) -> Query {
    let q = query_of(select(pair.xy, pair.zw, second));
    if 2u * i < params.count { return good_or_first(q, 2u * i + select(0u, 1u, second)); }
    return q;
}
fn answer_pair(i: u32, first: Key, second: Key) {
    if 2u * i < params.count { out[i] = two_keys(key_unrank(first), key_unrank(second)); }
}
