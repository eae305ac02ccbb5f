// Which candidate to try when a round drops nothing: the points of the CPU's engine `bands` (bands/choose.rs).
struct Choice {
    // One bit at most: none where every cell has one candidate.
    pick: Cells,
    solved: bool,
}

fn majority(a: vec3<u32>, b: vec3<u32>, c: vec3<u32>) -> vec3<u32> { return (a & b) | (c & (a | b)); }
fn majority_of_words(a: u32, b: u32, c: u32) -> u32 { return (a & b) | (c & (a | b)); }

// Of a cell: whether it has two candidates, and whether two or more, as bits of all rests.
fn two_or_more(x: vec3<u32>) -> vec2<u32> {
    // The number of thirds is odd + 2 two, and of all candidates the sum of three such numbers.
    let odd = x.x ^ x.y ^ x.z;
    let two = majority_of_words(x.x, x.y, x.z);
    let odd_1 = (odd >> 9u) | (odd << 18u);
    let odd_2 = (odd >> 18u) | (odd << 9u);
    let two_1 = (two >> 9u) | (two << 18u);
    let two_2 = (two >> 18u) | (two << 9u);
    let carry = majority_of_words(odd, odd_1, odd_2);
    let twos = two | two_1 | two_2;
    let four = majority_of_words(two, two_1, two_2) | (twos & carry);
    return vec2((twos | carry) & ~four & ~(odd ^ odd_1 ^ odd_2), twos | carry);
}

// Points of a row, or a column: the low and the high bit of a number.
struct Points { low: vec3<u32>, high: vec3<u32> }

fn points(in_line: vec3<u32>, in_box: vec3<u32>, spread: vec3<u32>) -> Points {
    return Points(in_line ^ in_box ^ spread, majority(in_line, in_box, spread));
}

fn row_points(paired: vec3<u32>, in_box: vec3<u32>, spread: vec3<u32>) -> Points {
    let once = next_stack(paired);
    return points(once | next_stack(once), in_box, spread);
}

fn column_points(paired: vec3<u32>, in_box: vec3<u32>, spread: vec3<u32>) -> Points {
    let once = next_band(paired);
    return points(once | next_band(once), in_box, spread);
}

// Bit 0, 1 or 2 of the sum of a row's and a column's points.
fn sum_bit(bit: u32, row: Points, column: Points) -> vec3<u32> {
    let carry = row.low & column.low;
    if bit == 0u { return row.low ^ column.low; }
    if bit == 1u { return row.high ^ column.high ^ carry; }
    return majority(row.high, column.high, carry);
}

// The lowest bit of the first word that has one, unless one was taken before.
fn first_bit(x: vec3<u32>, taken: bool) -> vec3<u32> {
    let low = x & (~x + vec3(1u));
    let y = select(low.y, 0u, low.x != 0u);
    let z = select(low.z, 0u, (low.x | low.y) != 0u);
    return select(vec3(low.x, y, z), vec3(0u), taken);
}

