// Searches of many puzzles at once, a slot a thread.
//
// A slot holds the candidates of some puzzle, and a stack of what is still to be tried. It goes through a few rounds of
// conclusions at a time, which all threads do together; then it tries something, or goes back, or takes the next puzzle.
// When it has used up its steps it leaves all in memory, where another dispatch goes on.
//
// Every level of the stack stands for a cell that was given a digit, so there are 81 at most.
//
// The atomic words of `counts` are the number of solutions of every puzzle, the next puzzle that nobody has taken, and for every
// puzzle whether somebody tells a solution.
struct Params { threads: u32, slots: u32, puzzles: u32, limit: u32, steps: u32 }

// Words of a slot beside its candidates, in memory.
const PUZZLE = 27u;
const BOTTOM = 28u;
const TOP = 29u;

struct Slot {
    cells: Cells,
    several: vec3<u32>,
    puzzle: u32,
    // Levels of the stack from the first that is left to the first that is free.
    bottom: u32,
    top: u32,
    // Solutions that were known when this dispatch took the puzzle up, and those found since.
    known: u32,
    found: u32,
}

// Adds what was found to the puzzle's count, up to the limit.
fn tell(puzzle: u32, found: u32) {
    if found == 0u { return; }
    var old = atomicLoad(&counts[puzzle]);
    loop {
        let room = params.limit - old;
        let changed = atomicCompareExchangeWeak(&counts[puzzle], old, old + min(found, room));
        if changed.exchanged { break; }
        old = changed.old_value;
    }
}

// Writes the solution down, if it is the puzzle's first.
fn note(slot: Slot) {
    if !SOLUTIONS || slot.known + slot.found != 0u { return; }
    if atomicExchange(&counts[params.puzzles + 1u + slot.puzzle], 1u) != 0u { return; }
    let at = 27u * slot.puzzle;
    put3(at, slot.cells.p0); put3(at + 3u, slot.cells.p1); put3(at + 6u, slot.cells.p2);
    put3(at + 9u, slot.cells.p3); put3(at + 12u, slot.cells.p4); put3(at + 15u, slot.cells.p5);
    put3(at + 18u, slot.cells.p6); put3(at + 21u, slot.cells.p7); put3(at + 24u, slot.cells.p8);
}

fn put3(at: u32, x: vec3<u32>) {
    solved_put(at, x.x); solved_put(at + 1u, x.y); solved_put(at + 2u, x.z);
}

fn start3(at: u32) -> vec3<u32> { return vec3(starts_at(at), starts_at(at + 1u), starts_at(at + 2u)); }

fn start(puzzle: u32) -> Cells {
    let at = 27u * puzzle;
    return Cells(
        start3(at), start3(at + 3u), start3(at + 6u), start3(at + 9u), start3(at + 12u), start3(at + 15u),
        start3(at + 18u), start3(at + 21u), start3(at + 24u),
    );
}

// Words of a stack's level, and of a slot, lie apart, so that the threads beside each other touch words beside each other.
fn level3(at: u32) -> vec3<u32> {
    return vec3(stack_at(at), stack_at(at + params.slots), stack_at(at + 2u * params.slots));
}

fn level(slot: u32, number: u32) -> Cells {
    let at = 27u * number * params.slots + slot;
    let s = 3u * params.slots;
    return Cells(
        level3(at), level3(at + s), level3(at + 2u * s), level3(at + 3u * s), level3(at + 4u * s), level3(at + 5u * s),
        level3(at + 6u * s), level3(at + 7u * s), level3(at + 8u * s),
    );
}

fn push3(at: u32, x: vec3<u32>) {
    stack_put(at, x.x); stack_put(at + params.slots, x.y); stack_put(at + 2u * params.slots, x.z);
}

fn push(slot: u32, number: u32, x: Cells, pick: Cells) {
    let at = 27u * number * params.slots + slot;
    let s = 3u * params.slots;
    push3(at, x.p0 & ~pick.p0); push3(at + s, x.p1 & ~pick.p1); push3(at + 2u * s, x.p2 & ~pick.p2);
    push3(at + 3u * s, x.p3 & ~pick.p3); push3(at + 4u * s, x.p4 & ~pick.p4); push3(at + 5u * s, x.p5 & ~pick.p5);
    push3(at + 6u * s, x.p6 & ~pick.p6); push3(at + 7u * s, x.p7 & ~pick.p7); push3(at + 8u * s, x.p8 & ~pick.p8);
}

