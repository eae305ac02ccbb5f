// The bits of what is worse than all elements, or as bad.
fn nothing() -> Key {
    if FLOAT { return WORST; }
    return key_unrank(WORST);
}

// The bits of an element of a row, `nothing` where there is none.
fn bits_at(row: u32, place: u32) -> Key {
    let is_one = (place < params.len) & (row < params.rows);
    let bits = values_at(select(0u, row * params.len + place, is_one));
    return key_select(nothing(), bits, is_one);
}
