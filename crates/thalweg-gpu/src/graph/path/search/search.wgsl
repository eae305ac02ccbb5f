// A workgroup a search. See mod.rs.
struct Params {
    cols: u32,
    queries: u32,
    // Words of a search's lengths, and searches of one buffer of them.
    cells: u32,
    slots: u32,
    // Entries of a chunk, and cells of a segment, as powers of two.
    chunk_log: u32,
    segment_log: u32,
    // Rounds of this dispatch.
    rounds: u32,
    resume: u32,
    // Words of the paths' buffer.
    room: u32,
    // The least cost of a cell, and the width of a bucket as a power of two.
    least_cost: u32,
    shift: u32,
}

// Entries that a round takes at most.
const TAKEN = THREADS / 8u;
const BUCKETS = 32u;
const SEGMENTS = 256u;

const NO_PATH = 0xffffffffu;
// The queue was full, a length was too large, or there was no room for the path.
const FULL = 0xfffffffeu;
const LONG = 0xfffffffdu;
const NO_ROOM = 0xfffffffcu;

// What a round does.
const SEARCH = 0u;
const FINISH = 1u;
const FETCH = 2u;
const REST = 3u;

// Entries that every bucket ever had and those that were taken, since it was empty; the chunks of the first that is left and
// of the last. What is taken is the last, or the first with QUEUES, and then the count of all only grows.
var<workgroup> counts: array<u32, BUCKETS>;
var<workgroup> takens: array<u32, BUCKETS>;
var<workgroup> heads: array<u32, BUCKETS>;
var<workgroup> tops: array<u32, BUCKETS>;
// Entries that a round adds; and where they go: the count and chunk before.
var<workgroup> added: array<atomic<u32>, BUCKETS>;
var<workgroup> bases: array<u32, BUCKETS>;
var<workgroup> lows: array<u32, BUCKETS>;
// For every chunk the one with the entries before it, or behind it with QUEUES; and the chunks that nobody uses.
var<workgroup> links: array<u32, CHUNKS>;
var<workgroup> spare: array<u32, CHUNKS>;
var<workgroup> spares: atomic<u32>;
var<workgroup> released: u32;
// Buckets with entries.
var<workgroup> filled: atomic<u32>;
// Segments of the lengths that are not clear.
var<workgroup> dirty: array<atomic<u32>, SEGMENTS>;
var<workgroup> successors: array<u32, WAYS * 64u>;
// The least length at the goal.
var<workgroup> best: atomic<u32>;
var<workgroup> trouble: atomic<u32>;

// (what, chunk, first entry, entries).
var<workgroup> plan: vec4<u32>;
struct Query { row: u32, start: u32, goal: u32, goal_row: u32, goal_column: u32, low: u32, bucket: u32, rounds: u32 }
var<workgroup> query: Query;
var<workgroup> marks_of_goal: array<vec4<u32>, MARKS + 1u>;
// The path's first word in the output, and its cells.
var<workgroup> path_start: u32;
var<workgroup> path_cells: u32;

fn distance_of(a: u32, b: u32) -> u32 { return max(a, b) - min(a, b); }

// The length of the way on an empty map of the least cost. Sides are short enough that it fits.
fn octile(rows: u32, columns: u32) -> u32 {
    if FOUR { return (rows + columns) * STRAIGHT * params.least_cost; }
    let both = min(rows, columns);
    return (both * DIAGONAL + (max(rows, columns) - both) * STRAIGHT) * params.least_cost;
}

// A lower bound of the way to the goal.
fn bound(cell: u32, row: u32, column: u32) -> u32 {
    var least = octile(distance_of(row, query.goal_row), distance_of(column, query.goal_column));
    @unroll for (var k = 0u; k < MARKS; k++) {
        let here = landmarks[cell * MARKS + k];
        let there = marks_of_goal[k];
        var apart = max(here, there) - min(here, there);
        // With costs the way back may cost more.
        if !SYMMETRIC { apart = select(vec4(0u), apart, there > here); }
        least = max(least, max(max(apart.x, apart.y), max(apart.z, apart.w)));
    }
    return least;
}

fn entry_at(slot: u32, chunk: u32, place: u32) -> u32 {
    return (((slot * CHUNKS) + chunk) << params.chunk_log) + place;
}

