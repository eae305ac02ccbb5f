// Among `b` places, of `a` that there can be.
fn each(i: u32) {
    let first = params.b * i;
    var survivor = first;
    for (var place = first + 1u; place < min(first + params.b, params.a); place++) { survivor = duel(survivor, place); }
    survivors_put(i, survivor);
    alive_put(i, 1u);
}
