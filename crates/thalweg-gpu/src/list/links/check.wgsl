// Whether the links are lists at all: every link leads to an element, and no two to the same. Counts the ends.
struct Params { count: u32 }

var<workgroup> ends: atomic<u32>;

@compute @workgroup_size(THREADS)
fn check(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    if thread == 0u { atomicStore(&ends, 0u); }
    workgroupBarrier();
    // The count is at most 2^31, so rounding up to whole workgroups does not wrap around.
    let start = linear_workgroup(group, groups) * (THREADS * ITEMS) + thread;
    var own = 0u;
    for (var k = 0u; k < ITEMS; k++) {
        let i = start + k * THREADS;
        if i < params.count {
            let link = next_at(i);
            if link == 0xffffffffu || link == i {
                own++;
            } else if link >= params.count {
                // The largest complement is that of the first element.
                atomicMax(&status[BAD], ~i);
            } else {
                let bit = 1u << (link & 31u);
                if (atomicOr(&followed[link >> 5u], bit) & bit) != 0u { atomicMax(&status[TWICE], ~link); }
            }
        }
    }
    if own != 0u { atomicAdd(&ends, own); }
    workgroupBarrier();
    if thread == 0u {
        let all = atomicLoad(&ends);
        if all != 0u { atomicAdd(&status[ENDS], all); }
    }
}
