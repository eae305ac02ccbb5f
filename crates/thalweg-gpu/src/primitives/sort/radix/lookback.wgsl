// The number of keys before a tile's keys of a digit, by looking back at the tiles before: see `../../lookback/lookback.wgsl`. Here
// every thread looks for a digit of its own, at one tile after the other.
const REDUCED = 1u;
const COMPLETE = 2u;
const VALUE = 0x3fffffffu;

var<workgroup> claimed: u32;
// The number of a missing tile plus one, the last of those that threads wait for; 0 if none.
var<workgroup> missing: atomic<u32>;

fn take_tile(group: vec3<u32>, groups: vec3<u32>, thread: u32) -> u32 {
    if thread == 0u {
        if COUNTER { claimed = atomicAdd(&state[0], 1u); }
        // There are barriers before it is asked for.
        atomicStore(&missing, 0u);
    }
    if COUNTER { return workgroupUniformLoad(&claimed); }
    return linear_workgroup(group, groups);
}

// Where the keys of the thread's digit begin.
fn asked_early(tile: u32, thread: u32) -> u32 {
    if thread >= DIGITS { return 0u; }
    return starts_at(params.pass_number * DIGITS + thread);
}

// The same word for all threads.
fn is_trivial(thread: u32) -> bool { return starts_at(PASSES * DIGITS + params.pass_number) != 0u; }

fn silent(tile: u32) -> bool { return SILENT && (tile & 1u) == 1u; }

fn state_of(tile: u32, digit: u32) -> u32 { return DIGITS + tile * DIGITS + digit; }

fn announce_digit(tile: u32, digit: u32, in_tile: u32) {
    if !silent(tile) {
        atomicStore(&state[state_of(tile, digit)], (select(REDUCED, COMPLETE, tile == 0u) << 30u) | in_tile);
    }
}

// Counts the digits of a tile that has not answered, in the place of the displacements, which are not complete yet and are stored
// again. All threads take part.
fn recount(tile: u32, thread: u32) {
    let start = tile * TILE;
    workgroupBarrier();
    if thread < DIGITS { atomicStore(&displacement[thread], 0u); }
    if thread == 0u { atomicStore(&missing, 0u); }
    workgroupBarrier();
    // The tile is before another one: it is full.
    for (var k = 0u; k < ITEMS; k++) { atomicAdd(&displacement[digit_of(keys_at(start + k * THREADS + thread))], 1u); }
    workgroupBarrier();
    if thread < DIGITS {
        atomicMax(&state[state_of(tile, thread)], (select(REDUCED, COMPLETE, tile == 0u) << 30u) | atomicLoad(&displacement[thread]));
    }
}

fn find_displacement(tile: u32, in_tile: u32, tile_before: u32, early: u32, thread: u32) {
    // The digit's keys of the tiles before.
    var before = 0u;
    var next = select(0u, tile, thread < DIGITS);
    var spins = 0u;
    loop {
        var waiting = true;
        while next > 0u && waiting {
            // Several tiles at once, the nearest first: the answers of the next ones are on their way then.
            var words: array<u32, AHEAD>;
            @unroll for (var a = 0u; a < AHEAD; a++) {
                if a < next { words[a] = atomicLoad(&state[state_of(next - 1u - a, thread)]); }
            }
            var going = true;
            @unroll for (var a = 0u; a < AHEAD; a++) {
                if going && next > 0u {
                    let word = words[a];
                    if word == 0u {
                        going = false;
                        if a == 0u {
                            spins += 1u;
                            waiting = spins <= SPINS;
                        }
                    } else {
                        before += word & VALUE;
                        going = (word >> 30u) != COMPLETE;
                        next = select(0u, next - 1u, going);
                    }
                }
            }
        }
        if next > 0u {
            atomicMax(&missing, next);
        } else if thread < DIGITS {
            if tile > 0u && !silent(tile) { atomicStore(&state[state_of(tile, thread)], (COMPLETE << 30u) | (before + in_tile)); }
            atomicStore(&displacement[thread], early + before - tile_before);
        }
        let wanted = workgroupUniformLoad(&missing);
        if wanted == 0u { break; }
        recount(wanted - 1u, thread);
    }
}
