// What a tile has published: its value in HALVES words, each below the status in 64 bits that are stored and loaded at once.
// A reader of several trusts them if their statuses agree: for one tile and status there is one value only.
fn next_number() -> u32 { return u32(atomicAdd(&state[0], u64(1u))); }

fn published_half(value: Value, half: u32, status: u32) -> u64 {
    return (u64(status) << 32u) | u64(select(key_low(value), key_high(value), half == 1u));
}
fn look(tile: u32) -> Seen {
    let place = published_at(tile);
    let low = atomicLoad(&state[place]);
    let high = atomicLoad(&state[place + HALVES - 1u]);
    let status = u32(low >> 32u);
    return Seen(select(0u, status, u32(high >> 32u) == status), key_join(u32(low), u32(high)));
}
