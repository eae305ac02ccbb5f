// What a tile has published, for values of two words: four quarters of 16 bits, each with the status, in a word of its
// own. See `state32.wgsl`.
const STATE_HEAD = 4u;
struct Seen { status: u32, value: Value }
fn quarters(value: Value, status: u32) -> vec4<u32> {
    return vec4(value.x & 0xffffu, value.x >> 16u, value.y & 0xffffu, value.y >> 16u) | vec4(status << 30u);
}
fn publish(tile: u32, value: Value, status: u32) {
    let place = STATE_HEAD + 4u * tile;
    let words = quarters(value, status);
    atomicStore(&state[place], words.x);
    atomicStore(&state[place + 1u], words.y);
    atomicStore(&state[place + 2u], words.z);
    atomicStore(&state[place + 3u], words.w);
}
// For a tile that belongs to another workgroup: never takes back what that one has published meanwhile.
fn publish_for_another(tile: u32, value: Value) {
    let place = STATE_HEAD + 4u * tile;
    let words = quarters(value, REDUCED);
    atomicMax(&state[place], words.x);
    atomicMax(&state[place + 1u], words.y);
    atomicMax(&state[place + 2u], words.z);
    atomicMax(&state[place + 3u], words.w);
}
fn look(tile: u32) -> Seen {
    let place = STATE_HEAD + 4u * tile;
    let words = vec4(
        atomicLoad(&state[place]), atomicLoad(&state[place + 1u]),
        atomicLoad(&state[place + 2u]), atomicLoad(&state[place + 3u]),
    );
    let statuses = words >> vec4(30u);
    let halves = words & vec4(0xffffu);
    return Seen(
        select(0u, statuses.x, all(statuses == statuses.xxxx)),
        vec2(halves.x | (halves.y << 16u), halves.z | (halves.w << 16u)),
    );
}
