// Every node walks up until it meets one that knows its root: a root, or one that was here before.
// Where too many give up after STEPS steps, the trees are deep, and the others do not even try.
//
// What is known of node i are the words 2i and 2i + 1: its root and its depth, both with the bit FINAL.
// As long as that is not known, they are its parent and 1, without the bit. Every word changes once, so whoever sees
// the bit in both sees a root and the depth that belongs to it, and whoever misses it in the first sees the parent.
struct Params { count: u32, patience: u32 }

const FINAL = 0x80000000u;

struct Known { link: u32, depth: u32 }
fn known_of(i: u32) -> Known { return Known(known_load(2u * i), known_load(2u * i + 1u)); }
fn is_known(k: Known) -> bool { return (k.link & k.depth & FINAL) != 0u; }
fn know(i: u32, root: u32, depth: u32) {
    known_store(2u * i, root | FINAL);
    known_store(2u * i + 1u, depth | FINAL);
}

var<workgroup> open: atomic<u32>;
var<workgroup> hopeless: u32;

@compute @workgroup_size(THREADS)
fn sweep(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    if thread == 0u {
        atomicStore(&open, 0u);
        hopeless = atomicLoad(&left[0]);
    }
    let try_it = workgroupUniformLoad(&hopeless) <= params.patience;
    let i = linear_workgroup(group, groups) * THREADS + thread;
    if i < params.count {
        var at = parents_at(i);
        // Roots are known already.
        var done = at == 0xffffffffu || at == i;
        if try_it && !done {
            for (var depth = 1u; depth <= STEPS && !done; depth++) {
                let other = known_of(at);
                if is_known(other) {
                    know(i, other.link & ~FINAL, depth + (other.depth & ~FINAL));
                    done = true;
                } else if (other.link & FINAL) == 0u {
                    at = other.link;
                } else {
                    // It is learning its root right now. Not a root: those are known.
                    at = parents_at(at);
                }
            }
        }
        if !done { atomicAdd(&open, 1u); }
    }
    workgroupBarrier();
    if thread == 0u && atomicLoad(&open) != 0u { atomicAdd(&left[0], atomicLoad(&open)); }
}
