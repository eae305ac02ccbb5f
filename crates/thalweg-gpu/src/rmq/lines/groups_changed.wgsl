// Workgroups of blocks of which some have lines that were made anew. The minima of these blocks are made anew first.
// Beyond all workgroups if none of its blocks is marked.
fn number_of(workgroup: u32) -> u32 {
    var marks = 0u;
    if workgroup * THREADS < params.blocks {
        for (var k = 0u; k < THREADS / 32u; k++) { marks |= notes_at(BLOCK_MARKS + workgroup * (THREADS / 32u) + k); }
    }
    return select(workgroup, 0xffffffffu, marks == 0u);
}

fn block_minimum(block: u32) -> Minimum {
    if (notes_at(BLOCK_MARKS + block / 32u) >> (block % 32u) & 1u) == 0u {
        return Minimum(block_minima_at(block), block_positions_at(3u * block));
    }
    var at = block * BLOCK;
    var rank = line_minima_at(at);
    for (var line = at + 1u; line < (block + 1u) * BLOCK; line++) {
        let next = line_minima_at(line);
        if key_less(next, rank) {
            rank = next;
            at = line;
        }
    }
    var place = at;
    if !WIDE { place = at * LINE + (line_offsets_at(at / 4u) >> (8u * (at % 4u)) & 255u); }
    block_minima_put(block, rank);
    block_positions_put(3u * block, place);
    return Minimum(rank, place);
}
