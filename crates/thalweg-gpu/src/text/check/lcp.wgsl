// Whether what two neighbours have in common follows from what those one symbol further on have: nothing if their first
// symbols differ, one symbol more otherwise. If that holds everywhere, all is right: the smallest value that is too low, and
// the smallest true one where it is too high, would each need a smaller one.
fn each(i: u32) {
    var want = 0u;
    if i > 0u {
        let before = sa_at(i - 1u);
        let here = sa_at(i);
        if text_byte(before) == text_byte(here) {
            want = 1u;
            if max(before, here) + 1u < params.count {
                want += least_between(ranks_at(before + 1u) + 1u, ranks_at(here + 1u));
            }
        }
    }
    if lcp_at(i) != want { atomicMax(&bad[3], ~i); }
}
