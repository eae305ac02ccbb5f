// Where the children of every parent end: its last child knows. One thread a child, by parents.
fn each(i: u32) {
    let up = keys_at(i);
    var next = NO_ELEMENT;
    if i + 1u < params.count { next = keys_at(i + 1u); }
    if next != up { ends_put(up + 1u, i + 1u); }
}
