// Makes the lines of changed elements anew. Whoever makes the same line writes the same. `a` and `b` are the whole packs of the
// array, and the keys of the pack behind them.
const LINE_PACKS = LINE / PACK;

fn ranks_of(pack: u32) -> Pack {
    if pack < params.a { return pack_ranks(values_at(pack)); }
    if pack == params.a && params.b > 0u { return pack_within(pack_ranks(values_at(pack)), 0u, params.b); }
    return ALL_WORST;
}

fn each(i: u32) {
    let line = line_of(changed_at(i));
    var best = pack_first_least(ranks_of(line * LINE_PACKS));
    for (var k = 1u; k < LINE_PACKS; k++) {
        let next = pack_first_least(ranks_of(line * LINE_PACKS + k));
        if key_less(next.rank, best.rank) { best = Slot(next.rank, k * PACK + next.slot); }
    }
    line_minima_put(line, best.rank);
    // Others may make the other lines of the word. After the last of those who clear this line's byte, one writes it.
    let shift = 8u * (line % 4u);
    atomicAnd(&line_offsets[line / 4u], ~(255u << shift));
    atomicOr(&line_offsets[line / 4u], best.slot << shift);
    // Its elements may not ascend or descend any more.
    let block = line / BLOCK;
    atomicAnd(&monotone[block / 16u], ~(3u << (2u * (block % 16u))));
}
