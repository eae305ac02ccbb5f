// The one of several neighbours that is nearest to this side's searchers.

fn side_bit(hits: u32) -> u32 {
    if side_LEFT { return firstLeadingBit(hits); }
    return firstTrailingBit(hits);
}

fn side_pick(four: vec4<bool>) -> u32 {
    if side_LEFT { return last_of(four); }
    return first_of(four);
}