// Takes the next query, or rests. By one thread.
fn fetch() {
    let row = atomicAdd(&next[0], 1u);
    if row >= params.queries {
        plan = vec4(REST, 0u, 0u, 0u);
        return;
    }
    let cells = queries[row];
    query.row = row;
    query.start = cells.x;
    query.goal = cells.y;
    query.goal_row = cells.y / params.cols;
    query.goal_column = cells.y - query.goal_row * params.cols;
    for (var k = 0u; k < MARKS; k++) { marks_of_goal[k] = landmarks[cells.y * MARKS + k]; }
    let start_row = cells.x / params.cols;
    query.low = bound(cells.x, start_row, cells.x - start_row * params.cols);
    query.bucket = 0u;
    query.rounds = 0u;
    plan = vec4(SEARCH, 0u, 0u, 1u);
}

// What the next round does. By one thread.
fn next_round() {
    let at = query.bucket % BUCKETS;
    let bits = atomicLoad(&filled);
    var ahead = bits >> at;
    if at > 0u { ahead |= bits << (BUCKETS - at); }
    plan = vec4(FINISH, 0u, 0u, 0u);
    if ahead == 0u || (atomicLoad(&trouble) & 1u) != 0u { return; }
    query.bucket += countTrailingZeros(ahead);
    let least = query.low + (query.bucket << params.shift);
    let goal = atomicLoad(&best);
    if least > goal || (!PATHS && least == goal) { return; }
    let b = query.bucket % BUCKETS;
    let mask = (1u << params.chunk_log) - 1u;
    if QUEUES {
        let first = takens[b];
        let end = min(counts[b], (first | mask) + 1u);
        plan = vec4(SEARCH, heads[b], first & mask, min(end - first, TAKEN));
    } else {
        let inside = ((counts[b] - 1u) & mask) + 1u;
        let taken = min(inside, TAKEN);
        plan = vec4(SEARCH, tops[b], inside - taken, taken);
    }
}

// Takes this round's entries off a bucket, and makes room for those added. By one thread a bucket.
fn adjust(b: u32, taken: u32) {
    var count = counts[b];
    var top = tops[b];
    let mask = (1u << params.chunk_log) - 1u;
    if b == query.bucket % BUCKETS && taken > 0u {
        if QUEUES {
            takens[b] += taken;
            if takens[b] == count || (takens[b] & mask) == 0u {
                released = heads[b];
                heads[b] = links[heads[b]];
            }
            if takens[b] == count {
                takens[b] = 0u;
                count = 0u;
            }
        } else {
            count -= taken;
            if (count & mask) == 0u {
                released = top;
                top = links[top];
            }
        }
    }
    bases[b] = count;
    lows[b] = top;
    let more = atomicExchange(&added[b], 0u);
    // At most one chunk: a round adds no more than a chunk holds.
    if ((count + mask) >> params.chunk_log) != ((count + more + mask) >> params.chunk_log) {
        let left = atomicSub(&spares, 1u);
        if left == 0u || left > CHUNKS {
            // Whatever is written now goes anywhere: the search is given up.
            atomicOr(&trouble, 1u);
            top = 0u;
        } else {
            let fresh = spare[left - 1u];
            if !QUEUES {
                links[fresh] = top;
            } else if count > 0u {
                links[top] = fresh;
            }
            if count == 0u { heads[b] = fresh; }
            top = fresh;
        }
    }
    counts[b] = count + more;
    tops[b] = top;
    if count + more > 0u { atomicOr(&filled, 1u << b); }
}

// Forgets all entries.
fn reset(thread: u32) {
    if thread < BUCKETS {
        counts[thread] = 0u;
        takens[thread] = 0u;
        heads[thread] = 0u;
        tops[thread] = 0u;
        atomicStore(&added[thread], 0u);
    }
    for (var k = thread; k < CHUNKS; k += THREADS) { spare[k] = CHUNKS - 1u - k; }
    for (var k = thread; k < SEGMENTS; k += THREADS) { atomicStore(&dirty[k], 0u); }
    if thread == 0u {
        atomicStore(&spares, CHUNKS);
        atomicStore(&best, NO_PATH);
        atomicStore(&trouble, 0u);
        atomicStore(&filled, 0u);
        released = NO_PATH;
        // For a state that is stored before the first query.
        query = Query();
    }
}

// What is kept between dispatches, word by word: of arrays, then of single words.
const ARRAYS = 4u * BUCKETS + 2u * CHUNKS + SEGMENTS;
const WORDS = ARRAYS + 16u;
const LONGEST = max(CHUNKS, SEGMENTS);

