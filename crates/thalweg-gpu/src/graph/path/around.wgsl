// Which of the eight neighbours of four cells are free: clockwise from the row before, a byte a cell.
// Parameters: rows, columns, words of 64 bits of a row.
fn is_free(row: u32, column: u32) -> u32 {
    // Row and column -1 are beyond all.
    if row >= params.a || column >= params.b { return 0u; }
    let word = free_at(row * params.c + column / 64u)[(column / 32u) % 2u];
    return (word >> (column % 32u)) & 1u;
}

fn each(i: u32) {
    var bytes = 0u;
    for (var k = 0u; k < 4u; k++) {
        let cell = 4u * i + k;
        let row = cell / params.b;
        let column = cell % params.b;
        let bits = is_free(row - 1u, column) | (is_free(row - 1u, column + 1u) << 1u)
            | (is_free(row, column + 1u) << 2u) | (is_free(row + 1u, column + 1u) << 3u)
            | (is_free(row + 1u, column) << 4u) | (is_free(row + 1u, column - 1u) << 5u)
            | (is_free(row, column - 1u) << 6u) | (is_free(row - 1u, column - 1u) << 7u);
        bytes |= bits << (8u * k);
    }
    around[i] = bytes;
}
