// Single keys in workgroup memory, without loading the other three: one of a quad of the tile, and entry `i` of the tree,
// counted in keys. Keys of one word.
fn tile_key(slot: u32, k: u32) -> Key { return tile_keys[slot][k]; }
fn tree_key(i: u32) -> Key { return tree[i >> 2u][i & 3u]; }
fn tree_put(i: u32, key: Key) { tree[i >> 2u][i & 3u] = key; }
