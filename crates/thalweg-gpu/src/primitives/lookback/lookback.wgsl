// Totals of everything before a tile in one pass: decoupled look-back (Merrill and Garland 2016), with a fallback that
// needs no progress of other workgroups (Smith, Levien and Owens 2025).
//
// A tile publishes its own total, then asks the tiles before it, nearest first, for theirs, up to the first one that
// knows everything before it; then it knows that too and publishes it. If one of them does not answer, because the device
// runs this workgroup only, this workgroup computes the missing total itself: `tile_total`, which the kernel defines.
const REDUCED = 1u;
const COMPLETE = 2u;
const NO_TILE = 0xffffffffu;

var<workgroup> claimed: u32;
var<workgroup> missing: u32;
var<workgroup> before_tile: Value;

// The number of this workgroup's tile: in the order in which workgroups start, if COUNTER, else its own, which is the
// same on devices that start them in order and saves a round trip to memory. The fallback serves the others.
fn claim_tile(own: u32, thread: u32) -> u32 {
    if COUNTER {
        if thread == 0u { claimed = next_number(); }
        return workgroupUniformLoad(&claimed);
    }
    return own;
}

// Whether the tile keeps silent, to test the fallback.
fn silent(tile: u32) -> bool { return SILENT && (tile & 1u) == 1u; }

// Publishes a tile's own total. Called by one thread.
fn announce(tile: u32, total: Value) {
    if !silent(tile) { publish(tile, total, select(REDUCED, COMPLETE, tile == 0u)); }
}

fn lowest_lane(ballot: vec4<u32>, width: u32) -> u32 {
    if WIDTH_MAX <= 32u { return min(countTrailingZeros(ballot.x), width); }
    for (var k = 0u; k < 4u; k++) {
        if ballot[k] != 0u { return min(32u * k + countTrailingZeros(ballot[k]), width); }
    }
    return width;
}

// What is before the tile, for all threads of the workgroup, which must all call it. Subgroup 0 looks, one tile a thread.
fn look_back(tile: u32, total: Value, subgroup: u32, lane: u32, width: u32) -> Value {
    var before = IDENTITY;
    // The tiles from `next` on are in `before`.
    var next = tile;
    // Patience is spent once: waiting anew for every missing tile, a tile could wait for ever. And llvmpipe ends all loops of
    // a thread after some 65,000 rounds in all, so that 20,000 spins give wrong results there.
    var spins = 0u;
    loop {
        if subgroup == 0u {
            var waiting = true;
            while next > 0u && waiting {
                // Before tile 0 there is nothing, and that is known.
                var seen = Seen(COMPLETE, IDENTITY);
                if lane < next { seen = look(next - 1u - lane); }
                let first_missing = lowest_lane(subgroupBallot(seen.status == 0u), width);
                let first_complete = lowest_lane(subgroupBallot(seen.status == COMPLETE), width);
                // With no complete one before the first missing one, `first_missing` is at most `next`.
                let taken = min(first_missing, first_complete + 1u);
                var value = seen.value;
                if lane >= taken { value = IDENTITY; }
                before = combine(before, subgroup_reduce(value, width));
                if first_complete < first_missing { next = 0u; } else { next -= taken; }
                if taken == 0u {
                    spins += 1u;
                    waiting = spins <= SPINS;
                }
            }
            if lane == 0u {
                missing = select(next - 1u, NO_TILE, next == 0u);
                before_tile = before;
                if next == 0u && tile > 0u && !silent(tile) { publish(tile, combine(before, total), COMPLETE); }
            }
        }
        let wanted = workgroupUniformLoad(&missing);
        if wanted == NO_TILE { break; }
        let found = tile_total(wanted, subgroup, lane, width);
        if subgroup == 0u && lane == 0u { publish_for_another(wanted, found); }
    }
    return before_tile;
}
