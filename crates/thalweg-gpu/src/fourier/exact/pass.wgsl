// LEVELS levels of a transform, in a workgroup's memory.
//
// A tile has 2^LEVELS rows, params.stride apart, of 4096 / 2^LEVELS neighbours: as a line of 4096 elements it is a block that
// is halved until its parts are rows. The factors depend on a block's number alone, see thalweg-fourier's `tables.rs`.
struct Params {
    p: u32,
    inverse: u32,
    // 1 as a factor, and what products are multiplied by.
    one: u32,
    scale: u32,
    // Tiles of all transforms, and of one.
    tiles: u32,
    tiles_of_one: u32,
    // The distance between rows as a power of two.
    stride_log: u32,
    // The words of the table's second part.
    high: u32,
}

const THREADS = 256u;
const TILE_LOG = 12u;
const COLUMNS_LOG = TILE_LOG - LEVELS;

var<workgroup> tile: array<u32, 4096>;

// Elements that are a power of two apart are in different banks.
fn room(i: u32) -> u32 { return i ^ ((i >> 4u) & 31u); }

// The table of one direction: roots of the low ten bits of a block's number, roots of the others, the root of order four, and
// the powers of those that four blocks begin with.
fn table(inverse: bool) -> u32 { return select(0u, 1024u + params.high + 16u, inverse); }

fn root(block: u32, inverse: bool) -> u32 {
    return times(roots[table(inverse) + (block & 1023u)], roots[table(inverse) + 1024u + (block >> 10u)]);
}

fn quarter_root(inverse: bool) -> vec4<u32> { return vec4(roots[table(inverse) + 1024u + params.high]); }

fn power_of(inverse: bool, i: u32) -> u32 { return roots[table(inverse) + 1025u + params.high + i]; }

struct Four { a: vec4<u32>, b: vec4<u32>, c: vec4<u32>, d: vec4<u32> }

// Four values modulo x - w, x + w, x - i w, x + i w; w, w^2, w^3 are the factors.
fn quarters(x: Four, w: vec4<u32>, w2: vec4<u32>, w3: vec4<u32>) -> Four {
    let t1 = times4(x.b, w);
    let t2 = times4(x.c, w2);
    let t3 = times4(x.d, w3);
    let even_sum = sum(x.a, t2);
    let even_difference = difference(x.a, t2);
    let odd_sum = sum(t1, t3);
    let odd_difference = times4(difference(t1, t3), quarter_root(false));
    return Four(
        sum(even_sum, odd_sum), difference(even_sum, odd_sum),
        sum(even_difference, odd_difference), difference(even_difference, odd_difference),
    );
}

// The way back, times 4.
fn joined(y: Four, w: vec4<u32>, w2: vec4<u32>, w3: vec4<u32>) -> Four {
    let even_sum = sum(y.a, y.b);
    let odd_sum = difference(y.a, y.b);
    let even_difference = sum(y.c, y.d);
    let odd_difference = times4(difference(y.c, y.d), quarter_root(true));
    return Four(
        sum(even_sum, even_difference),
        times4(sum(odd_sum, odd_difference), w),
        times4(difference(even_sum, even_difference), w2),
        times4(difference(odd_sum, odd_difference), w3),
    );
}

fn turned(x: Four) -> Four {
    return Four(
        vec4(x.a.x, x.b.x, x.c.x, x.d.x), vec4(x.a.y, x.b.y, x.c.y, x.d.y),
        vec4(x.a.z, x.b.z, x.c.z, x.d.z), vec4(x.a.w, x.b.w, x.c.w, x.d.w),
    );
}

fn load_four(at: u32, step: u32) -> vec4<u32> {
    return vec4(tile[room(at)], tile[room(at + step)], tile[room(at + 2u * step)], tile[room(at + 3u * step)]);
}

fn store_four(at: u32, step: u32, x: vec4<u32>) {
    tile[room(at)] = x.x;
    tile[room(at + step)] = x.y;
    tile[room(at + 2u * step)] = x.z;
    tile[room(at + 3u * step)] = x.w;
}

struct Factors { first: vec4<u32>, second: vec4<u32>, third: vec4<u32> }

// The factors of four levels, from those of the last two: of the first two, and of the four blocks of the others.
fn base_of(block: u32, inverse: bool) -> vec3<u32> {
    let w = root(8u * block, inverse);
    let w2 = times(w, w);
    return vec3(w, w2, times(w2, w));
}

fn above(base: vec3<u32>) -> Factors {
    let w = times(base.y, base.y);
    let w2 = times(w, w);
    return Factors(vec4(w), vec4(w2), vec4(times(w2, w)));
}

fn below(base: vec3<u32>, inverse: bool) -> Factors {
    let first = vec4(params.one, power_of(inverse, 0u), power_of(inverse, 3u), power_of(inverse, 6u));
    let second = vec4(params.one, power_of(inverse, 1u), power_of(inverse, 4u), power_of(inverse, 7u));
    let third = vec4(params.one, power_of(inverse, 2u), power_of(inverse, 5u), power_of(inverse, 8u));
    return Factors(times4(vec4(base.x), first), times4(vec4(base.y), second), times4(vec4(base.z), third));
}

