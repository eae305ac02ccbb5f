// All nearest smaller values inside tiles, and a list of what is left to be searched for outside of them.

const NO_RUN = 0xffffu;
// An answer inside a tile takes 16 bits.
const NO_ANSWER = 0xffffu;

// The runs' links: to the left in the low half, to the right in the high half.
var<workgroup> links: array<u32, THREADS>;
// Elements that stay open on either side, and where they go in the list of searches.
var<workgroup> open_count: array<atomic<u32>, 2>;
var<workgroup> open_place: array<u32, 2>;

// The answers of a run: bits of those that have none, and two places in the tile a word.
struct Answers { open: u32, words: array<u32, WORDS> }

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
    levels_make(tile, thread);
    let least = run_min(run);
    var link = 0u;
    if WANT_LEFT { link |= left_link_of(thread, least); }
    if WANT_RIGHT { link |= right_link_of(thread, least) << 16u; }
    links[thread] = link;
    workgroupBarrier();
    // Where this thread's open elements are among the tile's.
    var left_answers: Answers;
    var left_place = 0u;
    if WANT_LEFT {
        left_answers = left_solve(run, thread, there);
        let open = left_answers.open;
        if open != 0u { left_place = atomicAdd(&open_count[left_NUMBER], countOneBits(open)); }
    }
    var right_answers: Answers;
    var right_place = 0u;
    if WANT_RIGHT {
        right_answers = right_solve(run, thread, there);
        let open = right_answers.open;
        if open != 0u { right_place = atomicAdd(&open_count[right_NUMBER], countOneBits(open)); }
    }
    workgroupBarrier();
    if WANT_LEFT && thread == 0u { open_place[left_NUMBER] = left_reserve(tile, valid); }
    if WANT_RIGHT && thread == THREADS - 1u { open_place[right_NUMBER] = right_reserve(tile, valid); }
    if WANT_LEFT { left_store(left_answers, tile, thread, valid); }
    if WANT_RIGHT { right_store(right_answers, tile, thread, valid); }
    workgroupBarrier();
    if WANT_LEFT { left_note(left_answers.open, left_place, first + own); }
    if WANT_RIGHT { right_note(right_answers.open, right_place, first + own); }
}
