// A node of a level: the best of 16 below it. The level below begins at `a` and has `b` nodes, this one begins behind it.

fn each(i: u32) {
    var best = minimum_at(params.a + 16u * i);
    for (var k = 1u; k < 16u; k++) {
        let child = 16u * i + k;
        if child < params.b { best = earlier(best, minimum_at(params.a + child)); }
    }
    minima_put(params.a + params.b + i, best.key);
    if TRACK { places_put(params.a + params.b + i, best.place); }
}
