// The candidates of a puzzle, and one round of conclusions: the layout and the rules of the CPU's engine `bands`
// (thalweg-puzzle, sudoku/bands), with the three thirds of the digits in a vector.
//
// A candidate is a bit: digit - 1 = third * 3 + rest, bit = rest * 9 + box, in component `third` of the place that it has in its
// box. In memory a puzzle is 27 words, three for each place.
struct Cells {
    p0: vec3<u32>, p1: vec3<u32>, p2: vec3<u32>,
    p3: vec3<u32>, p4: vec3<u32>, p5: vec3<u32>,
    p6: vec3<u32>, p7: vec3<u32>, p8: vec3<u32>,
}

const FULL = (1u << 27u) - 1u;
const ALL_SEVERAL = vec3(0xffffffffu);

// The bits of all rests where there is one; garbage above the 27 bits.
fn rests(x: u32) -> u32 { return x | (x >> 9u) | (x << 18u) | (x >> 18u) | (x << 9u); }
// The bits of the two other rests.
fn other_rests(x: u32) -> u32 { return (x >> 9u) | (x << 18u) | (x >> 18u) | (x << 9u); }
// The next stack's bit at every place, and the next band's.
fn next_stack(x: vec3<u32>) -> vec3<u32> {
    return ((x >> vec3(1u)) & vec3(0x36db6dbu)) | ((x << vec3(2u)) & vec3(0x4924924u));
}
fn next_band(x: vec3<u32>) -> vec3<u32> {
    return ((x >> vec3(3u)) & vec3(0xfc7e3fu)) | ((x << vec3(6u)) & vec3(0x70381c0u));
}

// Hidden singles become their cells' only candidates.
fn without_others(x: vec3<u32>, several: vec3<u32>) -> vec3<u32> {
    let hidden = x & ~several;
    return x & (hidden | vec3(~rests(hidden.x | hidden.y | hidden.z)));
}

// The candidates that are the only ones of their cells.
fn naked(x: vec3<u32>) -> vec3<u32> {
    return x & ~(vec3(x.y | x.z, x.x | x.z, x.x | x.y) | vec3(other_rests(x.x | x.y | x.z)));
}

// Cells without candidates.
fn empty(x: vec3<u32>) -> u32 { return ~rests(x.x | x.y | x.z) & FULL; }

// For three rows of a band, by the boxes that they may take: where the other two can take the other two.
struct Three { a: vec3<u32>, b: vec3<u32>, c: vec3<u32> }

fn permutable_rows(x: Three) -> Three {
    let next = Three(next_stack(x.a), next_stack(x.b), next_stack(x.c));
    return Three(
        next_stack((x.b & next.c) | (x.c & next.b)),
        next_stack((x.a & next.c) | (x.c & next.a)),
        next_stack((x.a & next.b) | (x.b & next.a)),
    );
}

fn permutable_columns(x: Three) -> Three {
    let next = Three(next_band(x.a), next_band(x.b), next_band(x.c));
    return Three(
        next_band((x.b & next.c) | (x.c & next.b)),
        next_band((x.a & next.c) | (x.c & next.a)),
        next_band((x.a & next.b) | (x.b & next.a)),
    );
}

// What a round leaves.
struct Round {
    cells: Cells,
    // Candidates that may have another place in their box. Too many is harmless.
    several: vec3<u32>,
    dead: bool,
    // Boxes, rows and columns dropped nothing.
    still: bool,
}

fn conclude(old: Cells, old_several: vec3<u32>) -> Round {
    var x: Cells;
    x.p0 = without_others(old.p0, old_several);
    x.p1 = without_others(old.p1, old_several);
    x.p2 = without_others(old.p2, old_several);
    x.p3 = without_others(old.p3, old_several);
    x.p4 = without_others(old.p4, old_several);
    x.p5 = without_others(old.p5, old_several);
    x.p6 = without_others(old.p6, old_several);
    x.p7 = without_others(old.p7, old_several);
    x.p8 = without_others(old.p8, old_several);
    var dead = vec3(
        empty(x.p0) | empty(x.p1) | empty(x.p2),
        empty(x.p3) | empty(x.p4) | empty(x.p5),
        empty(x.p6) | empty(x.p7) | empty(x.p8),
    );

    // Naked singles leave the rest of their box; the same one twice is a contradiction.
    let n0 = naked(x.p0); let n1 = naked(x.p1); let n2 = naked(x.p2);
    let n3 = naked(x.p3); let n4 = naked(x.p4); let n5 = naked(x.p5);
    let n6 = naked(x.p6); let n7 = naked(x.p7); let n8 = naked(x.p8);
    var once = n0;
    dead |= once & n1; once |= n1;
    dead |= once & n2; once |= n2;
    dead |= once & n3; once |= n3;
    dead |= once & n4; once |= n4;
    dead |= once & n5; once |= n5;
    dead |= once & n6; once |= n6;
    dead |= once & n7; once |= n7;
    dead |= once & n8; once |= n8;
    var y: Cells;
    y.p0 = x.p0 & (n0 | ~once);
    y.p1 = x.p1 & (n1 | ~once);
    y.p2 = x.p2 & (n2 | ~once);
    y.p3 = x.p3 & (n3 | ~once);
    y.p4 = x.p4 & (n4 | ~once);
    y.p5 = x.p5 & (n5 | ~once);
    y.p6 = x.p6 & (n6 | ~once);
    y.p7 = x.p7 & (n7 | ~once);
    y.p8 = x.p8 & (n8 | ~once);

    // Rows and columns of boxes keep what is part of a permutation.
    let rows = permutable_rows(Three(y.p0 | y.p1 | y.p2, y.p3 | y.p4 | y.p5, y.p6 | y.p7 | y.p8));
    y.p0 &= rows.a; y.p1 &= rows.a; y.p2 &= rows.a;
    y.p3 &= rows.b; y.p4 &= rows.b; y.p5 &= rows.b;
    y.p6 &= rows.c; y.p7 &= rows.c; y.p8 &= rows.c;
    let columns = permutable_columns(Three(y.p0 | y.p3 | y.p6, y.p1 | y.p4 | y.p7, y.p2 | y.p5 | y.p8));
    y.p0 &= columns.a; y.p3 &= columns.a; y.p6 &= columns.a;
    y.p1 &= columns.b; y.p4 &= columns.b; y.p7 &= columns.b;
    y.p2 &= columns.c; y.p5 &= columns.c; y.p8 &= columns.c;

    var one = y.p0;
    var two = one & y.p1; one |= y.p1;
    two |= one & y.p2; one |= y.p2;
    two |= one & y.p3; one |= y.p3;
    two |= one & y.p4; one |= y.p4;
    two |= one & y.p5; one |= y.p5;
    two |= one & y.p6; one |= y.p6;
    two |= one & y.p7; one |= y.p7;
    two |= one & y.p8; one |= y.p8;
    // A box without a place for a digit.
    dead |= ~one & vec3(FULL);
    let changed = (x.p0 ^ y.p0) | (x.p1 ^ y.p1) | (x.p2 ^ y.p2) | (x.p3 ^ y.p3) | (x.p4 ^ y.p4)
        | (x.p5 ^ y.p5) | (x.p6 ^ y.p6) | (x.p7 ^ y.p7) | (x.p8 ^ y.p8);
    return Round(y, two, any(dead != vec3(0u)), all(changed == vec3(0u)));
}
