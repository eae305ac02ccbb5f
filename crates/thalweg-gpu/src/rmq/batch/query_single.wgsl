// Query `i`, or, where there is none or a bad one, the first element alone.
fn query_or_first(i: u32) -> Query {
    if i < params.count { return good_or_first(query_of(queries[i]), i); }
    return Query(vec2(0u), vec2(0u));
}
