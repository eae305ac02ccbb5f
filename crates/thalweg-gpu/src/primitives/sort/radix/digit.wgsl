// The digit of a rank from bit `shift` on. Of two words, a digit may have bits of both.
fn rank_digit(rank: Key, shift: u32) -> u32 {
    if KEY_WORDS == 1u { return (key_low(rank) >> shift) & (DIGITS - 1u); }
    var word = key_high(rank) >> (shift & 31u);
    if shift < 32u {
        word = key_low(rank) >> shift;
        if shift > 0u { word |= key_high(rank) << (32u - shift); }
    }
    return word & (DIGITS - 1u);
}
