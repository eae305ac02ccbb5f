// Answers queries from the `lines` index, from the inside of the range outwards: groups by the table, blocks by their
// records, lines by their minima, elements. What lies at an end is opened only if the minimum one level up can still
// matter.
//
// Table and records are read by the query's own thread. Runs of line minima and of elements are read by teams of TEAM
// threads, as one thread's reads of neighbouring packs would each take a turn of their own: the threads of a subgroup put
// what they need into a queue, and its teams work it off. One thread has at most two runs on a level.
//
// With TRACK the place of the minimum is followed too. The left end is to the left of all that was seen before it, so it
// wins ties, and the right end loses them: the answer is the leftmost minimum. A range whose minimum is the worst rank
// holds nothing else, and its first element is the answer, so a place that was never set is never asked for.
//
// Bounds: l <= r < n by `query_or_first`. Lines l/LINE to r/LINE, blocks and groups above them exist then, and all
// indices below lie between those of l and r; arrays of minima are filled up to whole packs.

// A run of line minima or of elements that a thread asks for: the first pack, and slots counted from its first one:
// `first` and `end` of what counts (8 bits each), `last` that has to be read (8 bits).
alias Job = vec2<u32>;

fn job(pack: u32, first: u32, end: u32, last: u32) -> Job { return vec2(pack, first | end << 8u | last << 16u); }

// Packs that a run of line minima spans at most, and turns of a team for it: the last slot is below PACK + DIRECT.
const LINE_TURNS = ((PACK + DIRECT - 1u) / PACK + TEAM) / TEAM;
const ELEMENT_TURNS = (LINE_PACKS + TEAM - 1u) / TEAM;

// The queue: room for two jobs of every thread, and their results.
var<workgroup> jobs: array<Job, 2u * THREADS>;
var<workgroup> found: array<Key, 2u * THREADS>;
var<workgroup> found_slot: array<u32, 2u * THREADS>;
// Line minima beside the run: the one before it in the first pack, and the one behind it.
var<workgroup> before_run: array<Key, 2u * THREADS>;
var<workgroup> behind_run: array<Key, 2u * THREADS>;

// How many threads of the subgroup with a lower number ask, and how many in all.
fn turns(ask: bool, lane: u32) -> vec2<u32> {
    let all = subgroupBallot(ask);
    let below = all.x & ((1u << (lane & 31u)) - 1u);
    if NARROW { return vec2(countOneBits(below), countOneBits(all.x)); }
    var count = vec2(0u);
    for (var k = 0u; k < 4u; k++) {
        let bits = countOneBits(all[k]);
        if k < lane / 32u { count.x += bits; }
        if k == lane / 32u { count.x += countOneBits(all[k] & ((1u << (lane & 31u)) - 1u)); }
        count.y += bits;
    }
    return count;
}

// One subgroup's part of the queue, and the calling thread's place in its team.
struct Team { base: u32, total: u32, at_once: u32, number: u32, thread: u32 }

// The least of the slots in a pack that count.
fn in_run(ranks: Pack, slot: u32, first: u32, end: u32) -> Slot {
    let inside = pack_of_run(ranks, slot - first, end - first);
    if !TRACK { return Slot(pack_least(inside), 0u); }
    let least = pack_first_least(inside);
    return Slot(least.rank, slot + least.slot);
}

fn better_slot(a: Slot, b: Slot) -> Slot {
    if !TRACK { return Slot(key_min(a.rank, b.rank), 0u); }
    let wins = key_less(b.rank, a.rank) || (key_equal(b.rank, a.rank) && b.slot < a.slot);
    return Slot(key_select(a.rank, b.rank, wins), select(a.slot, b.slot, wins));
}

// The least of the whole team, in every thread of it. All threads of the subgroup call it.
fn over_team(mine: Slot) -> Slot {
    var best = mine;
    for (var step = 1u; step < TEAM; step *= 2u) {
        var slot = 0u;
        if TRACK { slot = subgroupShuffleXor(best.slot, step); }
        best = better_slot(best, Slot(key_shuffle_xor(best.rank, step), slot));
    }
    return best;
}

// What thread `member` of a team sees of a run of line minima: the least that counts, and the minima beside the run
// where it has them: the one before it, in the first pack, and the one behind it.
struct Run { least: Slot, before: Key, behind: Key }

