// The lowest segments at the places of a tile: a workgroup each.
//
// Segments of the nodes above the tile and those of its lists are put into a tree over its places, in the workgroup's
// memory; a thread then takes the lowest of the nodes above its RUN places. Along a node's places the height goes on by
// addition. If one segment is all there is, nothing needs to be compared.
struct Params {
    count: u32, start: u32, places: u32, tiles: u32, spare: u32, leaves: u32, levels: u32, lanes: u32, split: u32,
}

const LEAF = 1u;
const TILE = THREADS * RUN;

var<workgroup> nodes: array<atomic<u32>, 2u * TILE>;
var<workgroup> here: array<u32, ROOM>;
var<workgroup> here_count: atomic<u32>;
// The tile's first and last place.
var<private> first_place: u32;
var<private> last_place: u32;

fn tree_load(v: u32) -> u32 { return atomicLoad(&nodes[v]); }
fn tree_exchange(v: u32, old: u32, new_one: u32) -> bool {
    return atomicCompareExchangeWeak(&nodes[v], old, new_one).exchanged;
}
fn tree_leaves() -> u32 { return TILE; }
fn leaf_place(leaf: u32) -> u32 { return first_place + leaf; }
fn lost(leaf: u32, segment: u32) {}

// The segments of the nodes above a tile, and those of its lists, shared out among the threads: the node above, plus one, and
// the link, that come next.
struct Walk { node: u32, link: u32 }

fn walk_of(tile: u32, thread: u32) -> Walk {
    var walk = Walk(0u, 0u);
    if thread <= params.levels { walk.node = tree_at((params.leaves + tile) >> thread); }
    if thread < params.lanes { walk.link = heads_at(tile * params.lanes + thread); }
    return walk;
}

// Every item is on one list, once.
fn next_of(walk: ptr<function, Walk>) -> u32 {
    if (*walk).node != 0u {
        let segment = (*walk).node - 1u;
        (*walk).node = 0u;
        return segment;
    }
    if (*walk).link == 0u { return NONE; }
    let item = (*walk).link - 1u;
    (*walk).link = links_at(item);
    if item < 2u * params.count { return item / 2u; }
    return owners_at(item - 2u * params.count);
}

// Node `i` of the tree below a node, which is number 1 there.
fn node_below(top: u32, i: u32) -> u32 {
    let level = firstLeadingBit(i);
    return (top << level) + (i - (1u << level));
}

var<private> best: array<Height, RUN>;
var<private> best_id: array<u32, RUN>;

// Segment `id` at `size` of this thread's places, from `offset` on.
fn challenge(place: u32, offset: u32, size: u32, id: u32) {
    let s = segment_of(id);
    let run = run_of(s);
    let rise = rise_of(s);
    let step = vec2(rise / run, rise % run);
    var gone = gone_at(s, params.start + place + offset);
    @unroll for (var k = 0u; k < RUN; k++) {
        if k >= offset && k < offset + size {
            let height = height_of(s, gone, run);
            if best_id[k] == NONE || is_better(height, id, best[k], best_id[k]) {
                best[k] = height;
                best_id[k] = id;
            }
            // What is left over is less than the run, so the sum wraps around at most once.
            let rest = gone.y + step.y;
            let carry = rest < gone.y || rest >= run;
            gone = vec2(gone.x + step.x + select(0u, 1u, carry), select(rest, rest - run, carry));
        }
    }
}

@compute @workgroup_size(THREADS)
fn lowest_of_tile(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let tile = linear_workgroup(group, groups);
    if tile >= params.tiles { return; }
    first_place = tile * TILE;
    last_place = first_place + min(TILE, params.places - first_place) - 1u;
    for (var v = thread; v < 2u * TILE; v += THREADS) { atomicStore(&nodes[v], 0u); }
    if thread == 0u { atomicStore(&here_count, 0u); }
    workgroupBarrier();
    // What there is no room for is only counted.
    var walk = walk_of(tile, thread);
    for (var segment = next_of(&walk); segment != NONE; segment = next_of(&walk)) {
        let k = atomicAdd(&here_count, 1u);
        if k < ROOM { here[k] = segment; }
    }
    workgroupBarrier();
    let count = atomicLoad(&here_count);
    let place = first_place + thread * RUN;
    @unroll for (var k = 0u; k < RUN; k++) { best_id[k] = NONE; }
    // The same for all threads.
    var alone = count == 0u;
    if count == 1u {
        let s = segment_of(here[0]);
        alone = s.left.x <= params.start + first_place && s.right.x >= params.start + last_place;
        if alone { @unroll for (var k = 0u; k < RUN; k++) { best_id[k] = here[0]; } }
    }
    if !alone {
        var again = walk_of(tile, thread);
        var k = thread;
        loop {
            var segment = NONE;
            if count > ROOM { segment = next_of(&again); } else if k < count { segment = here[k]; }
            k += THREADS;
            if segment == NONE { break; }
            let s = segment_of(segment);
            let start = params.start + first_place;
            let low = TILE + max(s.left.x, start) - start;
            let high = TILE + min(s.right.x, params.start + last_place) - start + 1u;
            insert_range(low, high, segment, TILE_LOG, 0u, 1u);
        }
    }
    workgroupBarrier();
    if place > last_place { return; }
    if !alone {
        // The nodes above all of this thread's places, then those above some: the tree below node `top`.
        let top = THREADS + thread;
        var below = 0u;
        @unroll for (var k = 0u; k < BELOW; k++) { below |= tree_load(node_below(top, k + 2u)); }
        // Often there are none below.
        for (var k = 0u; k < ABOVE + select(BELOW, 0u, below == 0u); k++) {
            var v = top >> k;
            var offset = 0u;
            var size = RUN;
            if k >= ABOVE {
                let i = k - ABOVE + 2u;
                v = node_below(top, i);
                size = RUN >> firstLeadingBit(i);
                offset = i * size - RUN;
            }
            let held = tree_load(v);
            if held != 0u { challenge(place, offset, size, held - 1u); }
        }
    }
    // The last vectors may reach beyond the places, but not beyond their buffer.
    @unroll for (var v = 0u; v < QUADS; v++) {
        if place + 4u * v <= last_place {
            ids_put(place / 4u + v, vec4(best_id[4u * v], best_id[4u * v + 1u], best_id[4u * v + 2u], best_id[4u * v + 3u]));
        }
    }
}
