// Lines of LANES elements, a power of two, side by side in the threads of a subgroup: a thread has every LANES-th element, in registers.
// Nothing is in workgroup memory and nobody waits for others, so that many lines are on their way at a time.
const TILE = LINES * LANES;

// The bits of DEPTH lines from a place of a row on. Nothing is asked of single elements where all are there.
fn take_lines(row: u32, first: u32, own: u32, bits: ptr<function, array<Key, DEPTH>>) {
    if first < params.len && params.len - first >= DEPTH * LANES {
        let source = row * params.len + first + own;
        @unroll for (var k = 0u; k < DEPTH; k++) { (*bits)[k] = values_at(source + k * LANES); }
    } else {
        @unroll for (var k = 0u; k < DEPTH; k++) { (*bits)[k] = bits_at(row, first + k * LANES + own); }
    }
}
