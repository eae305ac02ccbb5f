// The candidates of puzzles before anything is concluded. A thread for every place in a box of every puzzle: nine cells.
fn byte_at(at: u32) -> u32 { return (bytes_at(at / 4u) >> (8u * (at % 4u))) & 255u; }

fn each(i: u32) {
    let puzzle = i / 9u;
    let place = i % 9u;
    let first = 81u * puzzle + place / 3u * 9u + place % 3u;
    var words = vec3(0u);
    for (var in_box = 0u; in_box < 9u; in_box++) {
        let digit = byte_at(first + in_box / 3u * 27u + in_box % 3u * 3u);
        let every = (1u | (1u << 9u) | (1u << 18u)) << in_box;
        let one = 1u << (((digit + 2u) % 3u) * 9u + in_box);
        let third = (digit + 2u) / 3u;
        words |= select(vec3(every), select(vec3(0u), vec3(one), vec3(third) == vec3(1u, 2u, 3u)), digit != 0u);
    }
    starts_put(3u * i, words.x);
    starts_put(3u * i + 1u, words.y);
    starts_put(3u * i + 2u, words.z);
}
