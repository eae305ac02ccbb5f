// The rank `c` symbols further on, of a window's ranks, for every suffix that is not alone in its group. (What is beyond the
// text's end is nobody's window, and everybody's.)
fn is_head(place: u32) -> bool { return place == params.count || (heads_at(place / 32u) >> (place & 31u) & 1u) == 1u; }

fn each(i: u32) {
    if is_head(i) && is_head(i + 1u) { return; }
    let position = sa_at(i);
    let further = position + params.c;
    if position >= params.count - params.c || further - params.a < params.b {
        ahead_put(i, second_rank(position, params.c, params.count));
    }
}
