// Writes changed elements: the last change of an element wins. Until it is known who that is, the element's own word holds the
// largest number of a change that claims it: STEP 0 clears it, 1 claims it, 2 asks who has it, and 3 writes.
fn each(i: u32) {
    let position = changed_at(i);
    let pack = pack_over(position);
    let word = word_in_pack(position);
    switch STEP {
        case 0u: { values_store(pack, word, 0u); }
        case 1u: { values_max(pack, word, i + 1u); }
        case 2u: { wins_put(i, select(0u, 1u, values_load(pack, word) == i + 1u)); }
        default: {
            if DISTINCT || wins_at(i) != 0u {
                let bits = news_at(i);
                values_store(pack, word, key_low(bits));
                if KEY_WORDS == 2u { values_store(pack, word + 1u, key_high(bits)); }
            }
        }
    }
}
