// Links and weights.
struct Step { link: u32, value: Value }
fn step_of(v: u32) -> Step {
    let record = records_at(v);
    return Step(record.x, value_of(record));
}
