// The words of a key.
fn key_low(key: Key) -> u32 { return key; }
fn key_high(key: Key) -> u32 { return 0u; }
fn key_join(low: u32, high: u32) -> Key { return low; }
fn pack_key(pack: vec4<u32>, j: u32) -> Key { return pack[j]; }
