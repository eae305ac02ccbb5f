// The digit of a two-word key, from bit `shift` of its rank on. A digit may have bits of both words.
fn rank_digit(rank: Key, shift: u32) -> u32 {
    var word = rank.y >> (shift & 31u);
    if shift < 32u {
        word = rank.x >> shift;
        if shift > 0u { word |= rank.y << (32u - shift); }
    }
    return word & (DIGITS - 1u);
}
