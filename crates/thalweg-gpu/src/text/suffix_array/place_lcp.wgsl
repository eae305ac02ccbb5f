// The common prefixes that a round has found, to their places.
const INFINITE = 0xffffffffu;

fn each(i: u32) {
    let prefix = prefixes_at(i);
    if prefix != INFINITE { lcp_put(slots_at(i), prefix); }
}
