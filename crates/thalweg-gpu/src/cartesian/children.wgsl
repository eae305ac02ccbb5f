// Every element tells its parent that it is a child.
fn each(i: u32) {
    let parent = parent_of(i);
    if parent == NO_ELEMENT { return; }
    if i < parent { lefts_put(parent, i); } else { rights_put(parent, i); }
}
