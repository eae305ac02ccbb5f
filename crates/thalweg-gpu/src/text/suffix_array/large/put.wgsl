// Suffixes to their new places. Where ranks further on differ inside a group, a new one begins.
fn each(i: u32) {
    let place = places_at(i);
    sa_put(place, taken_at(i));
    let bit = 1u << (place & 31u);
    if (heads_at(place / 32u) & bit) != 0u { return; }
    // Not its group's first, so there is one before.
    if keys_at(i) != keys_at(i - 1u) { fresh_or(place / 32u, bit); }
}
