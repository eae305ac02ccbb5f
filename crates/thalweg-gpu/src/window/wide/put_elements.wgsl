// Answers a tile whose windows' best elements lie side by side from a place on.
fn put_elements(row: u32, first: u32, place: u32, own: u32) {
    var bits: array<Key, DEPTH>;
    if VALUES { take_lines(row, place, own, &bits); }
    @unroll for (var k = 0u; k < LINES; k++) {
        let i = k * LANES + own;
        if first + i < params.dense { element_put(row, first + i, bits[k], place + i); }
    }
}
