// Four ranks of the levels of minima, which are declared as vectors of four words. Of one word, both reads are one.
fn levels_four(i: u32) -> Four {
    return four_of_words(levels_at(KEY_WORDS * i), levels_at(KEY_WORDS * i + KEY_WORDS - 1u));
}
