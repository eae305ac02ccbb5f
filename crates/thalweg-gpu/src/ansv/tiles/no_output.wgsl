// A side that is not asked for: nothing calls these, but kernels name them.
fn side_out_at(i: u32) -> vec4<u32> { return vec4(NONE); }
fn side_out_put(i: u32, value: vec4<u32>) {}
fn side_out_put_word(word: u32, value: u32) {}