// Four levels: blocks of 16 * 2^log elements become parts of 2^log.
fn sixteen_forward(thread: u32, log: u32, first_block: u32) {
    let block = thread >> log;
    let step = 1u << log;
    let at = (block << (log + 4u)) + (thread & (step - 1u));
    let base = base_of((first_block << (TILE_LOG - 4u - log)) + block, false);
    var x = Four(
        load_four(at, step), load_four(at + 4u * step, step), load_four(at + 8u * step, step), load_four(at + 12u * step, step),
    );
    let first = above(base);
    x = turned(quarters(x, first.first, first.second, first.third));
    let second = below(base, false);
    x = turned(quarters(x, second.first, second.second, second.third));
    store_four(at, step, x.a);
    store_four(at + 4u * step, step, x.b);
    store_four(at + 8u * step, step, x.c);
    store_four(at + 12u * step, step, x.d);
}

fn sixteen_inverse(thread: u32, log: u32, first_block: u32) {
    let block = thread >> log;
    let step = 1u << log;
    let at = (block << (log + 4u)) + (thread & (step - 1u));
    let base = base_of((first_block << (TILE_LOG - 4u - log)) + block, true);
    var x = turned(Four(
        load_four(at, step), load_four(at + 4u * step, step), load_four(at + 8u * step, step), load_four(at + 12u * step, step),
    ));
    let second = below(base, true);
    x = turned(joined(x, second.first, second.second, second.third));
    let first = above(base);
    x = joined(x, first.first, first.second, first.third);
    store_four(at, step, x.a);
    store_four(at + 4u * step, step, x.b);
    store_four(at + 8u * step, step, x.c);
    store_four(at + 12u * step, step, x.d);
}

// Two levels, of four parts of blocks at once.
fn four_pass(thread: u32, log: u32, first_block: u32, inverse: bool) {
    let step = 1u << log;
    let i = vec4(thread, thread + THREADS, thread + 2u * THREADS, thread + 3u * THREADS);
    let block = i >> vec4(log);
    let at = (block << vec4(log + 2u)) + (i & vec4(step - 1u));
    let number = vec4(first_block << (TILE_LOG - 2u - log)) + block;
    let w = vec4(
        root(2u * number.x, inverse), root(2u * number.y, inverse), root(2u * number.z, inverse), root(2u * number.w, inverse),
    );
    let w2 = times4(w, w);
    let w3 = times4(w2, w);
    let x = turned(Four(load_four(at.x, step), load_four(at.y, step), load_four(at.z, step), load_four(at.w, step)));
    var y: Four;
    if inverse { y = joined(x, w, w2, w3); } else { y = quarters(x, w, w2, w3); }
    y = turned(y);
    store_four(at.x, step, y.a);
    store_four(at.y, step, y.b);
    store_four(at.z, step, y.c);
    store_four(at.w, step, y.d);
}

// One level, eight times.
fn two_pass(thread: u32, log: u32, first_block: u32, inverse: bool) {
    for (var i = thread; i < 2048u; i += THREADS) {
        let block = i >> log;
        let step = 1u << log;
        let at = (block << (log + 1u)) + (i & (step - 1u));
        let w = root((first_block << (TILE_LOG - 1u - log)) + block, inverse);
        let low = tile[room(at)];
        let high = tile[room(at + step)];
        if inverse {
            tile[room(at)] = reduce(low + high);
            let x = low - high;
            tile[room(at + step)] = times(min(x, x + params.p), w);
        } else {
            let product = times(high, w);
            tile[room(at)] = reduce(low + product);
            let x = low - product;
            tile[room(at + step)] = min(x, x + params.p);
        }
    }
}

@compute @workgroup_size(THREADS)
fn pass_over(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let number = linear_workgroup(group, groups);
    // The last row of workgroups may reach beyond the tiles.
    if number >= params.tiles { return; }
    let which = number % params.tiles_of_one;
    let chunks_log = params.stride_log - COLUMNS_LOG;
    let block = which >> chunks_log;
    let inside = (block << (LEVELS + params.stride_log)) + ((which - (block << chunks_log)) << COLUMNS_LOG);
    let start = (number - which) * 4096u + inside;
    for (var i = thread; i < 4096u; i += THREADS) {
        let place = ((i >> COLUMNS_LOG) << params.stride_log) + (i & ((1u << COLUMNS_LOG) - 1u));
        tile[room(i)] = values[start + place];
    }
    workgroupBarrier();
FORWARD_STAGES
MIDDLE
INVERSE_STAGES
    for (var i = thread; i < 4096u; i += THREADS) {
        let place = ((i >> COLUMNS_LOG) << params.stride_log) + (i & ((1u << COLUMNS_LOG) - 1u));
        values[start + place] = tile[room(i)];
    }
}
