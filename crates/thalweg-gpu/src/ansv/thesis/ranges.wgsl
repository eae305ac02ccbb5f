// Kernel 5: which elements kernel 6 has to merge. Up to three merges a subset; each is what one subset shows to the right,
// from `x` down to `y`, and a later one to the left, from `z` up to `w`. NONE in `x`: no merge.
struct Params { count: u32, subsets: u32 }

const NO_MERGE = vec4<u32>(NONE, NONE, NONE, NONE);

@compute @workgroup_size(THREADS)
fn ranges(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let k = linear_workgroup(group, groups) * THREADS + thread;
    if k >= params.subsets { return; }
    let at = minimum_at[k];
    let left = neighbours[k].x;
    let right = neighbours[k].y;
    var before = NO_MERGE;
    var after = NO_MERGE;
    var around = NO_MERGE;
    if left != NONE && left / SUBSET + 1u == k { before = vec4(k * SUBSET - 1u, left, k * SUBSET, at); }
    if right != NONE && right / SUBSET == k + 1u { after = vec4((k + 1u) * SUBSET - 1u, at, (k + 1u) * SUBSET, right); }
    if left != NONE && right != NONE {
        let i = left / SUBSET;
        let j = right / SUBSET;
        if smaller_left(minimum_key[i], minimum_key[j]) {
            around = vec4(left, neighbours[j].x, right, minimum_at[j]);
        } else {
            around = vec4(left, minimum_at[i], right, neighbours[i].y);
        }
    }
    merges_put(3u * k, before);
    merges_put(3u * k + 1u, after);
    merges_put(3u * k + 2u, around);
}
