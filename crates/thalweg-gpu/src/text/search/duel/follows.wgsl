// Whether the `a`th after an occurrence is at a distance of `b`.
fn each(i: u32) {
    var flag = 0u;
    if i < params.count - params.a && list_at(i + params.a) - list_at(i) == params.b { flag = 1u; }
    alive_put(i, flag);
}
