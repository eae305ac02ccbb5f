// The smallest elements of a range, by a workgroup: down the layers with the nodes that can hold one of them.
//
// Of the nodes inside the range as many are kept in every layer as elements are asked for, those with the smallest minima, the
// leftmost on ties: each of them has an element that comes before all elements of the others. The nodes at the two ends are
// kept beside them, as nobody knows whether their minima lie in the range, and do not count. The largest minimum of those
// that are kept bounds what comes: children above it need not be looked at.
//
// The children that are found are ranked by counting those that come before each, while they are few, as they are on random
// data; else they are sorted in the workgroup's memory, by a bitonic network over as many as there are, rounded up to a power
// of two.
//
// Bounds: a pack is read only if a child in it is not behind that of the right bound, which exists. At most `each` + 2 nodes
// are kept, and ROOM holds all of their children.
struct Params {
    rows: u32,
    // How many elements are asked for.
    each: u32,
    // The packs where the layers begin, the lowest first.
    start_1: u32, start_2: u32, start_3: u32, start_4: u32, start_5: u32, start_6: u32, start_7: u32,
}

const NODE_PACKS = 32u / PACK;
const ROOM = 32u * KEPT;
// Candidates that are counted at most.
const FEW = 64u;

var<workgroup> keys: array<Key, ROOM>;
// Children by their parent's number and their own below it.
var<workgroup> parents: array<u32, ROOM>;
var<workgroup> slots: array<u32, ROOM>;
var<workgroup> found: atomic<u32>;
var<workgroup> candidates: u32;
var<workgroup> kept: array<u32, KEPT>;
var<workgroup> keeping: u32;
var<workgroup> ends: array<u32, 2>;
var<workgroup> ended: atomic<u32>;
var<workgroup> bound: Key;

fn start_of(level: u32) -> u32 {
    switch level {
        case 1u: { return params.start_1; }
        case 2u: { return params.start_2; }
        case 3u: { return params.start_3; }
        case 4u: { return params.start_4; }
        case 5u: { return params.start_5; }
        case 6u: { return params.start_6; }
        default: { return params.start_7; }
    }
}

// The ranks of a pack of children in layer `level`, of which 0 are the elements.
fn children_of(level: u32, pack: u32) -> Pack {
    if level == 0u { return pack_ranks(values_at(pack)); }
    return minima_at(start_of(level) + pack);
}

// The lowest layer in which the range lies in at most two nodes.
fn layer_over(q: Query) -> u32 {
    var level = 1u;
    while level < LEVELS && node_over(q.left, 5u * (level - 1u)) + 1u < node_over(q.right, 5u * (level - 1u)) { level++; }
    return level;
}

// Whether candidate `a` comes before `b`: a smaller rank, or further to the left.
fn comes_before(a: u32, b: u32) -> bool {
    if !key_equal(keys[a], keys[b]) { return key_less(keys[a], keys[b]); }
    return parents[a] < parents[b] || (parents[a] == parents[b] && slots[a] < slots[b]);
}

fn exchange(a: u32, b: u32) {
    let key = keys[a];
    keys[a] = keys[b];
    keys[b] = key;
    let parent = parents[a];
    parents[a] = parents[b];
    parents[b] = parent;
    let slot = slots[a];
    slots[a] = slots[b];
    slots[b] = slot;
}

// Sorts the candidates. `count` is the same in all threads.
fn sort(thread: u32, count: u32) {
    // Filled up with what comes after everything.
    var padded = 1u;
    while padded < count { padded *= 2u; }
    for (var i = count + thread; i < padded; i += THREADS) {
        keys[i] = WORST;
        parents[i] = 0xffffffffu;
        slots[i] = 0xffffffffu;
    }
    workgroupBarrier();
    for (var size = 2u; size <= padded; size *= 2u) {
        for (var stride = size / 2u; stride > 0u; stride /= 2u) {
            for (var i = thread; i < padded / 2u; i += THREADS) {
                let low = 2u * i - (i & (stride - 1u));
                if comes_before(low + stride, low) == ((low & size) == 0u) { exchange(low, low + stride); }
            }
            workgroupBarrier();
        }
    }
}