fn read_lines(on: bool, task: Job, member: u32) -> Run {
    let first = task.y & 255u;
    let end = task.y >> 8u & 255u;
    let last = task.y >> 16u;
    var run = Run(Slot(WORST, 0xffffffffu), WORST, WORST);
    for (var k = 0u; k < LINE_TURNS; k++) {
        let p = k * TEAM + member;
        let slot = p * PACK;
        if on && slot <= last {
            let ranks = line_minima[task.x + p];
            run.least = better_slot(run.least, in_run(ranks, slot, first, end));
            if k == 0u { run.before = pack_key(ranks, (first - 1u) % PACK); }
            if p == end / PACK { run.behind = pack_key(ranks, end % PACK); }
        }
    }
    return run;
}

fn read_elements(on: bool, task: Job, member: u32) -> Slot {
    let first = task.y & 255u;
    let end = task.y >> 8u & 255u;
    var best = Slot(WORST, 0xffffffffu);
    for (var k = 0u; k < ELEMENT_TURNS; k++) {
        let slot = (k * TEAM + member) * PACK;
        if on && slot < end && slot + PACK > first {
            best = better_slot(best, in_run(pack_ranks(values_at(task.x + slot / PACK)), slot, first, end));
        }
    }
    return best;
}

fn work_off_lines(team: Team) {
    for (var done = 0u; done < team.total; done += team.at_once) {
        let mine = done + team.number;
        let on = mine < team.total;
        let at = team.base + min(mine, team.total - 1u);
        let task = jobs[at];
        let end = task.y >> 8u & 255u;
        let run = read_lines(on, task, team.thread);
        let best = over_team(run.least);
        if on && team.thread == end / PACK % TEAM { behind_run[at] = run.behind; }
        if on && team.thread == 0u {
            before_run[at] = run.before;
            found[at] = best.rank;
            if TRACK { found_slot[at] = best.slot; }
        }
    }
}

fn slot_found(at: u32) -> u32 {
    if !TRACK { return 0u; }
    return found_slot[at];
}

fn work_off_elements(team: Team) {
    for (var done = 0u; done < team.total; done += team.at_once) {
        let mine = done + team.number;
        let on = mine < team.total;
        let at = team.base + min(mine, team.total - 1u);
        let best = over_team(read_elements(on, jobs[at], team.thread));
        if on && team.thread == 0u {
            found[at] = best.rank;
            if TRACK { found_slot[at] = best.slot; }
        }
    }
}

