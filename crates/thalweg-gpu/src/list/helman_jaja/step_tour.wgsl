// Links of an Euler tour: even elements enter a node, odd ones leave one.
struct Step { link: u32, value: Value }
fn step_of(v: u32) -> Step {
    let link = next_at(v);
    return Step(select(link, NONE, link == v), counted(v));
}
