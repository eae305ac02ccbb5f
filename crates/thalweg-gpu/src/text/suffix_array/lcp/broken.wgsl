// Common prefixes where groups broke in this round: `a` symbols, and in `b` steps at most, each of as many, and then as far
// as the suffixes from there on agree, which broke apart before.
fn each(i: u32) {
    if (fresh_at(i / 32u) >> (i & 31u) & 1u) == 0u { return; }
    // Inside a group that was, so there is one before.
    let before = sa_at(i - 1u);
    let here = sa_at(i);
    var prefix = 0u;
    for (var step = 1u; step <= params.b; step++) {
        prefix += params.a;
        let low = second_rank(before, prefix, params.count);
        let high = second_rank(here, prefix, params.count);
        if low != high {
            // Ranks count from 1: from the one behind the lower to the upper one.
            if low > 0u { prefix += least_between(low, high - 1u); }
            break;
        }
    }
    prefixes_put(i, prefix);
}
