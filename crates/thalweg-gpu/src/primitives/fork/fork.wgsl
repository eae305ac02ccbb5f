// The parent of every child, and its rank among its siblings, by search in the parents' offsets.
//
// A workgroup places CHILDREN children. Two searches in all offsets tell the parents of its first and its last child, and
// every other child's parent is between them. So a tile takes the same time however unequal the families are.
struct Params { parents: u32, children: u32, tiles: u32 }

const CHILDREN = THREADS * ITEMS;

var<workgroup> ends: array<u32, 2>;

// The last parent of `first..=last` whose children begin at `child` or before. That of `first` must.
fn parent_of(child: u32, first: u32, last: u32) -> u32 {
    var low = first;
    var high = last;
    // The parent is in low..=high, and offsets are those of parents: below `params.parents`.
    while low < high {
        let middle = high - (high - low) / 2u;
        if offsets_at(middle) <= child { low = middle; } else { high = middle - 1u; }
    }
    return low;
}

@compute @workgroup_size(THREADS)
fn fork(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let tile = linear_workgroup(group, groups);
    if tile >= params.tiles { return; }
    // The tile begins at a child that exists.
    let start = tile * CHILDREN;
    let here = min(params.children - start, CHILDREN);
    if thread < 2u { ends[thread] = parent_of(select(start, start + here - 1u, thread == 1u), 0u, params.parents - 1u); }
    workgroupBarrier();
    let first = ends[0];
    let last = ends[1];
    @unroll for (var k = 0u; k < ITEMS; k++) {
        let i = k * THREADS + thread;
        if i < here {
            let parent = parent_of(start + i, first, last);
            parents_of_put(start + i, parent);
            ranks_put(start + i, start + i - offsets_at(parent));
        }
    }
}
