// The same as `keys32.wgsl` for keys of two words.
fn tile_key(slot: u32, k: u32) -> Key { return vec2(tile_keys[slot].low[k], tile_keys[slot].high[k]); }
fn tree_key(i: u32) -> Key { return vec2(tree[i >> 2u].low[i & 3u], tree[i >> 2u].high[i & 3u]); }
fn tree_put(i: u32, key: Key) {
    tree[i >> 2u].low[i & 3u] = key.x;
    tree[i >> 2u].high[i & 3u] = key.y;
}
