// Links of an Euler tour: even elements enter a node, odd ones leave one. What is behind an entry is the entry of the first
// child, whose number is there, counted from 1, or the exit; what is behind an exit is there itself.
struct Step { link: u32, value: Value }
fn step_of(v: u32) -> Step {
    let link = next_at(v);
    if (v & 1u) != 0u { return Step(link, counted(v)); }
    return Step(select(2u * (link - 1u), v + 1u, link == 0u), counted(v));
}

// The first root's number is behind all elements. Without a root, all are on cycles.
fn head(k: u32) -> u32 {
    let root = next_at(params.first_head);
    return select(2u * (root - 1u), NONE, root == 0u);
}
