// The ranks of four keys of the array, which is declared as vectors of four words. Of keys of one word, both reads are one.
fn values_four(i: u32) -> Four {
    return four_rank(four_of_words(values_at(KEY_WORDS * i), values_at(KEY_WORDS * i + KEY_WORDS - 1u)));
}
