// The keys of a thread's run, in registers.
struct Run { fours: array<Four, QUADS> }

fn run_min(run: Run) -> Key {
    var least = four_min(run.fours[0]);
    @unroll for (var q = 0u; q < QUADS; q++) { if q > 0u { least = key_min(least, four_min(run.fours[q])); } }
    return least;
}

// Reads a run and puts it into workgroup memory for others, with its minimum.
fn run_load(tile: u32, thread: u32, valid: u32) -> Run {
    var run: Run;
    @unroll for (var q = 0u; q < QUADS; q++) { run.fours[q] = quad_load(tile, thread * ITEMS + 4u * q, valid); }
    @unroll for (var q = 0u; q < QUADS; q++) { tile_keys[q * STRIDE + thread] = run.fours[q]; }
    tree_put(thread, run_min(run));
    return run;
}
