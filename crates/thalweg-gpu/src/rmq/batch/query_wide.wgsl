// Bounds of 64 bits.
fn query_of(q: vec4<u32>) -> Query { return Query(q.xy, q.zw); }
