// Elements that are far: what is left of a run after `solve.wgsl`. The tile's threads share them evenly, those of a side
// one half of the threads.

// The run beside this one; no run at the tile's end.
fn side_next(run: u32) -> u32 { return select(run + 1u, run - 1u, side_LEFT); }
fn side_link(run: u32) -> u32 { return select(links[run] >> 16u, links[run] & 0xffffu, side_LEFT); }

// The answer of an element, from link to link, as the runs in between hold nothing less than the run with the link. NONE if
// it is not in the tile.
fn side_far(element: u32, first: u32) -> u32 {
    let run = element / ITEMS;
    let key = tile_key((element / 4u) % QUADS * STRIDE + run, element % 4u);
    var other = side_next(run);
    while other < THREADS && !before(tree_key(other), key) { other = side_link(other); }
    if other >= THREADS { return NONE; }
    return first + other * ITEMS + side_in_run_of(other, key);
}

// Writes one answer, over what the same thread wrote before.
fn side_correct(at: u32, answer: u32) {
    // Filling after the array's end may count as a neighbour of the worst key, unless strictly.
    if answer != NONE && (STRICT || answer < params.count) { side_out_put_word(at, answer); }
}

// Notes a run's open and far elements, whose first element is `own` in the tile. Where the list of far ones is full, their
// thread answers them.
fn side_rest(elements: u32, far_elements: u32, own: u32, first: u32) -> Rest {
    var rest = Rest(elements, far_elements, 0u, 0u);
    if rest.far != 0u {
        let count = countOneBits(rest.far);
        let place = atomicAdd(&far_count[side_NUMBER], count);
        rest.far_place = side_NUMBER * FAR + place;
        if place + count <= FAR {
            var at = rest.far_place;
            for (var far = rest.far; far != 0u; far &= far - 1u) {
                far_list[at] = own + firstTrailingBit(far);
                at++;
            }
        } else {
            // Also for those that come after.
            for (var at = place; at < FAR; at++) { far_list[side_NUMBER * FAR + at] = TILE; }
            for (var far = rest.far; far != 0u; far &= far - 1u) {
                let k = firstTrailingBit(far);
                let answer = side_far(own + k, first);
                side_correct(first + own + k, answer);
                rest.open |= select(0u, 1u << k, answer == NONE);
            }
            rest.far = 0u;
        }
    }
    if rest.open != 0u { rest.place = atomicAdd(&open_count[side_NUMBER], countOneBits(rest.open)); }
    return rest;
}

// A thread's share: puts the answer in the element's place. Returns the element if it stays open, and its place among the
// tile's open ones.
fn side_share(thread: u32, first: u32) -> Late {
    if thread - side_NUMBER * FAR >= min(FAR, atomicLoad(&far_count[side_NUMBER])) { return Late(TILE, 0u); }
    let element = far_list[thread];
    if element == TILE { return Late(TILE, 0u); }
    let answer = side_far(element, first);
    far_list[thread] = answer;
    if answer != NONE { return Late(TILE, 0u); }
    return Late(element, atomicAdd(&open_count[side_NUMBER], 1u));
}

// Writes the answers that others found for a run. (Where they wrote them themselves, all had to wait for the device's memory
// first: 4% of the kernel's time on an H200.)
fn side_collect(rest: Rest, own: u32) {
    var place = rest.far_place;
    for (var far = rest.far; far != 0u; far &= far - 1u) {
        side_correct(own + firstTrailingBit(far), far_list[place]);
        place++;
    }
}
