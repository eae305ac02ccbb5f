// The link behind every node's exit: to the entry of a sibling, or to the exit of the parent. Nodes of one parent that are
// neighbours, up to RUN of them, follow each other, and the first of them puts all in front of the children so far, of which the
// link behind the parent's entry tells, counted from 1.
fn parent_of(i: u32) -> u32 {
    let up = parents_at(i);
    return select(up, params.count, up == NO_ELEMENT || up == i);
}

fn continues(i: u32, up: u32) -> bool {
    return i < params.count && i % RUN != 0u && parent_of(i) == up;
}

fn each(i: u32) {
    let up = parent_of(i);
    let next = i + 1u;
    if continues(next, up) { links_store(2u * i + 1u, 2u * next); }
    if i % RUN != 0u && parent_of(i - 1u) == up { return; }
    var end = next;
    while continues(end, up) { end++; }
    let behind = links_swap(2u * up, next);
    var link = select(2u * up + 1u, NO_ELEMENT, up == params.count);
    if behind != 0u { link = 2u * (behind - 1u); }
    links_store(2u * end - 1u, link);
}
