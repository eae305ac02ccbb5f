// The words of a key.
fn key_low(key: Key) -> u32 { return key.x; }
fn key_high(key: Key) -> u32 { return key.y; }
fn key_join(low: u32, high: u32) -> Key { return vec2(low, high); }
fn pack_key(pack: vec4<u32>, j: u32) -> Key { return select(pack.xy, pack.zw, j == 1u); }
