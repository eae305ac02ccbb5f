// Bounds of 32 bits.
fn query_of(q: vec2<u32>) -> Query { return Query(vec2(q.x, 0u), vec2(q.y, 0u)); }
