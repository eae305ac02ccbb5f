// Which points may be on the hull: all but those that lie strictly between the inner bounds of their slab.
//
// A workgroup takes the table of bounds into its own memory, reads its stretch of the points once, and gathers the places
// of those that stay in its own memory, too, so that the list of all is asked for room once a workgroup.
//
// `packs` vectors hold `count` points, the first of which has the number `first`; a workgroup takes `stretch` vectors.
struct Params {
    count: u32, packs: u32, stretch: u32, first: u32, capacity: u32,
    x_shift: u32, x_low: u32, x_high: u32,
    y_shift: u32, y_low: u32, y_high: u32,
}

const TILE = THREADS * PACKS;

// Per slab the first height inside, and how many are inside. The last entry has none: what belongs to no slab stays.
var<workgroup> table: array<vec2<u32>, SLABS + 1u>;
// Those that stay, as far as there is room.
var<workgroup> kept: array<u32, ROOM>;
var<workgroup> kept_count: atomic<u32>;
var<workgroup> kept_start: u32;

fn is_inside(x: Number, y: Number) -> bool {
    let bounds = table[min(slab_of(x), SLABS)];
    return height_of(y) - bounds.x < bounds.y;
}

// Word 0 of the list counts all that stay, also those that it has no room for. `slot` < 2^32 - 1: so are the points.
fn store(slot: u32, point: u32) {
    if slot < params.capacity { atomicStore(&survivors[slot + 1u], point); }
}

// Below ROOM in the workgroup's memory; the rest, which is rare or too much anyway, one by one.
fn keep(point: u32) {
    let slot = atomicAdd(&kept_count, 1u);
    if slot < ROOM { kept[slot] = point; } else { store(atomicAdd(&survivors[0], 1u), point); }
}

@compute @workgroup_size(THREADS)
fn filter_points(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    // Below 2^32: there are fewer than 2^32 points, and the last workgroup begins among them or has nothing to do.
    let start = linear_workgroup(group, groups) * params.stretch;
    if start >= params.packs { return; }
    let end = start + min(params.stretch, params.packs - start);
    for (var s = thread; s <= SLABS; s += THREADS) { table[s] = bounds_at(s); }
    if thread == 0u { atomicStore(&kept_count, 0u); }
    workgroupBarrier();
    for (var at = start; at < end; at += TILE) {
        // Too many stay: nobody will ask which.
        if atomicLoad(&kept_count) > ROOM && atomicLoad(&survivors[0]) > params.capacity { break; }
        var packs: array<vec4<u32>, PACKS>;
        let remaining = end - at;
        if remaining >= TILE {
            @unroll for (var v = 0u; v < PACKS; v++) { packs[v] = points_at(at + v * THREADS + thread); }
        } else {
            @unroll for (var v = 0u; v < PACKS; v++) {
                if v * THREADS + thread < remaining { packs[v] = points_at(at + v * THREADS + thread); }
            }
        }
        // A bit for each point that stays.
        var stay = 0u;
        @unroll for (var v = 0u; v < PACKS; v++) {
            @unroll for (var j = 0u; j < POINTS; j++) {
                if !is_inside(pack_number(packs[v], 2u * j), pack_number(packs[v], 2u * j + 1u)) {
                    stay |= 1u << (POINTS * v + j);
                }
            }
        }
        while stay != 0u {
            let bit = firstTrailingBit(stay);
            stay &= stay - 1u;
            let pack = at + (bit / POINTS) * THREADS + thread;
            let point = POINTS * pack + bit % POINTS;
            // Vectors beyond the stretch were not read.
            if pack < end && point < params.count { keep(params.first + point); }
        }
    }
    workgroupBarrier();
    let mine = min(atomicLoad(&kept_count), ROOM);
    if thread == 0u && mine > 0u { kept_start = atomicAdd(&survivors[0], mine); }
    workgroupBarrier();
    for (var k = thread; k < mine; k += THREADS) { store(kept_start + k, kept[k]); }
}
