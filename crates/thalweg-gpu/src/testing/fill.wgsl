// Arrays of known content, for tests at sizes that no host array is made for. The array is filled word by word.
struct Params {
    words: u32,
    start_low: u32,
    start_high: u32,
    kind: u32,
    // The pattern's own number: a seed, a period, a middle.
    low: u32,
    high: u32,
}

@compute @workgroup_size(256)
fn fill(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let workgroup = linear_workgroup(group, groups);
    // Buffers hold fewer than 2^32 - 256 words.
    let i = workgroup * 256u + thread;
    if workgroup > params.words / 256u || i >= params.words { return; }
    let low = params.start_low + i;
    let high = params.start_high + select(0u, 1u, low < i);
    var value = 0u;
    switch params.kind {
        // Random.
        case 0u: { value = mixed(low ^ mixed(high ^ params.low)); }
        // Sorted: position / 8.
        case 1u: { value = low >> 3u | high << 29u; }
        // Descending to the middle and ascending from there on: half the distance to the middle.
        case 2u: {
            let before = high < params.high || (high == params.high && low < params.low);
            let a = select(low - params.low, params.low - low, before);
            value = a;
        }
        // Periodic: position modulo a period below 2^16, of positions below 2^32, or of their low words.
        default: { value = low % params.low; }
    }
    values[i] = value;
}
