// Who is left of two places, the second one behind the first by less than the period.
fn duel(survivor: u32, challenger: u32) -> u32 {
    // The pattern has one symbol here for the challenger and another for the survivor.
    let witness = witnesses_at(challenger - survivor);
    let symbol = pattern_at(witness / 4u) >> (8u * (witness & 3u)) & 0xffu;
    return select(survivor, challenger, text_byte(challenger + witness) == symbol);
}
