// Common prefixes at the boundaries of the first round: `b` symbols of `c` bits were compared.
const INFINITE = 0xffffffffu;

fn each(i: u32) {
    var prefix = INFINITE;
    if i == 0u { prefix = 0u; }
    if i > 0u {
        let differ = keys_at(i) ^ keys_at(i - 1u);
        if any(differ != vec2(0u)) {
            // Equal bits before the first difference, counted from the top of the number.
            let zeros = select(countLeadingZeros(differ.y), 32u + countLeadingZeros(differ.x), differ.y == 0u);
            prefix = (zeros - (64u - params.b * params.c)) / params.c;
        }
    }
    lcp_put(i, prefix);
}
