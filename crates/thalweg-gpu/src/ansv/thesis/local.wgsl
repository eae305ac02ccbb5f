// Kernel 3: the neighbours inside a subset, by the parallel algorithm with a part of the subset for every thread: links
// inside the parts, the neighbours of the parts' minima, then merges of parts.
struct Params { count: u32, subsets: u32 }

var<workgroup> keys: array<Key, SUBSET>;
// Neighbours inside the part, and those found in other parts.
var<workgroup> left_link: array<u32, SUBSET>;
var<workgroup> right_link: array<u32, SUBSET>;
var<workgroup> left_found: array<u32, SUBSET>;
var<workgroup> right_found: array<u32, SUBSET>;
// Of every part: the minimum and its neighbours. The parts are also the nodes of the two-layer tree.
var<workgroup> least: array<u32, THREADS>;
var<workgroup> left_of_least: array<u32, THREADS>;
var<workgroup> right_of_least: array<u32, THREADS>;

// Matches what a part shows to the right, from `x` down to `x_end`, with what a later part shows to the left, from `y` up
// to `y_end`: largest first, and the larger one has met its neighbour.
fn merge(x_start: u32, x_end: u32, y_start: u32, y_end: u32) {
    var x = x_start;
    var y = y_start;
    // NONE ends either side: as -1 to the left, as the largest number to the right.
    while i32(x) >= i32(x_end) && y <= y_end {
        if smaller_left(keys[x], keys[y]) {
            left_found[y] = x;
            y = right_link[y];
        } else {
            right_found[x] = y;
            x = left_link[x];
        }
    }
}

@compute @workgroup_size(THREADS)
fn local(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let subset = linear_workgroup(group, groups);
    if subset >= params.subsets { return; }
    let first = subset * SUBSET;
    let valid = min(SUBSET, params.count - first);
    for (var i = thread; i < valid; i += THREADS) {
        keys[i] = key_rank(values_at(first + i));
        left_found[i] = NONE;
        right_found[i] = NONE;
    }
    workgroupBarrier();
    let start = min(thread * PART, valid);
    let end = min(start + PART, valid);
    var lowest = start;
    for (var i = start; i < end; i++) {
        var j = NONE;
        if i > start { j = i - 1u; }
        while j != NONE && !smaller_left(keys[j], keys[i]) { j = left_link[j]; }
        left_link[i] = j;
        if j == NONE { lowest = i; }
    }
    for (var i = end; i > start; i--) {
        var j = NONE;
        if i < end { j = i; }
        while j != NONE && !smaller_right(keys[j], keys[i - 1u]) { j = right_link[j]; }
        right_link[i - 1u] = j;
    }
    // The last element without a smaller one to its left is the minimum.
    least[thread] = lowest;
    workgroupBarrier();
    // The neighbours of the minimum: the nearest part with a smaller one, then inside it.
    var left = NONE;
    var right = NONE;
    let parts = (valid + PART - 1u) / PART;
    if thread < parts {
        let key = keys[lowest];
        for (var p = thread; p > 0u && left == NONE; p--) {
            if smaller_left(keys[least[p - 1u]], key) {
                left = p * PART - 1u;
                while !smaller_left(keys[left], key) { left = left_link[left]; }
            }
        }
        for (var p = thread + 1u; p < parts && right == NONE; p++) {
            if smaller_right(keys[least[p]], key) {
                right = p * PART;
                while !smaller_right(keys[right], key) { right = right_link[right]; }
            }
        }
    }
    left_of_least[thread] = left;
    right_of_least[thread] = right;
    workgroupBarrier();
    if thread < parts {
        if left != NONE && left / PART + 1u == thread { merge(start - 1u, left, start, lowest); }
        if right != NONE && right / PART == thread + 1u { merge(end - 1u, lowest, end, right); }
        if left != NONE && right != NONE {
            let i = least[left / PART];
            let j = least[right / PART];
            if smaller_left(keys[i], keys[j]) {
                merge(left, left_of_least[right / PART], right, j);
            } else {
                merge(left, i, right, right_of_least[left / PART]);
            }
        }
    }
    workgroupBarrier();
    for (var i = thread; i < valid; i += THREADS) {
        // At most one of the two is not NONE, which is all ones.
        let l = left_link[i] & left_found[i];
        let r = right_link[i] & right_found[i];
        if WANT_LEFT { left_put(first + i, select(first + l, NONE, l == NONE)); }
        if WANT_RIGHT { right_put(first + i, select(first + r, NONE, r == NONE)); }
    }
}
