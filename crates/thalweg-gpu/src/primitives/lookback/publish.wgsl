// What tiles publish, in HALVES words of either width: what a word is made of is `published_half`, and how they are read `look`.
struct Seen { status: u32, value: Value }

// Where a tile's words begin. As many at the start hold the counter that tiles take their numbers from.
fn published_at(tile: u32) -> u32 { return HALVES * (tile + 1u); }
fn publish(tile: u32, value: Value, status: u32) {
    let place = published_at(tile);
    @unroll for (var h = 0u; h < HALVES; h++) { atomicStore(&state[place + h], published_half(value, h, status)); }
}
// For a tile that belongs to another workgroup: never takes back what that one has published meanwhile.
fn publish_for_another(tile: u32, value: Value) {
    let place = published_at(tile);
    @unroll for (var h = 0u; h < HALVES; h++) { atomicMax(&state[place + h], published_half(value, h, REDUCED)); }
}