fn slot3(at: u32) -> vec3<u32> {
    return vec3(saved_at(at), saved_at(at + params.slots), saved_at(at + 2u * params.slots));
}

fn save3(at: u32, x: vec3<u32>) {
    saved_put(at, x.x); saved_put(at + params.slots, x.y); saved_put(at + 2u * params.slots, x.z);
}

@compute @workgroup_size(THREADS)
fn search(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = linear_workgroup(group, groups) * THREADS + thread;
    if i >= params.threads { return; }
    let number = order_at(i);
    let s = 3u * params.slots;
    var slot: Slot;
    var busy = idle_at(number) == 0u;
    if busy {
        slot.cells = Cells(
            slot3(number), slot3(number + s), slot3(number + 2u * s), slot3(number + 3u * s), slot3(number + 4u * s),
            slot3(number + 5u * s), slot3(number + 6u * s), slot3(number + 7u * s), slot3(number + 8u * s),
        );
        slot.several = ALL_SEVERAL;
        slot.puzzle = saved_at(PUZZLE * params.slots + number);
        slot.bottom = saved_at(BOTTOM * params.slots + number);
        slot.top = saved_at(TOP * params.slots + number);
        slot.known = atomicLoad(&counts[slot.puzzle]);
        slot.found = 0u;
        // Other slots have found enough.
        busy = slot.known < params.limit;
    }
    for (var used = 0u; used < params.steps; used++) {
        if !busy {
            let puzzle = atomicAdd(&counts[params.puzzles], 1u);
            if puzzle >= params.puzzles { break; }
            slot = Slot(start(puzzle), ALL_SEVERAL, puzzle, 0u, 0u, 0u, 0u);
            busy = true;
        }
        var dead = false;
        var still = false;
        for (var r = 0u; r < ROUNDS; r++) {
            if !(dead || still) {
                let concluded = conclude(slot.cells, slot.several);
                slot.cells = concluded.cells;
                slot.several = concluded.several;
                dead = concluded.dead;
                still = concluded.still;
            }
        }
        if still && !dead {
            let choice = choose(slot.cells);
            if choice.solved {
                note(slot);
                slot.found += 1u;
                dead = true;
                if slot.known + slot.found >= params.limit { slot.top = slot.bottom; }
            } else {
                // First it is tried that the candidate is right.
                push(number, slot.top, slot.cells, choice.pick);
                slot.top += 1u;
                slot.cells = Cells(
                    keep_picked(slot.cells.p0, choice.pick.p0), keep_picked(slot.cells.p1, choice.pick.p1),
                    keep_picked(slot.cells.p2, choice.pick.p2), keep_picked(slot.cells.p3, choice.pick.p3),
                    keep_picked(slot.cells.p4, choice.pick.p4), keep_picked(slot.cells.p5, choice.pick.p5),
                    keep_picked(slot.cells.p6, choice.pick.p6), keep_picked(slot.cells.p7, choice.pick.p7),
                    keep_picked(slot.cells.p8, choice.pick.p8),
                );
                slot.several = ALL_SEVERAL;
            }
        }
        if dead {
            if slot.top > slot.bottom {
                slot.top -= 1u;
                slot.cells = level(number, slot.top);
                slot.several = ALL_SEVERAL;
            } else {
                tell(slot.puzzle, slot.found);
                busy = false;
            }
        }
    }
    idle_put(number, select(1u, 0u, busy));
    if busy {
        tell(slot.puzzle, slot.found);
        save3(number, slot.cells.p0); save3(number + s, slot.cells.p1); save3(number + 2u * s, slot.cells.p2);
        save3(number + 3u * s, slot.cells.p3); save3(number + 4u * s, slot.cells.p4);
        save3(number + 5u * s, slot.cells.p5); save3(number + 6u * s, slot.cells.p6);
        save3(number + 7u * s, slot.cells.p7); save3(number + 8u * s, slot.cells.p8);
        saved_put(PUZZLE * params.slots + number, slot.puzzle);
        saved_put(BOTTOM * params.slots + number, slot.bottom);
        saved_put(TOP * params.slots + number, slot.top);
    }
}
