// Whether a suffix is the only one of its position, and greater than the one before it: two that begin with the same symbol
// are in order if the suffixes behind that are. The complement of the first rank where it is not so is noted.
fn behind(position: u32) -> u32 {
    if position + 1u == params.count { return 0u; }
    return ranks_at(position + 1u) + 1u;
}

fn each(i: u32) {
    let here = sa_at(i);
    if here >= params.count { return; }
    // Of several ranks with one position, only one was kept.
    if ranks_at(here) != i { atomicMax(&bad[1], ~i); }
    if i == 0u { return; }
    let before = sa_at(i - 1u);
    if before >= params.count { return; }
    let symbol = text_byte(here);
    let symbol_before = text_byte(before);
    let is_less = symbol_before < symbol || (symbol_before == symbol && behind(before) < behind(here));
    if !is_less { atomicMax(&bad[2], ~i); }
}