fn store_state(slot: u32, thread: u32) {
    let at = slot * WORDS;
    for (var k = thread; k < LONGEST; k += THREADS) {
        if k < CHUNKS {
            state[at + k] = links[k];
            state[at + CHUNKS + k] = spare[k];
        }
        if k < SEGMENTS { state[at + 2u * CHUNKS + k] = atomicLoad(&dirty[k]); }
        if k < BUCKETS {
            let of_bucket = at + 2u * CHUNKS + SEGMENTS + 4u * k;
            state[of_bucket] = counts[k];
            state[of_bucket + 1u] = tops[k];
            state[of_bucket + 2u] = takens[k];
            state[of_bucket + 3u] = heads[k];
        }
    }
    if thread == 0u {
        let single = at + ARRAYS;
        state[single] = query.row;
        state[single + 1u] = query.start;
        state[single + 2u] = query.goal;
        state[single + 3u] = query.goal_row;
        state[single + 4u] = query.goal_column;
        state[single + 5u] = query.low;
        state[single + 6u] = query.bucket;
        state[single + 7u] = query.rounds;
        for (var k = 0u; k < 4u; k++) { state[single + 8u + k] = plan[k]; }
        state[single + 12u] = atomicLoad(&best);
        state[single + 13u] = atomicLoad(&trouble);
        state[single + 14u] = atomicLoad(&spares);
        state[single + 15u] = atomicLoad(&filled);
    }
}

fn load_state(slot: u32, thread: u32) {
    let at = slot * WORDS;
    for (var k = thread; k < LONGEST; k += THREADS) {
        if k < CHUNKS {
            links[k] = state[at + k];
            spare[k] = state[at + CHUNKS + k];
        }
        if k < SEGMENTS { atomicStore(&dirty[k], state[at + 2u * CHUNKS + k]); }
        if k < BUCKETS {
            let of_bucket = at + 2u * CHUNKS + SEGMENTS + 4u * k;
            counts[k] = state[of_bucket];
            tops[k] = state[of_bucket + 1u];
            takens[k] = state[of_bucket + 2u];
            heads[k] = state[of_bucket + 3u];
            atomicStore(&added[k], 0u);
        }
    }
    if thread == 0u {
        let single = at + ARRAYS;
        query = Query(state[single], state[single + 1u], state[single + 2u], state[single + 3u],
            state[single + 4u], state[single + 5u], state[single + 6u], state[single + 7u]);
        plan = vec4(state[single + 8u], state[single + 9u], state[single + 10u], state[single + 11u]);
        atomicStore(&best, state[single + 12u]);
        atomicStore(&trouble, state[single + 13u]);
        atomicStore(&spares, state[single + 14u]);
        atomicStore(&filled, state[single + 15u]);
        released = NO_PATH;
        for (var k = 0u; k < MARKS; k++) { marks_of_goal[k] = landmarks[query.goal * MARKS + k]; }
    }
}

