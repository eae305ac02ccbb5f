// Where the whole text is among the suffixes, as a complement; ranks that lead out of the text are noted.
fn each(i: u32) {
    let position = sa_at(i);
    if position == 0u { atomicMax(&found[0], ~i); }
    if position >= params.count { atomicMax(&found[1], ~i); }
}