// Candidate `i` is the one at this place among the smallest: a node to be opened, or an answer.
fn tell(row: u32, place: u32, i: u32, level: u32) {
    if level == 1u {
        out_put(row * params.each + place, position_of(parents[i] << 5u | slots[i], parents[i] >> 27u));
        return;
    }
    kept[place] = parents[i] << 5u | slots[i];
    if place + 1u == params.each { bound = keys[i]; }
}

@compute @workgroup_size(THREADS)
fn smallest(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let row = linear_workgroup(group, groups);
    let inside = row < params.rows;
    // Of no row: nothing is kept, so nothing is done.
    let q = query_of(queries_at(select(0u, row, inside)));
    let top = layer_over(q);
    if thread == 0u {
        let height = 5u * (top - 1u);
        kept[0] = node_over(q.left, height);
        kept[1] = node_over(q.right, height);
        keeping = select(0u, select(1u, 2u, kept[0] != kept[1]), inside);
        bound = WORST;
    }
    // All layers that there are, so that the workgroup meets at every barrier.
    for (var level = LEVELS; level > 0u; level--) {
        workgroupBarrier();
        let opened = select(0u, keeping, level <= top);
        if thread == 0u && level <= top {
            atomicStore(&found, 0u);
            atomicStore(&ended, 0u);
        }
        workgroupBarrier();
        let most = bound;
        let height = 5u * (level - 1u);
        let left = vec2(node_over(q.left, height), slot_under(q.left, height));
        let right = vec2(node_over(q.right, height), slot_under(q.right, height));
        for (var i = thread; i < opened * NODE_PACKS; i += THREADS) {
            let node = kept[i / NODE_PACKS];
            let slot = i % NODE_PACKS * PACK;
            let first = select(0u, left.y, node == left.x);
            let last = select(31u, right.y, node == right.x);
            if slot + PACK > first && slot <= last {
                let ranks = children_of(level - 1u, node * NODE_PACKS + i % NODE_PACKS);
                for (var k = 0u; k < PACK; k++) {
                    let rank = pack_key(ranks, k);
                    let child = vec2(node, slot + k);
                    if child.y >= first && child.y <= last && !key_less(most, rank) {
                        if level > 1u && (all(child == left) || all(child == right)) {
                            // At an end of the range. Of these there are two.
                            ends[atomicAdd(&ended, 1u)] = child.x << 5u | child.y;
                        } else {
                            let at = atomicAdd(&found, 1u);
                            keys[at] = rank;
                            parents[at] = child.x;
                            slots[at] = child.y;
                        }
                    }
                }
            }
        }
        workgroupBarrier();
        if thread == 0u { candidates = select(0u, atomicLoad(&found), level <= top); }
        // The same for all, so that they meet at every barrier.
        let count = workgroupUniformLoad(&candidates);
        let told = min(count, params.each);
        if count <= FEW {
            for (var i = thread; i < count; i += THREADS) {
                var place = 0u;
                for (var k = 0u; k < count; k++) { place += select(0u, 1u, comes_before(k, i)); }
                if place < told { tell(row, place, i, level); }
            }
        } else {
            sort(thread, count);
            for (var i = thread; i < told; i += THREADS) { tell(row, i, i, level); }
        }
        if level > 1u {
            let extra = select(0u, atomicLoad(&ended), level <= top);
            if thread < extra { kept[told + thread] = ends[thread]; }
            if thread == 0u && level <= top { keeping = told + extra; }
        }
    }
    workgroupBarrier();
    if inside {
        let count = atomicLoad(&found);
        for (var i = count + thread; i < params.each; i += THREADS) {
            out_put(row * params.each + i, position_of(0xffffffffu, 0xffffffffu));
        }
    }
}
