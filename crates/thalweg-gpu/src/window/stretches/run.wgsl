// A run's elements as they lie in memory, behind THAT_SHIFT others: the run of the line from a place of the row on.
struct ThatRun { fours: array<vec4<u32>, THAT_FOURS> }
fn that_run(line: u32, own: u32) -> ThatRun {
    var run: ThatRun;
    if line >= THAT_SHIFT && line < params.len && params.len - line >= LINE + 4u {
        let four = (line - THAT_SHIFT + own) / FOUR;
        @unroll for (var f = 0u; f < THAT_FOURS; f++) { run.fours[f] = fours_at(four + f); }
    } else {
        @unroll for (var j = 0u; j < RUN; j++) {
            let f = (j + THAT_SHIFT) / FOUR;
            run.fours[f] = four_with(run.fours[f], (j + THAT_SHIFT) % FOUR, bits_at(0u, line + own + j));
        }
    }
    return run;
}

