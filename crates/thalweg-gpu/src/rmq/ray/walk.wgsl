// The least rank of entries left..=right, from a tree with four children a node: the ends that are no whole nodes, level by
// level, until one node holds the rest. The last level is one node, so the loop ends.
fn least_of(vector: u32, first: u32, end: u32) -> u32 {
    let slots = vec4(0u, 1u, 2u, 3u);
    let inside = (slots >= vec4(first)) & (slots < vec4(end));
    let ranks = select(vec4(0xffffffffu), tree[vector], inside);
    return min(min(ranks.x, ranks.y), min(ranks.z, ranks.w));
}

fn walk(left: u32, right: u32) -> u32 {
    var best = 0xffffffffu;
    var l = left;
    var r = right;
    for (var level = 0u; level < MOST_LEVELS; level++) {
        let start = params.levels[level / 4u][level % 4u];
        let first = l / 4u;
        let last = r / 4u;
        if first == last { return min(best, least_of(start + first, l % 4u, r % 4u + 1u)); }
        // What is no whole node at either end is looked at here; `first` < `last`.
        let whole_left = (l & 3u) == 0u;
        let whole_right = (r & 3u) == 3u;
        if !whole_left { best = min(best, least_of(start + first, l % 4u, 4u)); }
        if !whole_right { best = min(best, least_of(start + last, 0u, r % 4u + 1u)); }
        l = select(first + 1u, first, whole_left);
        r = select(last - 1u, last, whole_right);
        if l > r { break; }
    }
    return best;
}
