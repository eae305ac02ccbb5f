// What a tile has published, for values of one word: two halves of 16 bits, each with the status, in a word of its own.
// A reader trusts them if their statuses agree: for one tile and status there is one value only. WGSL's atomics order
// nothing, so a status apart from the value would prove nothing.
const STATE_HEAD = 2u;
struct Seen { status: u32, value: Value }
fn publish(tile: u32, value: Value, status: u32) {
    let place = STATE_HEAD + 2u * tile;
    atomicStore(&state[place], (status << 30u) | (value & 0xffffu));
    atomicStore(&state[place + 1u], (status << 30u) | (value >> 16u));
}
// For a tile that belongs to another workgroup: never takes back what that one has published meanwhile.
fn publish_for_another(tile: u32, value: Value) {
    let place = STATE_HEAD + 2u * tile;
    atomicMax(&state[place], (REDUCED << 30u) | (value & 0xffffu));
    atomicMax(&state[place + 1u], (REDUCED << 30u) | (value >> 16u));
}
fn look(tile: u32) -> Seen {
    let place = STATE_HEAD + 2u * tile;
    let low = atomicLoad(&state[place]);
    let high = atomicLoad(&state[place + 1u]);
    return Seen(select(0u, low >> 30u, (low >> 30u) == (high >> 30u)), (low & 0xffffu) | (high << 16u));
}
