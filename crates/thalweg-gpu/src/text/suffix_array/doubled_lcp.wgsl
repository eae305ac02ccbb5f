// Common prefixes at the boundaries of a later round, after `a` symbols: boundaries inside a group, whose suffixes are all
// that long. `b` is the bits of a second rank.
const INFINITE = 0xffffffffu;

fn each(i: u32) {
    var prefix = INFINITE;
    if i > 0u {
        let here = keys_at(i);
        let before = keys_at(i - 1u);
        let mask = (1u << params.b) - 1u;
        let low = before.x & mask;
        let high = here.x & mask;
        // Both of one group, and different.
        if before.y == here.y && (before.x | mask) == (here.x | mask) && low != high {
            prefix = params.a;
            // Ranks count from 1: from the one behind the lower to the upper one.
            if low > 0u { prefix += least_between(low, high - 1u); }
        }
    }
    prefixes_put(i, prefix);
}
