// Four symbols of the transform of a text of `a` symbols, whose whole is suffix `b`. The empty suffix comes first, so the
// suffixes up to the whole text move up by one.
fn each(i: u32) {
    var word = 0u;
    for (var k = 0u; k < 4u; k++) {
        let at = 4u * i + k;
        if at >= params.a { break; }
        var end = params.a;
        if at > params.b { end = sa_at(at); } else if at > 0u { end = sa_at(at - 1u); }
        // Nobody but the whole text begins at 0, unless the array is wrong: then any symbol will do.
        word |= text_byte(max(end, 1u) - 1u) << (8u * k);
    }
    symbols_put(i, word);
}
