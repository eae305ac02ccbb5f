// The common tangents of pairs of hoods: a workgroup a pair.
//
// The hoods have `slots` slots each, and their points in the first ones. Each thread tries a point of the left hood, and
// those that touch too far to the left or to the right leave a stretch for the next round, THREADS times as short.
struct Params { count: u32, slots: u32, hoods: u32 }

var<workgroup> least: atomic<u32>;
var<workgroup> most: atomic<u32>;
var<workgroup> found: vec3<u32>;

fn hood_at(slot: u32) -> Point { return point_of(keys_at(places_at(slot))); }

@compute @workgroup_size(THREADS)
fn common_tangents(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let pair = linear_workgroup(group, groups);
    // Without a right hood there is nothing to do.
    if 2u * pair + 1u >= params.hoods { return; }
    let start = 2u * pair * params.slots;
    let other = start + params.slots;
    let left = sizes_at(2u * pair);
    let right = sizes_at(2u * pair + 1u);
    if thread == 0u {
        atomicStore(&least, start);
        atomicStore(&most, start + left - 1u);
        found = vec3(0u);
    }
    workgroupBarrier();
    // The common tangent is between the two ends, so a stretch of one point is it.
    while found.z == 0u {
        let first = atomicLoad(&least);
        let last = atomicLoad(&most);
        workgroupBarrier();
        let step = (last - first) / THREADS + 1u;
        let i = first + thread * step;
        if i <= last {
            let q = touch(hood_at(i), other, right);
            switch judge(i, start, left, hood_at(q)) {
                case LOW: { atomicMax(&least, i + 1u); }
                case HIGH: { atomicMin(&most, i - 1u); }
                default: { found = vec3(i, q, 1u); }
            }
        }
        workgroupBarrier();
    }
    if thread == 0u { touches_put(pair, found.xy); }
}
