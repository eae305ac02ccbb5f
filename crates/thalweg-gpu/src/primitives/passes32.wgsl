// Whether a one-word key passes the comparison with the bound: 1 or 0.
fn passes(key: Key) -> u32 {
    let rank = key_rank(key);
    return select(0u, 1u, rank < params.bound_low || (AND_EQUAL && rank == params.bound_low));
}
