// Range minima of an array `values` by climbing levels of minima of 16. Values and levels are vectors of four.
struct Params { count: u32, a: u32, b: u32, c: u32, levels: array<vec4<u32>, LEVELS> }

const NONE = 0xffffffffu;

// The least of the entries `first..=last` of a level; both are inside it and in one node of 16.
fn least_in_node(level: u32, first: u32, last: u32) -> u32 {
    var least = vec4(NONE);
    let start = params.levels[level].x / 4u;
    for (var quad = first / 4u; quad <= last / 4u; quad++) {
        var four: vec4<u32>;
        // The last vector may reach beyond the array, but not beyond its buffer.
        if level == 0u { four = values_at(quad); } else { four = levels_at(start + quad); }
        let at = vec4(4u * quad) + vec4(0u, 1u, 2u, 3u);
        least = min(least, select(vec4(NONE), four, (at >= vec4(first)) & (at <= vec4(last))));
    }
    let two = min(least.xy, least.zw);
    return min(two.x, two.y);
}

// The least of the values `first..=last`; both are inside the array, and in order. Every round goes up one level, and the
// last level is one node.
fn least_between(first: u32, last: u32) -> u32 {
    var low = first;
    var high = last;
    var least = NONE;
    for (var level = 0u; level < LEVELS; level++) {
        if low / 16u == high / 16u { return min(least, least_in_node(level, low, high)); }
        least = min(least, min(least_in_node(level, low, low | 15u), least_in_node(level, high & ~15u, high)));
        low = low / 16u + 1u;
        high = high / 16u;
        if low >= high { break; }
        high--;
    }
    return least;
}
