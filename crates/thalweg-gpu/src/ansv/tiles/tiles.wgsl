// All nearest smaller values inside tiles, and a list of what is left to be searched for outside of them.

const NO_RUN = 0xffffu;

// The runs' links: to the left in the low half, to the right in the high half.
var<workgroup> links: array<u32, THREADS>;
// Elements that stay open on either side, and where they go in the list of searches.
var<workgroup> open_count: array<atomic<u32>, 2>;
var<workgroup> open_place: array<u32, 2>;
// Far elements, to the left in the first half, and then their answers.
const FAR = THREADS / 2u;
var<workgroup> far_count: array<atomic<u32>, 2>;
var<workgroup> far_list: array<u32, THREADS>;

// Elements of a run without an answer: bits of those that have none in the tile, bits of those that are far, and where either
// begin, among the tile's open ones and in the list.
struct Rest { open: u32, far: u32, place: u32, far_place: u32 }
// A far element that stays open, or TILE, and its place among the tile's.
struct Late { element: u32, place: u32 }

@compute @workgroup_size(THREADS)
fn tiles_solve(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let tile = linear_workgroup(group, groups);
    // With it, `tile * TILE < count`: no product below wraps around.
    if tile >= params.tiles { return; }
    let first = tile * TILE;
    let valid = min(TILE, params.count - first);
    let own = thread * ITEMS;
    if thread < 2u {
        atomicStore(&open_count[thread], 0u);
        atomicStore(&far_count[thread], 0u);
    }
    let run = run_load(tile, thread, valid);
    tree_build(thread);
    levels_make(tile, thread);
    let least = run_min(run);
    var link = 0u;
    if WANT_LEFT { link |= left_link_of(thread, least); }
    if WANT_RIGHT { link |= right_link_of(thread, least) << 16u; }
    links[thread] = link;
    workgroupBarrier();
    var left: Rest;
    var right: Rest;
    if WANT_LEFT { left = left_solve(run, tile, thread, valid, least, link & 0xffffu); }
    if WANT_RIGHT { right = right_solve(run, tile, thread, valid, least, link >> 16u); }
    workgroupBarrier();
    var late = Late(TILE, 0u);
    if WANT_LEFT && thread < FAR { late = left_share(thread, first); }
    if WANT_RIGHT && thread >= FAR { late = right_share(thread, first); }
    workgroupBarrier();
    if WANT_LEFT && thread == 0u { open_place[left_NUMBER] = left_reserve(tile, valid); }
    if WANT_RIGHT && thread == THREADS - 1u { open_place[right_NUMBER] = right_reserve(tile, valid); }
    if WANT_LEFT { left_collect(left, first + own); }
    if WANT_RIGHT { right_collect(right, first + own); }
    workgroupBarrier();
    if WANT_LEFT { left_note(left.open, left.place, first + own); }
    if WANT_RIGHT { right_note(right.open, right.place, first + own); }
    if late.element != TILE {
        if thread < FAR { left_note(1u, late.place, first + late.element); } else { right_note(1u, late.place, first + late.element); }
    }
}
