// Links alone; the weights are ones.
struct Step { link: u32, value: Value }
fn step_of(v: u32) -> Step {
    let link = next_at(v);
    return Step(select(link, NONE, link == v), 1u);
}
