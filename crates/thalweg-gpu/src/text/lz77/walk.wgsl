// From tile to tile: where the chain of phrases enters each; the others' entries stay as they are. One thread.
struct Params { count: u32, tile: u32 }

@compute @workgroup_size(1)
fn walk_over_tiles() {
    var at = 0u;
    while at < params.count {
        entries_put(at / params.tile, at);
        at = exits_at(at);
    }
}
