// Among `b` survivors, of `a`.
fn each(i: u32) {
    let first = params.b * i;
    var survivor = before_at(first);
    for (var k = first + 1u; k < min(first + params.b, params.a); k++) { survivor = duel(survivor, before_at(k)); }
    survivors_put(i, survivor);
    alive_put(i, 1u);
}
