// All nearest smaller values inside tiles, and a list of what is left to be searched for outside of them.

const NO_RUN = 0xffffu;
// An answer inside a tile takes 16 bits.
const NO_ANSWER = 0xffffu;

// The runs' links: to the left in the low half, to the right in the high half.
var<workgroup> links: array<u32, THREADS>;
// Elements that stay open on either side, and where they go in the list of searches.
var<workgroup> open_count: array<atomic<u32>, 2>;
var<workgroup> open_place: array<u32, 2>;

fn answer_of(first: u32, place: u32) -> u32 { return select(first + place, NONE, place == NO_ANSWER); }

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
    // Which of the run's elements there are.
    let there = low_bits(clamp(valid, own, own + ITEMS) - own);
    if thread < 2u { atomicStore(&open_count[thread], 0u); }
    let run = run_load(tile, thread, valid);
    tree_build(thread);
    let least = run_min(run);
    var link = 0u;
    LINK_SIDES
    links[thread] = link;
    workgroupBarrier();
    LOCAL_SIDES
    workgroupBarrier();
    RESERVE_SIDES
    STORE_SIDES
    workgroupBarrier();
    NOTE_SIDES
}
