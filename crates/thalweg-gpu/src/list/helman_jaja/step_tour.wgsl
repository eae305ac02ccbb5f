// Links of an Euler tour: even elements enter a node, odd ones leave one, and they are counted apart.
struct Step { link: u32, value: Value }
fn step_of(v: u32) -> Step {
    let link = next_at(v);
    return Step(select(link, NONE, link == v), vec2(1u - (v & 1u), v & 1u));
}