@compute @workgroup_size(THREADS)
fn search(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let slot = linear_workgroup(group, groups);
    let shard = slot / params.slots;
    let first = (slot - shard * params.slots) * params.cells;
    for (var k = thread; k < WAYS * 64u; k += THREADS) { successors[k] = table[k]; }
    if params.resume != 0u {
        load_state(slot, thread);
    } else {
        reset(thread);
        if thread == 0u { plan = vec4(FETCH, 0u, 0u, 0u); }
    }
    for (var round = 0u; round < params.rounds; round++) {
        storageBarrier();
        let now = workgroupUniformLoad(&plan);
        if now.x == REST { break; }
        if now.x == FETCH {
            if thread == 0u {
                fetch();
                if plan.x == SEARCH {
                    // The start is the only entry, and its length is 0.
                    let chunk = spare[CHUNKS - 1u];
                    atomicStore(&spares, CHUNKS - 1u);
                    links[chunk] = 0u;
                    counts[0] = 1u;
                    tops[0] = chunk;
                    heads[0] = chunk;
                    plan.y = chunk;
                    entries[entry_at(slot, chunk, 0u)] = (query.start << 4u) | 8u;
                    lengths_improve(shard, first + query.start, 0xffffffffu);
                    let segment = query.start >> params.segment_log;
                    atomicOr(&dirty[segment / 32u], 1u << (segment % 32u));
                    if query.start == query.goal { atomicStore(&best, 0u); }
                }
            }
            continue;
        }
        if now.x == FINISH {
            if PATHS { walk_back(slot, shard, first, thread); }
            workgroupBarrier();
            if thread == 0u {
                var told = atomicLoad(&best);
                let problems = atomicLoad(&trouble);
                // A length that was found is right even if others were too large.
                if told == NO_PATH && (problems & 2u) != 0u { told = LONG; }
                if (problems & 1u) != 0u { told = FULL; }
                if (problems & 4u) != 0u { told = NO_ROOM; }
                answers[query.row] = vec4(told, query.rounds, path_start, path_cells);
                atomicAdd(&next[1], 1u);
            }
            // Clear the lengths for the next search.
            for (var word = 0u; word < SEGMENTS; word++) {
                var bits = atomicLoad(&dirty[word]);
                while bits != 0u {
                    let start = (word * 32u + countTrailingZeros(bits)) << params.segment_log;
                    bits &= bits - 1u;
                    let end = min(start + (1u << params.segment_log), params.cells);
                    for (var k = start + thread; k < end; k += THREADS) { lengths_clear(shard, first + k); }
                }
            }
            workgroupBarrier();
            reset(thread);
            if thread == 0u { plan = vec4(FETCH, 0u, 0u, 0u); }
            // All this takes as long as many rounds.
            round += FINISH_ROUNDS - 1u;
            continue;
        }
        // A new entry, with its bucket and its place among what is added there.
        var kept = vec2(0u);
        var keeps = false;
        // Eight threads an entry, one for each direction.
        let taken_here = thread / 8u;
        if taken_here < now.w {
            let entry = entries[entry_at(slot, now.y, now.z + taken_here)];
            let cell = entry >> 4u;
            let row = cell / params.cols;
            let column = cell - row * params.cols;
            let open = (around[cell / 4u] >> (8u * (cell % 4u))) & 255u;
            let index = (entry & 15u) * 256u + open;
            let steps = (successors[index / 4u] >> (8u * (index % 4u))) & 255u;
            let way = thread % 8u;
            if ((steps >> way) & 1u) != 0u {
                let length = ~lengths_at(shard, first + cell);
                let estimate = length + bound(cell, row, column);
                let goal = atomicLoad(&best);
                let to_row = row + row_step(way);
                let to_column = column + column_step(way);
                let to = to_row * params.cols + to_column;
                let step = step_to(to, way);
                let known = lengths_at(shard, first + to);
                let rest = bound(to, to_row, to_column);
                // Not if it was here in a bucket before, or cannot be on a way that is short enough.
                let hopes = estimate < goal || (PATHS && estimate == goal);
                if hopes && ((estimate - query.low) >> params.shift) >= query.bucket {
                    if step > MOST - length || rest > MOST - length - step {
                        atomicOr(&trouble, 2u);
                    } else {
                        let ahead = length + step;
                        let whole = ahead + rest;
                        if known < ~ahead && (whole < goal || (PATHS && whole == goal)) {
                            let before = lengths_improve(shard, first + to, ~ahead);
                            if before == 0u {
                                let segment = to >> params.segment_log;
                                atomicOr(&dirty[segment / 32u], 1u << (segment % 32u));
                            }
                            if before < ~ahead {
                                if to == query.goal {
                                    atomicMin(&best, ahead);
                                } else {
                                    let b = ((whole - query.low) >> params.shift) % BUCKETS;
                                    kept = vec2((to << 4u) | way, (atomicAdd(&added[b], 1u) << 5u) | b);
                                    keeps = true;
                                }
                            }
                        }
                    }
                }
            }
        }
        if thread == 0u { atomicStore(&filled, 0u); }
        workgroupBarrier();
        if thread < BUCKETS { adjust(thread, now.w); }
        workgroupBarrier();
        if keeps {
            let b = kept.y & 31u;
            let place = bases[b] + (kept.y >> 5u);
            let before = bases[b] > 0u && (place >> params.chunk_log) == ((bases[b] - 1u) >> params.chunk_log);
            let chunk = select(tops[b], lows[b], before);
            entries[entry_at(slot, chunk, place & ((1u << params.chunk_log) - 1u))] = kept.x;
        }
        if thread == 0u {
            if released != NO_PATH {
                let left = atomicLoad(&spares);
                // Not if it ran below none: then the search is given up.
                if left < CHUNKS {
                    spare[left] = released;
                    atomicStore(&spares, left + 1u);
                }
                released = NO_PATH;
            }
            query.rounds += 1u;
            next_round();
        }
    }
    workgroupBarrier();
    store_state(slot, thread);
}
