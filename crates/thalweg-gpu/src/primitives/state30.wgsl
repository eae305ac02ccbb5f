// What a tile has published, for values below 2^30: status and value in one word, so that whoever sees the one sees the
// other. WGSL's atomics order nothing else.
const STATE_HEAD = 1u;
struct Seen { status: u32, value: Value }
fn publish(tile: u32, value: Value, status: u32) { atomicStore(&state[STATE_HEAD + tile], (status << 30u) | value); }
// For a tile that belongs to another workgroup: never takes back what that one has published meanwhile.
fn publish_for_another(tile: u32, value: Value) { atomicMax(&state[STATE_HEAD + tile], (REDUCED << 30u) | value); }
fn look(tile: u32) -> Seen {
    let word = atomicLoad(&state[STATE_HEAD + tile]);
    return Seen(word >> 30u, word & 0x3fffffffu);
}
