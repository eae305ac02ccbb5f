// The points of hoods, joined in pairs. `a` slots a hood, `b` hoods: slot `i` of the new hoods is taken from the old ones.
fn each(i: u32) {
    let pair = i / (2u * params.a);
    let start = pair * 2u * params.a;
    let left = sizes_at(2u * pair);
    if 2u * pair + 1u >= params.b {
        // Alone.
        if i - start < left { places_out_put(i, places_at(i)); }
        if i == start { sizes_out_put(pair, left); }
        return;
    }
    let touch = touches_at(pair);
    let end = start + params.a + sizes_at(2u * pair + 1u);
    let shift = touch.y - touch.x - 1u;
    if i <= touch.x {
        places_out_put(i, places_at(i));
    } else if i + shift < end {
        places_out_put(i, places_at(i + shift));
    }
    if i == start { sizes_out_put(pair, end - shift - start); }
}
