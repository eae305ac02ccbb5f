// All rows of windows at once, each from the one before it, in the workgroup's memory. A workgroup makes THREADS windows of
// every length, for which it needs as many elements that follow: the longest window is shorter.
struct Params { count: u32 }

const SEEN = 2u * THREADS;
var<workgroup> minima: array<Key, SEEN>;

@compute @workgroup_size(THREADS)
fn make_windows(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let start = linear_workgroup(group, groups) * THREADS;
    for (var i = thread; i < SEEN; i += THREADS) {
        // A window that reaches beyond the array is never asked for; the last element stands in.
        minima[i] = key_rank(values_at(min(start + i, params.count - 1u)));
    }
    workgroupBarrier();
    for (var row = 0u; row < WINDOW_ROWS; row++) {
        if start + thread < params.count { windows_put(row * params.count + start + thread, minima[thread]); }
        // The next row's windows are three of the first row's, or two of this one's.
        let width = window_width(row);
        var least: array<Key, 2>;
        for (var half = 0u; half < 2u; half++) {
            let i = half * THREADS + thread;
            least[half] = key_min(minima[i], minima[min(i + width, SEEN - 1u)]);
            if row == 0u { least[half] = key_min(least[half], minima[min(i + 2u, SEEN - 1u)]); }
        }
        workgroupBarrier();
        for (var half = 0u; half < 2u; half++) { minima[half * THREADS + thread] = least[half]; }
        workgroupBarrier();
    }
}
