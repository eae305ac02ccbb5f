// The answer by labels.
fn answer(i: u32, q: vec2<u32>) { out_put(i, common_ancestor(q.x, q.y)); }
