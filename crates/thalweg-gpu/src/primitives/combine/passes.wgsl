// Whether a key passes the comparison with the bound: 1 or 0.
fn passes(key: Key) -> u32 {
    let rank = key_rank(key);
    let bound = key_join(params.bound_low, params.bound_high);
    return select(0u, 1u, key_less(rank, bound) || (AND_EQUAL && key_equal(rank, bound)));
}
