// Small groups, sorted where they are. A workgroup takes the groups that begin in its block of TILE places and have at most
// as many suffixes, so it may have to look at WINDOW = 2 TILE places. Groups are told by their heads, bits in workgroup
// memory. A suffix stays with its thread, which knows its place; only keys move through workgroup memory.
//
// Runs of 16 are sorted by counting, runs of 32 and more by merging: every key looks for its place in the neighbouring run.
struct Params { count: u32, tiles: u32, words: u32, ahead: u32, steps: u32 }

const WINDOW = THREADS * ITEMS;
const TILE = WINDOW / 2u;
// One word more, for the first head behind the window.
const WORDS = WINDOW / 32u + 1u;
const RUN = 16u;
const NOWHERE = 0xffffffffu;

var<workgroup> keys: array<u32, WINDOW>;
var<workgroup> heads_here: array<u32, WORDS>;
var<workgroup> fresh_here: array<atomic<u32>, WORDS>;
var<workgroup> longest_group: atomic<u32>;
var<workgroup> longest_shared: u32;

// The last head up to a place of the window.
fn head_before(place: u32) -> u32 {
    var word = place / 32u;
    var bits = heads_here[word] & (0xffffffffu >> (31u - (place & 31u)));
    while bits == 0u && word > 0u {
        word--;
        bits = heads_here[word];
    }
    if bits == 0u { return NOWHERE; }
    return 32u * word + firstLeadingBit(bits);
}

// The first head behind a place of the window, which is inside it or just behind, or far away.
fn head_after(place: u32) -> u32 {
    var word = place / 32u;
    var bits = heads_here[word] & (0xfffffffeu << (place & 31u));
    while bits == 0u && word + 1u < WORDS {
        word++;
        bits = heads_here[word];
    }
    if bits == 0u { return NOWHERE; }
    return 32u * word + firstTrailingBit(bits);
}

// Where the group of a place begins and ends, if it is this workgroup's and has something to sort; else nothing.
fn group_at(place: u32) -> vec2<u32> {
    let start = head_before(place);
    if start >= TILE { return vec2(0u); }
    let end = head_after(place);
    let size = end - start;
    if end == NOWHERE || size < 2u || size > TILE { return vec2(0u); }
    return vec2(start, end);
}

@compute @workgroup_size(THREADS)
fn small_groups(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let tile = linear_workgroup(group, groups);
    if tile >= params.tiles { return; }
    let base = tile * TILE;
    if thread < WORDS {
        let word = base / 32u + thread;
        var bits = 0xffffffffu;
        if word < params.words { bits = heads_at(word); }
        heads_here[thread] = bits;
        atomicStore(&fresh_here[thread], 0u);
    }
    if thread == 0u {
        atomicStore(&longest_group, 0u);
        longest_shared = 0u;
    }
    workgroupBarrier();
    // Most blocks have nothing to do in later rounds: heads that no other place follows.
    if thread < TILE / 32u {
        let next = heads_here[thread] >> 1u | heads_here[thread + 1u] << 31u;
        if (heads_here[thread] & ~next) != 0u { longest_shared = 1u; }
    }
    if workgroupUniformLoad(&longest_shared) == 0u { return; }

    var bounds: array<vec2<u32>, ITEMS>;
    var positions: array<u32, ITEMS>;
    var places: array<u32, ITEMS>;
    var moving: array<bool, ITEMS>;
    @unroll for (var k = 0u; k < ITEMS; k++) {
        places[k] = k * THREADS + thread;
        bounds[k] = group_at(places[k]);
        moving[k] = bounds[k].y > 0u;
        // Places behind the last one are heads.
        if moving[k] { positions[k] = sa_at(base + places[k]); }
    }

    for (var step = 1u; step <= params.steps; step++) {
        var longest = 0u;
        @unroll for (var k = 0u; k < ITEMS; k++) { longest = max(longest, bounds[k].y - bounds[k].x); }
        if longest > 0u { atomicMax(&longest_group, longest); }
        workgroupBarrier();
        if thread == 0u {
            longest_shared = atomicLoad(&longest_group);
            atomicStore(&longest_group, 0u);
        }
        let largest = workgroupUniformLoad(&longest_shared);
        if largest < 2u { break; }

        var own: array<u32, ITEMS>;
        @unroll for (var k = 0u; k < ITEMS; k++) {
            if bounds[k].y > 0u {
                own[k] = rank_ahead(base + places[k], positions[k], step);
                keys[places[k]] = own[k];
            }
        }
        workgroupBarrier();
        @unroll for (var k = 0u; k < ITEMS; k++) {
            if bounds[k].y > 0u {
                let place = places[k];
                let run = place - ((place - bounds[k].x) & (RUN - 1u));
                let end = min(run + RUN, bounds[k].y);
                var smaller = 0u;
                for (var other = run; other < end; other++) {
                    let key = keys[other];
                    smaller += select(0u, 1u, key < own[k] || (key == own[k] && other < place));
                }
                places[k] = run + smaller;
            }
        }
        workgroupBarrier();
        @unroll for (var k = 0u; k < ITEMS; k++) {
            if bounds[k].y > 0u { keys[places[k]] = own[k]; }
        }
        workgroupBarrier();
        for (var length = RUN; length < largest; length *= 2u) {
            @unroll for (var k = 0u; k < ITEMS; k++) {
                let offset = places[k] - bounds[k].x;
                let is_right = (offset & length) != 0u;
                let pair = bounds[k].x + (offset & ~(2u * length - 1u));
                let other = pair + select(length, 0u, is_right);
                if other < bounds[k].y {
                    // How many of the other run come before: the left run's keys before equal ones of the right.
                    var low = other;
                    var high = min(other + length, bounds[k].y);
                    while low < high {
                        let middle = (low + high) / 2u;
                        let key = keys[middle];
                        if key < own[k] || (is_right && key == own[k]) { low = middle + 1u; } else { high = middle; }
                    }
                    places[k] = pair + (offset & (length - 1u)) + (low - other);
                }
            }
            workgroupBarrier();
            @unroll for (var k = 0u; k < ITEMS; k++) {
                if bounds[k].y > 0u { keys[places[k]] = own[k]; }
            }
            workgroupBarrier();
        }
        @unroll for (var k = 0u; k < ITEMS; k++) {
            if places[k] > bounds[k].x && bounds[k].y > 0u {
                if keys[places[k] - 1u] != own[k] {
                    atomicOr(&fresh_here[places[k] / 32u], 1u << (places[k] & 31u));
                }
            }
        }
        workgroupBarrier();
        if thread < WORDS { heads_here[thread] |= atomicLoad(&fresh_here[thread]); }
        workgroupBarrier();
        @unroll for (var k = 0u; k < ITEMS; k++) {
            if bounds[k].y > 0u {
                let start = head_before(places[k]);
                let end = head_after(places[k]);
                bounds[k] = select(vec2(0u), vec2(start, end), end - start > 1u);
            }
        }
    }

    @unroll for (var k = 0u; k < ITEMS; k++) {
        if moving[k] && places[k] != k * THREADS + thread { sa_put(base + places[k], positions[k]); }
    }
    if thread < WORDS {
        // Groups of two workgroups may share a word.
        let bits = atomicLoad(&fresh_here[thread]);
        if bits != 0u { fresh_or(base / 32u + thread, bits); }
    }
}
