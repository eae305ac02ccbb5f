// Every node walks up until it meets one that knows its root: a root, or one that was here before. After a long walk it
// tells the nodes on its way, so that others need not go it again.
// Where too many give up after STEPS steps, the trees are deep, and the others do not even try.
//
// What is known of a node is a pair: its root and its depth, both with the bit FINAL. As long as that is not known, they
// are its parent and 1, without the bit. Whoever stores a pair stores the same one, so a word changes once: also where a
// device loads the words of a pair one after the other, the bit in both says that they are a root and the depth that belongs to
// it, and no bit in the first says that it is the parent.
struct Params { count: u32, patience: u32 }

const FINAL = 0x80000000u;

fn is_known(pair: vec2<u32>) -> bool { return (pair.x & pair.y & FINAL) != 0u; }
fn know(i: u32, root: u32, depth: u32) { known_store(i, vec2(root, depth) | vec2(FINAL)); }

// The next node on the way up from `i`, of which this is known. If it is learning its root right now, so that its parent is gone,
// the parents tell. Not a root: those are known.
fn up_from(i: u32, pair: vec2<u32>) -> u32 {
    if (pair.x & FINAL) == 0u { return pair.x; }
    return parents_at(i);
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
        var pair = known_load(i);
        var done = is_known(pair);
        if try_it && !done {
            let parent = up_from(i, pair);
            var at = parent;
            var depth = 1u;
            for (; depth <= STEPS; depth++) {
                pair = known_load(at);
                done = is_known(pair);
                if done { break; }
                at = up_from(at, pair);
            }
            if done {
                let root = pair.x & ~FINAL;
                var below = depth + (pair.y & ~FINAL);
                know(i, root, below);
                if depth >= TELL {
                    // Up to the first that knows it already: whoever told that one tells those above, too.
                    for (var on = parent; on != at; ) {
                        let other = known_load(on);
                        if (other.x & FINAL) != 0u { break; }
                        below -= 1u;
                        know(on, root, below);
                        on = other.x;
                    }
                }
            }
        }
        if !done { atomicAdd(&open, 1u); }
    }
    workgroupBarrier();
    if thread == 0u && atomicLoad(&open) != 0u { atomicAdd(&left[0], atomicLoad(&open)); }
}
