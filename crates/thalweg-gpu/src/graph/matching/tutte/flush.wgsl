// Adds what waits to the matrix: the product of columns and rows, a tile of it a workgroup. A thread has four rows of four
// entries. Tiles below the diagonal are those above it, mirrored and with the other sign.
struct Params { quarter: u32, tiles: u32 }

// What waits, STAGE columns and rows at a time, for the rows and the columns of the tile.
var<workgroup> left: array<vec4<u32>, STAGE_QUADS>;
var<workgroup> right: array<vec4<u32>, STAGE_QUADS>;

fn fold4(x: vec4<u32>) -> vec4<u32> { return (x & vec4(PRIME)) + (x >> vec4(31u)); }

fn reduce4(x: vec4<u32>) -> vec4<u32> {
    let folded = fold4(x);
    return min(folded, folded - PRIME);
}

fn shifted4(x: vec4<u32>, s: u32) -> vec4<u32> {
    return fold4(((x << vec4(s)) & vec4(PRIME)) + (x >> vec4(31u - s)));
}

// Sums as in `Sums`, for four columns.
struct Sums4 { low0: vec4<u32>, low1: vec4<u32>, low2: vec4<u32>, high0: vec4<u32>, high1: vec4<u32>, high2: vec4<u32> }

fn total4(sums: Sums4) -> vec4<u32> {
    let low = fold4(fold4(fold4(sums.low0) + shifted4(sums.low1, 11u)) + shifted4(sums.low2, 21u));
    let high = fold4(fold4(shifted4(sums.high0, 16u) + shifted4(sums.high1, 27u)) + shifted4(sums.high2, 6u));
    return reduce4(low + high);
}

@compute @workgroup_size(256)
fn flush(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let above = group.x / params.tiles;
    let beside = group.x % params.tiles;
    // In the extraction, rows before the next vertex are those of vertices that have their partners: nobody asks for them.
    if beside < above || (SKIP && (above + 1u) * TILE <= journal[2u * journal[0]]) { return; }
    let row = thread / QUADS;
    let column = thread % QUADS;
    var values: array<vec4<u32>, FOUR>;
    for (var stage = 0u; stage < WAITING; stage += STAGE) {
        workgroupBarrier();
        @unroll for (var i = 0u; i < LOADS; i++) {
            let place = thread + i * 256u;
            let begin = (stage + place / QUADS) * params.quarter + place % QUADS;
            left[place] = columns_at(begin + above * QUADS);
            right[place] = rows_at(begin + beside * QUADS);
        }
        workgroupBarrier();
        var sums: array<Sums4, FOUR>;
        @unroll for (var i = 0u; i < FOUR; i++) { sums[i] = Sums4(); }
        for (var k = 0u; k < STAGE; k++) {
            let a = left[k * QUADS + row];
            let b = right[k * QUADS + column];
            let b0 = b & vec4(0x7ffu);
            let b1 = (b >> vec4(11u)) & vec4(0x3ffu);
            let b2 = b >> vec4(21u);
            @unroll for (var i = 0u; i < FOUR; i++) {
                let low = a[i] & 0xffffu;
                let high = a[i] >> 16u;
                sums[i].low0 += low * b0;
                sums[i].low1 += low * b1;
                sums[i].low2 += low * b2;
                sums[i].high0 += high * b0;
                sums[i].high1 += high * b1;
                sums[i].high2 += high * b2;
            }
        }
        @unroll for (var i = 0u; i < FOUR; i++) { values[i] = reduce4(values[i] + total4(sums[i])); }
    }
    @unroll for (var i = 0u; i < FOUR; i++) {
        let place = (above * TILE + 4u * row + i) * params.quarter + beside * QUADS + column;
        values[i] = reduce4(values[i] + matrix_at(place));
        matrix_put(place, values[i]);
    }
    if above != beside {
        @unroll for (var i = 0u; i < FOUR; i++) {
            let place = (beside * TILE + 4u * column + i) * params.quarter + above * QUADS + row;
            let mirrored = vec4(values[0][i], values[1][i], values[2][i], values[3][i]);
            matrix_put(place, select(PRIME - mirrored, vec4(0u), mirrored == vec4(0u)));
        }
    }
}
