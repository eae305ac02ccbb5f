// The common prefixes that a round has found, to their places.
fn each(i: u32) {
    if (fresh_at(i / 32u) >> (i & 31u) & 1u) != 0u { lcp_put(i, prefixes_at(i)); }
}
