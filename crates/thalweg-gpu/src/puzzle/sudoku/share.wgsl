// Slots with nothing to do take over what others have put off longest: the lowest level of a stack, which stands for the most
// work.
const PUZZLE = 27u;
const BOTTOM = 28u;
const TOP = 29u;

// Slot `order_at(i)` gives to slot `order_at(a + i)`, of `b` slots.
fn each(i: u32) {
    let giver = order_at(i);
    let taker = order_at(params.a + i);
    let bottom = saved_at(BOTTOM * params.b + giver);
    if bottom >= saved_at(TOP * params.b + giver) { return; }
    for (var word = 0u; word < 27u; word++) {
        saved_put(word * params.b + taker, stack_at((27u * bottom + word) * params.b + giver));
    }
    saved_put(PUZZLE * params.b + taker, saved_at(PUZZLE * params.b + giver));
    saved_put(BOTTOM * params.b + taker, 0u);
    saved_put(TOP * params.b + taker, 0u);
    saved_put(BOTTOM * params.b + giver, bottom + 1u);
    idle_put(taker, 0u);
}
