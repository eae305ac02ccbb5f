// The elements that follow nobody, in any order. There are as many as there are ends.
struct Params { count: u32 }

var<workgroup> found: atomic<u32>;
var<workgroup> place: u32;

@compute @workgroup_size(THREADS)
fn list_heads(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    if thread == 0u { atomicStore(&found, 0u); }
    workgroupBarrier();
    let word = linear_workgroup(group, groups) * THREADS + thread;
    var bits = 0u;
    if word < (params.count + 31u) / 32u {
        bits = ~followed[word];
        let there = params.count - 32u * word;
        if there < 32u { bits &= (1u << there) - 1u; }
    }
    let own = atomicAdd(&found, countOneBits(bits));
    workgroupBarrier();
    if thread == 0u { place = atomicAdd(&status[HEADS], atomicLoad(&found)); }
    workgroupBarrier();
    var at = place + own;
    while bits != 0u {
        heads_put(at, 32u * word + firstTrailingBit(bits));
        bits &= bits - 1u;
        at++;
    }
}
