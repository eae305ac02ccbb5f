// One pass: lines of LEN values, COLUMNS of them a tile, THREADS threads. Every index is below the array's length because
// the line is below LINES, whose places are those of the array by construction.

// The line's number, as parts of a position; nothing is computed that its place does not need.
fn source_of(line: u32) -> u32 {
    if TURNED {
        let rest = line / STRIDE;
        let k1 = rest % PART_1;
        let k2 = rest / PART_1 % PART_2;
        let k3 = rest / (PART_1 * PART_2) % PART_3;
        let outer = rest / (PART_1 * PART_2 * PART_3);
        return (((outer * PART_1 + k1) * PART_2 + k2) * PART_3 + k3) * LEN * STRIDE + line % STRIDE;
    }
    return line / SOURCE_STEP * SOURCE_STEP * LEN + line % SOURCE_STEP;
}

fn target_of(line: u32) -> u32 { return line / TARGET_STEP * TARGET_STEP * LEN + line % TARGET_STEP; }

fn times(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> { return vec2<f32>(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

// The place of a value in the workgroup's memory, with gaps.
fn room(i: u32) -> u32 { return i + i / EVERY * GAP; }

var<workgroup> tile: array<TILE_ELEMENT, ROOM>;

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let first_line = linear_workgroup(id, count) * COLUMNS;
    if first_line >= params.lines { return; }
STAGES}

struct Params {
    lines: u32,
}
