// Blocks in order whose elements are written as answers before anything is known of other blocks: in sorted data all are right, and nobody has
// to read the array again. Who knows better overwrites them (`slide.wgsl`).

// Elements of a window that a block is compared with beforehand: of data that go up and down, few blocks are written in vain.
const LOOKS = 4u;

// Whether the elements of a block may well be the best of the windows that begin with them, or that end with them: whether no other one that is
// looked at is better than `worst`, the worst of them.
fn may_be_first(worst: Key, row: u32, first: u32, step: u32) -> bool {
    return may_be(worst, row, min(first + TILE - 1u + step, params.len - 1u));
}
fn may_be_last(worst: Key, row: u32, first: u32, step: u32) -> bool {
    return may_be(worst, row, max(first, step) - step);
}
fn may_be(worst: Key, row: u32, place: u32) -> bool {
    return !subgroupAny(key_less(rank_of(bits_at(row, place), 0u), seen_from(worst, 0u)));
}

// Writes the elements of a block in order as the answers of the windows that begin with them, if they worsen, or that end with them.
fn answered_ahead(keys: ptr<function, array<Key, DEPTH>>, order: u32, row: u32, first: u32, own: u32) -> u32 {
    // The furthest ones are a window's other end.
    let step = select((params.width - 1u) / LOOKS * (own + 1u), params.width - 1u, own + 1u >= LOOKS);
    let window = first + params.before;
    if (order & WORSENS) != 0u && may_be_first(key_shuffle((*keys)[LINES - 1u], LANES - 1u), row, first, step) {
        put_elements(row, window, first, own);
        return WORSENS_AHEAD;
    }
    if (order & IMPROVES) != 0u && may_be_last(key_shuffle((*keys)[0], 0u), row, first, step) {
        put_elements(row, window - (params.width - 1u), first, own);
        return IMPROVES_AHEAD;
    }
    return 0u;
}
