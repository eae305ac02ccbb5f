// Whether a suffix is greater than the one before it: two that begin with the same symbol are in order if the suffixes behind
// that are. The complement of the first rank where it is not so is noted.
fn each(i: u32) {
    if i == 0u { return; }
    let here = sa_at(i);
    let before = sa_at(i - 1u);
    if max(here, before) >= params.count { return; }
    let symbol = text_byte(here);
    let symbol_before = text_byte(before);
    let is_less = symbol_before < symbol || (symbol_before == symbol && behind_at(i - 1u) < behind_at(i));
    if !is_less { atomicMax(&bad[2], ~i); }
}