@compute @workgroup_size(THREADS)
fn query(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) width: u32,
    @builtin(subgroup_id) subgroup: u32,
) {
    // A workgroup takes several portions, as starting one takes time, and has the next portion's queries on their way while
    // it works on one. The batch is shorter than 2^31, so rounding up to whole portions does not wrap around.
    let start = linear_workgroup(group, groups) * (THREADS * PORTIONS) + thread;
    var next = query_or_first(start);
    for (var portion = 0u; portion < PORTIONS; portion++) {
        let i = start + portion * THREADS;
        let q = next;
        if portion + 1u < PORTIONS { next = query_or_first(i + THREADS); }
        let line_a = line_of(q.left);
        let line_b = line_of(q.right);
        let offset_a = q.left.x % LINE;
        let offset_b = q.right.x % LINE;
        var best = Best(WORST, line_a, ELEMENT);
        // Whether the line minima at the ends must be looked at. `direct`: all of them, in one run.
        let direct = line_b - line_a <= DIRECT;
        var open_a = line_a != line_b;
        var open_b = open_a;
        // The answer is found already.
        var known = false;
        var end_a = line_b;
        var start_b = line_b;
        if !direct {
            // DIRECT is at least BLOCK: two different blocks.
            let block_a = line_a / BLOCK;
            let block_b = line_b / BLOCK;
            let group_a = block_a / GROUP;
            let group_b = block_b / GROUP;
            end_a = (block_a + 1u) * BLOCK;
            start_b = block_b * BLOCK;
            var least_a = WORST;
            var least_b = WORST;
            if group_a == group_b {
                let blocks = blocks_between(block_a, block_b);
                best = blocks.best;
                least_a = blocks.left;
                least_b = blocks.right;
            } else {
                if group_a + 1u < group_b { best = best_group(group_a + 1u, group_b - 1u); }
                let inner = best.rank;
                open_a = reaches_from_left(table[group_a], inner);
                open_b = key_less(table[group_b], inner);
                if open_a {
                    let record = record_of(block_a);
                    best = or_left(best, Best(record.behind, 3u * block_a + 1u, IN_BLOCK));
                    least_a = record.own;
                }
                if open_b {
                    let record = record_of(block_b);
                    best = or_right(best, Best(record.before, 3u * block_b + 2u, IN_BLOCK));
                    least_b = record.own;
                }
            }
            open_a = open_a && reaches_from_left(least_a, best.rank);
            open_b = open_b && key_less(least_b, best.rank);
            if MONOTONE {
                let order_a = order_of(block_a);
                let order_b = order_of(block_b);
                if open_a && order_a != 0u {
                    open_a = false;
                    if order_a == 1u {
                        best = or_left(best, element(line_a, offset_a));
                    } else {
                        best = or_left(best, Best(least_a, 3u * block_a, IN_BLOCK));
                    }
                }
                if open_b && order_b != 0u {
                    open_b = false;
                    if order_b == 2u {
                        best = or_right(best, element(line_b, offset_b));
                    } else {
                        best = or_right(best, Best(least_b, 3u * block_b, IN_BLOCK));
                    }
                }
            }
        } else if MONOTONE {
            let block_a = line_a / BLOCK;
            let block_b = line_b / BLOCK;
            let order_a = order_of(block_a);
            let order_b = order_of(block_b);
            if order_a != 0u && order_b != 0u && block_b - block_a <= 2u {
                known = true;
                open_a = false;
                open_b = false;
                if block_b - block_a == 2u { best = block_minimum(block_a + 1u); }
                // The part of the left block, or the whole range in one block.
                if order_a == 1u {
                    best = or_left(best, element(line_a, offset_a));
                } else if block_a != block_b {
                    best = or_left(best, block_minimum(block_a));
                }
                if order_b == 2u {
                    best = or_right(best, element(line_b, offset_b));
                } else if block_a != block_b {
                    best = or_right(best, block_minimum(block_b));
                }
            }
        }
        let base = 2u * subgroup * width;
        var team = Team(base, 0u, width / TEAM, lane / TEAM, lane % TEAM);
        // Line minima. The end of a block is the end of a pack, so the left run of two stops before the next one.
        let ask_b = open_b && !direct;
        let pack_a = line_a / PACK;
        var turn_a = turns(open_a, lane);
        var turn_b = turns(ask_b, lane);
        var at_a = base + turn_a.x;
        var at_b = base + turn_a.y + turn_b.x;
        if open_a {
            let end = end_a - pack_a * PACK;
            jobs[at_a] = job(pack_a, line_a % PACK + 1u, end, select(end - 1u, end, direct));
        }
        if ask_b { jobs[at_b] = job(start_b / PACK, 0u, line_b - start_b, line_b - start_b); }
        workgroupBarrier();
        team.total = turn_a.y + turn_b.y;
        work_off_lines(team);
        workgroupBarrier();
        var least_a = WORST;
        var least_b = WORST;
        if open_a {
            best = or_left(best, Best(found[at_a], pack_a * PACK + slot_found(at_a), IN_LINE));
            least_a = before_run[at_a];
            if direct { least_b = behind_run[at_a]; }
        }
        if ask_b {
            best = or_right(best, Best(found[at_b], start_b + slot_found(at_b), IN_LINE));
            least_b = behind_run[at_b];
        }
        // Elements. A range inside one line has to be opened whatever its minimum is.
        open_a = (line_a == line_b && !known) || (open_a && reaches_from_left(least_a, best.rank));
        open_b = open_b && key_less(least_b, best.rank);
        turn_a = turns(open_a, lane);
        turn_b = turns(open_b, lane);
        at_a = base + turn_a.x;
        at_b = base + turn_a.y + turn_b.x;
        // The jobs are done with; their results are overwritten only behind the next barrier.
        if open_a { jobs[at_a] = job(line_a * LINE_PACKS, offset_a, select(LINE, offset_b + 1u, line_a == line_b), 0u); }
        if open_b { jobs[at_b] = job(line_b * LINE_PACKS, 0u, offset_b + 1u, 0u); }
        workgroupBarrier();
        team.total = turn_a.y + turn_b.y;
        work_off_elements(team);
        workgroupBarrier();
        if open_a { best = or_left(best, Best(found[at_a], line_a, ELEMENT + (slot_found(at_a) & 255u))); }
        if open_b { best = or_right(best, Best(found[at_b], line_b, ELEMENT + (slot_found(at_b) & 255u))); }
        var position = vec2(0u);
        if TRACK {
            position = q.left;
            if !key_equal(best.rank, WORST) { position = position_of(best); }
        }
        if i < params.count { answer(i, best.rank, position); }
    }
}
