// The rank of the suffix `ahead` symbols further on, from 1; 0 if the text, `length` symbols long, ends before. `ahead` is less
// than the length.
fn second_rank(position: u32, ahead: u32, length: u32) -> u32 {
    if position >= length - ahead { return 0u; }
    return ranks_at(position + ahead) + 1u;
}
