// The smallest of several solutions, row by row (bands/smallest.rs on the CPU): with a solution at hand the cells are gone
// through in order, and wherever a smaller digit is left it is asked whether there is a solution with one of those.
//
// A walk is 29 words: candidates that all solutions have which are not larger than the one at hand and agree before the
// cell; the cell; and the puzzle. A thread takes up the answer to a walk's last question, and puts the next one on the list.
fn word_of(cell: u32) -> u32 { return 3u * (cell / 9u % 3u * 3u + cell % 3u); }
fn box_of(cell: u32) -> u32 { return cell / 27u * 3u + cell % 9u / 3u; }

// Three bits a third: the digits of a cell among words.
fn digits_of(words: vec3<u32>, in_box: u32) -> u32 {
    let bits = (words >> vec3(in_box)) & vec3(0x40201u);
    let three = (bits | (bits >> vec3(8u)) | (bits >> vec3(16u))) & vec3(7u);
    return three.x | (three.y << 3u) | (three.z << 6u);
}

// The bits of digits in a cell.
fn bits_of(digits: u32, in_box: u32) -> vec3<u32> {
    let three = (vec3(digits) >> vec3(0u, 3u, 6u)) & vec3(7u);
    return ((three & vec3(1u)) | ((three & vec3(2u)) << vec3(8u)) | ((three & vec3(4u)) << vec3(16u))) << vec3(in_box);
}

fn walk3(at: u32) -> vec3<u32> { return vec3(walks_at(at), walks_at(at + 1u), walks_at(at + 2u)); }
fn put_walk3(at: u32, x: vec3<u32>) {
    walks_put(at, x.x); walks_put(at + 1u, x.y); walks_put(at + 2u, x.z);
}
fn solved3(at: u32) -> vec3<u32> { return vec3(solved_at(at), solved_at(at + 1u), solved_at(at + 2u)); }

// Leaves only these digits in a cell of a walk.
fn leave(walk: u32, cell: u32, digits: u32) {
    let at = 29u * walk + word_of(cell);
    put_walk3(at, walk3(at) & ~bits_of(511u & ~digits, box_of(cell)));
}

fn conclude_walk(at: u32) {
    var x = Cells(
        walk3(at), walk3(at + 3u), walk3(at + 6u), walk3(at + 9u), walk3(at + 12u), walk3(at + 15u),
        walk3(at + 18u), walk3(at + 21u), walk3(at + 24u),
    );
    var several = ALL_SEVERAL;
    loop {
        let concluded = conclude(x, several);
        x = concluded.cells;
        several = concluded.several;
        if concluded.still || concluded.dead { break; }
    }
    put_walk3(at, x.p0); put_walk3(at + 3u, x.p1); put_walk3(at + 6u, x.p2);
    put_walk3(at + 9u, x.p3); put_walk3(at + 12u, x.p4); put_walk3(at + 15u, x.p5);
    put_walk3(at + 18u, x.p6); put_walk3(at + 21u, x.p7); put_walk3(at + 24u, x.p8);
}

// `a`: whether there are answers.
fn each(i: u32) {
    let walk = list_at(i);
    let at = 29u * walk;
    var cell = walks_at(at + 27u);
    let solution = 27u * walks_at(at + 28u);
    if params.a != 0u {
        let is_found = answers_at(i) != 0u;
        if is_found {
            for (var word = 0u; word < 27u; word++) { solved_put(solution + word, found_at(27u * i + word)); }
        }
        // Nothing smaller, or nothing larger than what was found.
        let digit = digits_of(solved3(solution + word_of(cell)), box_of(cell));
        leave(walk, cell, select(digit, 2u * digit - 1u, is_found));
    }
    conclude_walk(at);
    for (; cell < 81u; cell++) {
        let words = walk3(at + word_of(cell));
        let in_box = box_of(cell);
        let digits = digits_of(words, in_box);
        let digit = digits_of(solved3(solution + word_of(cell)), in_box);
        let smaller = digits & (digit - 1u);
        if smaller != 0u {
            let place = atomicAdd(&open[0], 1u);
            next_list_put(place, walk);
            for (var word = 0u; word < 27u; word++) { questions_put(27u * place + word, walks_at(at + word)); }
            let question = words & ~bits_of(511u & ~smaller, in_box);
            let there = 27u * place + word_of(cell);
            questions_put(there, question.x); questions_put(there + 1u, question.y); questions_put(there + 2u, question.z);
            break;
        }
        if digits != digit { leave(walk, cell, digit); }
    }
    walks_put(at + 27u, cell);
}
