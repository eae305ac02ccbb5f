// Makes the lines of the list anew, and marks their blocks if their minima may be others now.
fn ranks_of(pack: u32) -> Pack {
    if pack < params.packs { return pack_ranks(values_at(pack)); }
    if pack == params.packs && params.rest > 0u { return pack_within(pack_ranks(values_at(pack)), 0u, params.rest); }
    return ALL_WORST;
}

@compute @workgroup_size(THREADS)
fn remake(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let count = atomicLoad(&notes[LINES_FOUND]);
    for (var k = linear_workgroup(group, groups) * THREADS + thread; k < count; k += groups.x * groups.y * THREADS) {
        let line = lines_at(k);
        // Inside the array, as the line is.
        let first = line * LINE_PACKS;
        var ranks: array<Pack, LINE_PACKS>;
        if params.packs - first >= LINE_PACKS {
            @unroll for (var p = 0u; p < LINE_PACKS; p++) { ranks[p] = values_at(first + p); }
            @unroll for (var p = 0u; p < LINE_PACKS; p++) { ranks[p] = pack_ranks(ranks[p]); }
        } else {
            @unroll for (var p = 0u; p < LINE_PACKS; p++) { ranks[p] = ranks_of(first + p); }
        }
        var best = Slot(WORST, 0u);
        @unroll for (var p = 0u; p < LINE_PACKS; p++) {
            let next = pack_first_least(ranks[p]);
            if key_less(next.rank, best.rank) { best = Slot(next.rank, p * PACK + next.slot); }
        }
        line_minima_put(line, best.rank);
        // Others may make the other lines of the word, or the same. After the last of those who clear this line's byte, one writes it.
        let shift = 8u * (line % 4u);
        atomicAnd(&line_offsets[line / 4u], ~(255u << shift));
        atomicOr(&line_offsets[line / 4u], best.slot << shift);
        let block = line / BLOCK;
        let least = block_minima_at(block);
        let stored = block_positions_at(3u * block);
        let holder = select(stored / LINE, stored, WIDE);
        if line == holder || key_less(best.rank, least) || (line < holder && key_equal(best.rank, least)) {
            atomicOr(&notes[BLOCK_MARKS + block / 32u], 1u << (block % 32u));
        }
    }
}
