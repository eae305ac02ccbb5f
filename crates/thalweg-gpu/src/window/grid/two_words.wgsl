alias Element = vec2<u32>;
