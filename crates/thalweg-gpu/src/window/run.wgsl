// A run's elements as they lie in memory, behind THAT_SHIFT others: the run of the line from a place of the row on.
struct ThatRun { packs: array<vec4<u32>, THAT_PACKS> }
fn that_run(line: u32, own: u32) -> ThatRun {
    var run: ThatRun;
    if line >= THAT_SHIFT && line < params.len && params.len - line >= LINE + 4u {
        let pack = (line - THAT_SHIFT + own) / PACK;
        @unroll for (var p = 0u; p < THAT_PACKS; p++) { run.packs[p] = packs_at(pack + p); }
    } else {
        @unroll for (var j = 0u; j < RUN; j++) {
            let p = (j + THAT_SHIFT) / PACK;
            run.packs[p] = pack_with(run.packs[p], (j + THAT_SHIFT) % PACK, bits_at(0u, line + own + j));
        }
    }
    return run;
}

