// Makes blocks anew from their lines: those of changed elements, or all.
fn stored_position(line: u32) -> u32 {
    if WIDE { return line; }
    return line * LINE + (line_offsets_at(line / 4u) >> (8u * (line % 4u)) & 255u);
}

fn each(i: u32) {
    let block = block_number(i);
    var at = block * BLOCK;
    var rank = line_minima_at(at);
    for (var line = at + 1u; line < (block + 1u) * BLOCK; line++) {
        let next = line_minima_at(line);
        if key_less(next, rank) {
            rank = next;
            at = line;
        }
    }
    block_minima_put(block, rank);
    block_positions_put(3u * block, stored_position(at));
}
