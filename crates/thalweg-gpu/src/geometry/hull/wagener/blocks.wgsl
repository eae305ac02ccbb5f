// The hoods of blocks of points: of 1, 2, 4, ... points, each joined from the two before, in a workgroup's memory.
//
// A hood of d slots has its points in the first ones. A thread stands for a point of a left hood and a slot of the right one
// beside it: it looks for the tangent from its point, the one whose tangent is the common one tells both sides, and then it
// moves its slot's point to its place, or drops it.
struct Params { count: u32 }

const BLOCK = 2u * THREADS;

var<workgroup> block: array<Point, BLOCK>;
// Numbers in the block, and how many a hood has.
var<workgroup> hood: array<u32, BLOCK>;
var<workgroup> sizes: array<u32, BLOCK>;
// Per pair: the slots where the common tangent touches.
var<workgroup> touches: array<vec2<u32>, THREADS>;

fn hood_at(slot: u32) -> Point { return block[hood[slot]]; }

@compute @workgroup_size(THREADS)
fn hoods_of_blocks(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let number = linear_workgroup(group, groups);
    let first = number * BLOCK;
    // The last row of workgroups may reach beyond the points.
    if first >= params.count { return; }
    let count = min(params.count - first, BLOCK);
    for (var i = thread; i < BLOCK; i += THREADS) {
        if i < count { block[i] = point_of(keys_at(places_at(first + i))); }
        hood[i] = i;
        sizes[i] = select(0u, 1u, i < count);
    }
    workgroupBarrier();
    for (var d = 1u; d < BLOCK; d *= 2u) {
        let pair = thread / d;
        let start = pair * 2u * d;
        let rank = thread % d;
        let left = sizes[2u * pair];
        let right = sizes[2u * pair + 1u];
        if rank < left && right > 0u {
            let q = touch(hood_at(start + rank), start + d, right);
            // One thread of a pair finds this.
            if judge(start + rank, start, left, hood_at(q)) == EQUAL { touches[pair] = vec2(start + rank, q); }
        }
        workgroupBarrier();
        let joined = right > 0u;
        let moved = joined && start + d + rank >= touches[pair].y && rank < right;
        let point = hood[start + d + rank];
        // Where the right hood's first point that stays goes to.
        let target_slot = touches[pair].x + 1u;
        let skipped = touches[pair].y;
        workgroupBarrier();
        // Not beyond the slot that it comes from: the left hood has d at most.
        if moved { hood[target_slot + (start + d + rank - skipped)] = point; }
        if rank == 0u { sizes[pair] = select(left, (target_slot - start) + (start + d + right - skipped), joined); }
        workgroupBarrier();
    }
    for (var i = thread; i < count; i += THREADS) {
        if FLAGS { out_put(first + i, 0u); } else if i < sizes[0] { out_put(first + i, places_at(first + hood[i])); }
    }
    if FLAGS {
        storageBarrier();
        for (var i = thread; i < sizes[0]; i += THREADS) { out_put(first + hood[i], 1u); }
    } else if thread == 0u { sizes_out_put(number, sizes[0]); }
}