fn choose(x: Cells) -> Choice {
    let t0 = two_or_more(x.p0); let t1 = two_or_more(x.p1); let t2 = two_or_more(x.p2);
    let t3 = two_or_more(x.p3); let t4 = two_or_more(x.p4); let t5 = two_or_more(x.p5);
    let t6 = two_or_more(x.p6); let t7 = two_or_more(x.p7); let t8 = two_or_more(x.p8);

    // Digits with two places in their box.
    var one = x.p0;
    var two = one & x.p1; one |= x.p1;
    var three = two & x.p2; two |= one & x.p2; one |= x.p2;
    three |= two & x.p3; two |= one & x.p3; one |= x.p3;
    three |= two & x.p4; two |= one & x.p4; one |= x.p4;
    three |= two & x.p5; two |= one & x.p5; one |= x.p5;
    three |= two & x.p6; two |= one & x.p6; one |= x.p6;
    three |= two & x.p7; two |= one & x.p7; one |= x.p7;
    three |= two & x.p8; two |= one & x.p8;
    let twice = two & ~three;

    // Candidates to choose from: of cells with two, of digits with two places; else of any cell that is open.
    var s: Cells;
    s.p0 = x.p0 & vec3(t0.y) & (vec3(t0.x) | twice);
    s.p1 = x.p1 & vec3(t1.y) & (vec3(t1.x) | twice);
    s.p2 = x.p2 & vec3(t2.y) & (vec3(t2.x) | twice);
    s.p3 = x.p3 & vec3(t3.y) & (vec3(t3.x) | twice);
    s.p4 = x.p4 & vec3(t4.y) & (vec3(t4.x) | twice);
    s.p5 = x.p5 & vec3(t5.y) & (vec3(t5.x) | twice);
    s.p6 = x.p6 & vec3(t6.y) & (vec3(t6.x) | twice);
    s.p7 = x.p7 & vec3(t7.y) & (vec3(t7.x) | twice);
    s.p8 = x.p8 & vec3(t8.y) & (vec3(t8.x) | twice);
    let some = s.p0 | s.p1 | s.p2 | s.p3 | s.p4 | s.p5 | s.p6 | s.p7 | s.p8;
    if all(some == vec3(0u)) {
        s.p0 = x.p0 & vec3(t0.y); s.p1 = x.p1 & vec3(t1.y); s.p2 = x.p2 & vec3(t2.y);
        s.p3 = x.p3 & vec3(t3.y); s.p4 = x.p4 & vec3(t4.y); s.p5 = x.p5 & vec3(t5.y);
        s.p6 = x.p6 & vec3(t6.y); s.p7 = x.p7 & vec3(t7.y); s.p8 = x.p8 & vec3(t8.y);
    }

    // Rows and columns of boxes, of all candidates and of those in cells with two.
    let all_a = x.p0 | x.p1 | x.p2;
    let all_b = x.p3 | x.p4 | x.p5;
    let all_c = x.p6 | x.p7 | x.p8;
    let down_a = x.p0 | x.p3 | x.p6;
    let down_b = x.p1 | x.p4 | x.p7;
    let down_c = x.p2 | x.p5 | x.p8;
    let q0 = x.p0 & vec3(t0.x); let q1 = x.p1 & vec3(t1.x); let q2 = x.p2 & vec3(t2.x);
    let q3 = x.p3 & vec3(t3.x); let q4 = x.p4 & vec3(t4.x); let q5 = x.p5 & vec3(t5.x);
    let q6 = x.p6 & vec3(t6.x); let q7 = x.p7 & vec3(t7.x); let q8 = x.p8 & vec3(t8.x);
    let pair_a = q0 | q1 | q2;
    let pair_b = q3 | q4 | q5;
    let pair_c = q6 | q7 | q8;
    let fall_a = q0 | q3 | q6;
    let fall_b = q1 | q4 | q7;
    let fall_c = q2 | q5 | q8;
    let row_a = row_points(pair_a, pair_b | pair_c, all_b | all_c);
    let row_b = row_points(pair_b, pair_a | pair_c, all_a | all_c);
    let row_c = row_points(pair_c, pair_a | pair_b, all_a | all_b);
    let column_a = column_points(fall_a, fall_b | fall_c, down_b | down_c);
    let column_b = column_points(fall_b, fall_a | fall_c, down_a | down_c);
    let column_c = column_points(fall_c, fall_a | fall_b, down_a | down_b);

    // The most points: bit by bit, from the highest, those that have it if some have.
    @unroll for (var k = 0u; k < POINT_BITS; k++) {
        let bit = POINT_BITS - 1u - k;
        let m0 = s.p0 & sum_bit(bit, row_a, column_a);
        let m1 = s.p1 & sum_bit(bit, row_a, column_b);
        let m2 = s.p2 & sum_bit(bit, row_a, column_c);
        let m3 = s.p3 & sum_bit(bit, row_b, column_a);
        let m4 = s.p4 & sum_bit(bit, row_b, column_b);
        let m5 = s.p5 & sum_bit(bit, row_b, column_c);
        let m6 = s.p6 & sum_bit(bit, row_c, column_a);
        let m7 = s.p7 & sum_bit(bit, row_c, column_b);
        let m8 = s.p8 & sum_bit(bit, row_c, column_c);
        if any((m0 | m1 | m2 | m3 | m4 | m5 | m6 | m7 | m8) != vec3(0u)) {
            s = Cells(m0, m1, m2, m3, m4, m5, m6, m7, m8);
        }
    }

    var choice: Choice;
    choice.pick.p0 = first_bit(s.p0, false);
    var taken = any(s.p0 != vec3(0u));
    choice.pick.p1 = first_bit(s.p1, taken); taken = taken || any(s.p1 != vec3(0u));
    choice.pick.p2 = first_bit(s.p2, taken); taken = taken || any(s.p2 != vec3(0u));
    choice.pick.p3 = first_bit(s.p3, taken); taken = taken || any(s.p3 != vec3(0u));
    choice.pick.p4 = first_bit(s.p4, taken); taken = taken || any(s.p4 != vec3(0u));
    choice.pick.p5 = first_bit(s.p5, taken); taken = taken || any(s.p5 != vec3(0u));
    choice.pick.p6 = first_bit(s.p6, taken); taken = taken || any(s.p6 != vec3(0u));
    choice.pick.p7 = first_bit(s.p7, taken); taken = taken || any(s.p7 != vec3(0u));
    choice.pick.p8 = first_bit(s.p8, taken); taken = taken || any(s.p8 != vec3(0u));
    choice.solved = !taken;
    return choice;
}

// The picked candidate alone in its cell.
fn keep_picked(x: vec3<u32>, pick: vec3<u32>) -> vec3<u32> {
    return (x & vec3(~rests(pick.x | pick.y | pick.z))) | pick;
}
