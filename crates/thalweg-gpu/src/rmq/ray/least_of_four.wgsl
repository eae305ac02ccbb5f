// The least of four ranks: nodes from word `a` on, their children from word `b` on, of which there are `c`.
fn each(i: u32) {
    var least = 0xffffffffu;
    for (var child = 4u * i; child < min(4u * i + 4u, params.c); child++) { least = min(least, tree_at(params.b + child)); }
    tree_put(params.a + i, least);
}
