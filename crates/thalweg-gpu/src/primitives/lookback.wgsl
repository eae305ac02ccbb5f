// Totals of everything before a tile in one pass: decoupled look-back (Merrill and Garland 2016), with a fallback that
// needs no progress of other workgroups (Smith, Levien and Owens 2025).
//
// A tile publishes its own total, then asks the tiles before it, nearest first, for theirs, up to the first one that
// knows everything before it; then it knows that too and publishes it. Tiles take their numbers in the order in which
// they start, so those before have at least begun. If one of them does not answer, because the device runs this
// workgroup only, this workgroup computes the missing total itself: `tile_total`, which the kernel defines.
const REDUCED = 1u;
const COMPLETE = 2u;
const NO_TILE = 0xffffffffu;

var<workgroup> claimed: u32;
var<workgroup> missing: u32;
var<workgroup> before_tile: Value;

// The number of this workgroup's tile.
fn claim_tile(thread: u32) -> u32 {
    if thread == 0u { claimed = atomicAdd(&state[0], 1u); }
    return workgroupUniformLoad(&claimed);
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
    loop {
        if subgroup == 0u {
            var spins = 0u;
            while next > 0u && spins <= SPINS {
                // Before tile 0 there is nothing, and that is known.
                var status = COMPLETE;
                var value = IDENTITY;
                if lane < next {
                    let seen = look(next - 1u - lane);
                    status = seen.status;
                    value = seen.value;
                }
                let first_missing = lowest_lane(subgroupBallot(status == 0u), width);
                let first_complete = lowest_lane(subgroupBallot(status == COMPLETE), width);
                // With no complete one before the first missing one, `first_missing` is at most `next`.
                let taken = min(first_missing, first_complete + 1u);
                if lane >= taken { value = IDENTITY; }
                before = combine(before, subgroup_reduce(value, width));
                if first_complete < first_missing { next = 0u; } else { next -= taken; }
                if taken == 0u { spins += 1u; }
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
