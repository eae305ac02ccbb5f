// What a tile has published: its value in HALVES halves of words, 16 bits each, every one with the status in a word of its
// own. A reader trusts them if their statuses agree: for one tile and status there is one value only. WGSL's atomics
// order nothing, so a status apart from the value would prove nothing.
fn next_number() -> u32 { return atomicAdd(&state[0], 1u); }

fn published_half(value: Value, half: u32, status: u32) -> u32 {
    let word = select(key_low(value), key_high(value), half >= 2u);
    return (status << 30u) | ((word >> (16u * (half & 1u))) & 0xffffu);
}
fn look(tile: u32) -> Seen {
    let place = published_at(tile);
    var words: array<u32, HALVES>;
    @unroll for (var h = 0u; h < HALVES; h++) { words[h] = atomicLoad(&state[place + h]); }
    var status = words[0] >> 30u;
    @unroll for (var h = 0u; h < HALVES; h++) { if (words[h] >> 30u) != (words[0] >> 30u) { status = 0u; } }
    let low = (words[0] & 0xffffu) | (words[1] << 16u);
    let high = (words[HALVES - 2u] & 0xffffu) | (words[HALVES - 1u] << 16u);
    return Seen(status, key_join(low, high));
}
