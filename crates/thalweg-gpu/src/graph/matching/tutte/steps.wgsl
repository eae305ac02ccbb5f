// What both halves of a step share: who is left, and a row of the matrix as it is now.
//
// The journal begins with two counters; then come two words a step: one more than its first vertex, and its second vertex. A kernel
// reads one of the counters and writes the other, so that no dispatch reads what it writes. For the same reason a vertex's stamp
// is the step that took it, and it counts as left in that step.
struct Params { size: u32, stride: u32 }

const NOBODY = 0xffffffffu;

var<workgroup> least: atomic<u32>;
var<workgroup> found: u32;
// The columns of what waits, at the row that is asked for.
var<workgroup> coefficients: array<u32, WAITING>;
var<workgroup> slices: array<u32, THREADS>;

fn is_left(v: u32, step: u32) -> bool { return atomicLoad(&stamps[v]) >= step; }

// The smallest number that a thread put into `least` since the last call. By all threads together.
fn smallest(thread: u32) -> u32 {
    workgroupBarrier();
    if thread == 0u {
        found = atomicLoad(&least);
        atomicStore(&least, NOBODY);
    }
    return workgroupUniformLoad(&found);
}

// The first vertex that is left, from `start` on; the number of vertices if there is none. By all threads together.
fn first_left(start: u32, step: u32, thread: u32) -> u32 {
    if thread == 0u { atomicStore(&least, NOBODY); }
    workgroupBarrier();
    for (var begin = start; begin < params.size; begin += THREADS) {
        let v = begin + thread;
        if v < params.size && is_left(v, step) { atomicMin(&least, v); }
        let first = smallest(thread);
        if first != NOBODY { return first; }
    }
    return params.size;
}

// Loads the coefficients of row `i`. Needs a barrier behind it.
fn load_coefficients(i: u32, waiting: u32, thread: u32) {
    if thread < waiting { coefficients[thread] = columns_at(thread * params.stride + i); }
}

// What waits for column `j` of a row: a slice of the sum, of at most WAITING / SLICES products.
fn slice_of(j: u32, waiting: u32, slice: u32) -> u32 {
    var sums = Sums();
    for (var k = slice; k < waiting; k += SLICES) {
        let a = coefficients[k];
        let b = thirds(rows_at(k * params.stride + j));
        sums.low += (a & 0xffffu) * b;
        sums.high += (a >> 16u) * b;
    }
    return total(sums);
}

// The sum of a column's slices.
fn sum_of(column: u32) -> u32 {
    var sum = 0u;
    for (var slice = 0u; slice < SLICES; slice++) { sum = add(sum, slices[slice * COLUMNS + column]); }
    return sum;
}
