// A node of a level: the best of 16 below it. The level below begins at `a` and has `b` nodes, this one begins behind it.

// The better of two minima, of which `right` lies to the right.
fn earlier(left: Best, right: Best) -> Best {
    let takes = key_less(seen_from(right.key, 1u), left.key);
    return Best(key_select(left.key, right.key, takes), select(left.place, right.place, takes));
}

fn each(i: u32) {
    var best = minimum_at(params.a + 16u * i);
    for (var k = 1u; k < 16u; k++) {
        let child = 16u * i + k;
        if child < params.b { best = earlier(best, minimum_at(params.a + child)); }
    }
    minima_put(params.a + params.b + i, best.key);
    if TRACK { places_put(params.a + params.b + i, best.place); }
}
