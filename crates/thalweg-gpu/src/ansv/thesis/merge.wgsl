// Kernel 6: matches between subsets, by merging suffix minima of one with prefix minima of another.
struct Params { count: u32, subsets: u32 }

// Suffix minima from the right end leftwards, prefix minima from the left end rightwards: neither grows.
var<workgroup> xs: array<Key, SUBSET>;
var<workgroup> ys: array<Key, SUBSET>;
var<workgroup> least_x: array<Key, THREADS>;
var<workgroup> least_y: array<Key, THREADS>;

@compute @workgroup_size(THREADS)
fn merge(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let subset = linear_workgroup(group, groups);
    if subset >= params.subsets { return; }
    for (var m = 0u; m < 3u; m++) {
        let range = merges[3u * subset + m];
        if range.x != NONE {
            // Both lie inside a subset.
            let x_count = range.x - range.y + 1u;
            let y_count = range.w - range.z + 1u;
            let x_part = (x_count + THREADS - 1u) / THREADS;
            let y_part = (y_count + THREADS - 1u) / THREADS;
            let x_start = min(thread * x_part, x_count);
            let x_end = min(x_start + x_part, x_count);
            let y_start = min(thread * y_part, y_count);
            let y_end = min(y_start + y_part, y_count);
            var x_least = WORST;
            for (var i = x_start; i < x_end; i++) { x_least = key_min(x_least, key_rank(values_at(range.x - i))); }
            var y_least = WORST;
            for (var i = y_start; i < y_end; i++) { y_least = key_min(y_least, key_rank(values_at(range.z + i))); }
            least_x[thread] = x_least;
            least_y[thread] = y_least;
            workgroupBarrier();
            x_least = WORST;
            y_least = WORST;
            for (var t = 0u; t < thread; t++) {
                x_least = key_min(x_least, least_x[t]);
                y_least = key_min(y_least, least_y[t]);
            }
            for (var i = x_start; i < x_end; i++) {
                x_least = key_min(x_least, key_rank(values_at(range.x - i)));
                xs[i] = x_least;
            }
            for (var i = y_start; i < y_end; i++) {
                y_least = key_min(y_least, key_rank(values_at(range.z + i)));
                ys[i] = y_least;
            }
            workgroupBarrier();
            // Where the merge, largest first, is after `done` elements: `x` of them were xs.
            let total = x_count + y_count;
            let share = (total + THREADS - 1u) / THREADS;
            let done = min(thread * share, total);
            var x = done - min(done, y_count);
            var high = min(done, x_count);
            while x < high {
                let middle = (x + high) / 2u;
                if smaller_left(xs[middle], ys[done - 1u - middle]) { high = middle; } else { x = middle + 1u; }
            }
            var y = done - x;
            for (var k = 0u; k < share && x < x_count && y < y_count; k++) {
                // Elements that are hidden behind a smaller one have been answered inside their subset.
                if smaller_left(xs[x], ys[y]) {
                    if WANT_LEFT && left_at(range.z + y) == NONE { left_put(range.z + y, range.x - x); }
                    y++;
                } else {
                    if WANT_RIGHT && right_at(range.x - x) == NONE { right_put(range.x - x, range.z + y); }
                    x++;
                }
            }
            workgroupBarrier();
        }
    }
}
