// Sublists, walked: one from the splitter of every block of elements, and one from every list's head, each up to the
// next splitter or the list's end. Leaves a mark at every element: its sublist, and the sum of what is before it
// there.
struct Params { count: u32, blocks: u32, sublists: u32, workers: u32, first_head: u32, seed: u32 }

var<workgroup> visits: atomic<u32>;

// The element of a block at which a sublist begins. No array tells: every thread can compute it.
fn splitter(block: u32) -> u32 {
    return min(block * BLOCK + mixed(block ^ params.seed) % BLOCK, params.count - 1u);
}

fn is_splitter(v: u32) -> bool { return v == splitter(v / BLOCK); }

// Where a sublist begins, or NONE.
fn start_of(sublist: u32) -> u32 {
    if sublist < params.blocks { return splitter(sublist); }
    return head(sublist - params.blocks);
}

@compute @workgroup_size(THREADS)
fn walk(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    if thread == 0u { atomicStore(&visits, 0u); }
    workgroupBarrier();
    // Threads take several sublists, as lengths differ, in one loop, so that none waits for another's sublist.
    // Sublists and workers together are fewer than 2^32.
    var sublist = linear_workgroup(group, groups) * THREADS + thread;
    var steps = 0u;
    var sum = Value();
    var v = NONE;
    if sublist < params.sublists { v = start_of(sublist); }
    var first = true;
    // A sublist ends: the links enter no element twice, so a way that meets its own elements again meets its start
    // first, and that is a splitter, as nothing leads to a head.
    while sublist < params.sublists {
        var link = v;
        // A head that is a splitter itself has an empty sublist before it.
        let visit = v != NONE && !(first && sublist >= params.blocks && is_splitter(v));
        if visit {
            mark_put(v, sublist, sum, params.sublists);
            let step = step_of(v);
            sum = value_add(sum, step.value);
            link = step.link;
            steps++;
        }
        first = false;
        if link == NONE || is_splitter(link) {
            sublists_put(sublist, record_of(select(link / BLOCK, NONE, link == NONE), sum));
            sublist += params.workers;
            if sublist < params.sublists { link = start_of(sublist); }
            sum = Value();
            first = true;
        }
        v = link;
    }
    if steps != 0u { atomicAdd(&visits, steps); }
    workgroupBarrier();
    if thread == 0u { atomicAdd(&status[VISITED], atomicLoad(&visits)); }
}
