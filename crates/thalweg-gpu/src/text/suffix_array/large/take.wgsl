// The suffixes in their new order, and their ranks further on, `a` symbols; the length is `b`.
fn each(i: u32) {
    let position = sa_at(places_at(order_at(i)));
    taken_put(i, position);
    keys_put(i, second_rank(position, params.a, params.b));
}
