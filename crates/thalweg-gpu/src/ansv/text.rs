//! Parts of the kernels' text that are made rather than written: for either side, for the width of keys, and unrolled.

use thalweg::Key;

use crate::array::DeviceArray;
use crate::coding;

/// Which neighbours a piece of text is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Right,
}

impl Side {
    fn name(self) -> &'static str {
        if self == Self::Left { "left" } else { "right" }
    }
}

/// A file written for a side in general: its names begin with `side_`.
pub(super) fn for_side(text: &str, side: Side) -> String {
    text.replace("side_", &format!("{}_", side.name()))
}

/// The constants of a side.
pub(super) fn constants(side: Side) -> String {
    let name = side.name();
    format!("const {name}_LEFT = {};\nconst {name}_NUMBER = {}u;\n", side == Side::Left, side as u32)
}

/// `Four`: four keys at a time.
pub(super) fn four<K: Key>() -> String {
    let keys = if coding::words::<K>() == 1 { include_str!("four32.wgsl") } else { include_str!("four64.wgsl") };
    format!("{keys}{}", include_str!("four.wgsl"))
}

/// How an array of keys is declared as vectors of four words: the elements per buffer become vectors per buffer.
pub(super) fn quad_sharding<K: Key>(array: &DeviceArray<K>) -> Option<(u32, u32)> {
    array.sharding().map(|(shift, count)| (shift + coding::words::<K>() - 3, count))
}

/// `NAME_four(i)`: four keys from an array declared as vectors of four words. `rank`: they are keys' bits.
pub(super) fn load_four<K: Key>(name: &str, rank: bool) -> String {
    let rank = if rank { "four_rank" } else { "" };
    if coding::words::<K>() == 1 {
        format!("fn {name}_four(i: u32) -> Four {{ return {rank}({name}_at(i)); }}\n")
    } else {
        format!(
            "fn {name}_four(i: u32) -> Four {{
    let a = {name}_at(2u * i);
    let b = {name}_at(2u * i + 1u);
    return {rank}(Four(vec4(a.x, a.z, b.x, b.z), vec4(a.y, a.w, b.y, b.w)));
}}\n"
        )
    }
}

/// `NAME_four(i)` from an array declared as keys.
pub(super) fn gather_four(name: &str) -> String {
    let keys: Vec<_> = (0..4).map(|k| format!("{name}_at(4u * i + {k}u)")).collect();
    format!("fn {name}_four(i: u32) -> Four {{ return four_pack({}); }}\n", keys.join(", "))
}

/// `tile_key(slot, k)`: one key of a quad in workgroup memory, without loading the other three.
pub(super) fn tile_key<K: Key>() -> &'static str {
    if coding::words::<K>() == 1 {
        "fn tile_key(slot: u32, k: u32) -> Key { return tile_keys[slot][k]; }\n"
    } else {
        "fn tile_key(slot: u32, k: u32) -> Key { return vec2(tile_keys[slot].low[k], tile_keys[slot].high[k]); }\n"
    }
}

/// `tree_key(i)`: entry `i` of the tree, counted in keys.
pub(super) fn tree_key<K: Key>() -> &'static str {
    if coding::words::<K>() == 1 {
        "fn tree_key(i: u32) -> Key { return tree[i >> 2u][i & 3u]; }\n"
    } else {
        "fn tree_key(i: u32) -> Key { return vec2(tree[i >> 2u].low[i & 3u], tree[i >> 2u].high[i & 3u]); }\n"
    }
}

/// `tree_put(i, key)`: entry `i` of the tree, counted in keys.
pub(super) fn tree_put<K: Key>() -> &'static str {
    if coding::words::<K>() == 1 {
        "fn tree_put(i: u32, key: Key) { tree[i >> 2u][i & 3u] = key; }\n"
    } else {
        "fn tree_put(i: u32, key: Key) { tree[i >> 2u].low[i & 3u] = key.x; tree[i >> 2u].high[i & 3u] = key.y; }\n"
    }
}

/// `Run`: the keys of a thread's run in registers, with the functions on it: `run_load(tile, thread, valid)` reads them,
/// puts them into workgroup memory for others, with their minimum; `run_min(run)`.
pub(super) fn run(quads: u32) -> String {
    let each = |with: &dyn Fn(u32) -> String, between: &str| (0..quads).map(with).collect::<Vec<_>>().join(between);
    let least = (1..quads)
        .fold("four_min(run.four0)".to_owned(), |least, q| format!("key_min({least}, four_min(run.four{q}))"));
    format!(
        "struct Run {{ {} }}
fn run_min(run: Run) -> Key {{ return {least}; }}
fn run_load(tile: u32, thread: u32, valid: u32) -> Run {{
    let run = Run({});
    {}
    tree_put(thread, run_min(run));
    return run;
}}\n",
        each(&|q| format!("four{q}: Four"), ", "),
        each(&|q| format!("quad_load(tile, thread * ITEMS + {}u, valid)", 4 * q), ", "),
        each(&|q| format!("tile_keys[{q}u * STRIDE + thread] = run.four{q};"), "\n    "),
    )
}

/// `SIDE_solve(run, thread, there)`: answers of a run's elements from the tile, two in a word, and a bit for every element
/// that has none; and `SIDE_store(answers, ...)`, which writes them.
///
/// First every pair of the run is compared, in registers, without a branch: for runs of 8 that is 7 instructions an
/// element and side, less than one step of a search. (Comparing with the next run as well halves what is left open, and
/// costs as much as that saves.) What is open then looks at other runs, largest first, so that every answer lies
/// at or beyond the one before. A run without an answer is left behind by its link, as the runs in between hold nothing
/// smaller than its own minimum. A run that is passed this way is never looked at by the threads beyond this one: all
/// threads together pass every run at most once.
pub(super) fn solve(side: Side, quads: u32, first_side: bool) -> String {
    let (items, left) = (4 * quads, side == Side::Left);
    let words = items / 2;
    let mut text = String::from(if first_side { "struct Answers { open: u32, " } else { "" });
    let mut line = |line: String| {
        text += &line;
        text.push('\n');
    };
    if first_side {
        line((0..words).map(|w| format!("word{w}: u32")).collect::<Vec<_>>().join(", ") + " }");
    }
    let name = side.name();
    line(format!("fn {name}_solve(run: Run, thread: u32, there: u32) -> Answers {{\n    var open = 0u;"));
    for i in 0..items {
        line(format!("    let key{i} = four_get(run.four{}, {}u);", i / 4, i % 4));
        line(format!("    let at{i} = thread * ITEMS + {i}u;"));
    }
    for i in 0..items {
        // The nearest comes last and stays.
        let others: Vec<u32> = if left { (0..i).collect() } else { (i + 1..items).rev().collect() };
        line(format!("    var answer{i} = NO_ANSWER;"));
        for j in others {
            line(format!("    answer{i} = select(answer{i}, at{j}, before(key{j}, key{i}));"));
        }
        line(format!("    open |= select(0u, {}u, answer{i} == NO_ANSWER);", 1u32 << i));
    }
    for w in 0..words {
        line(format!("    var word{w} = answer{} | (answer{} << 16u);", 2 * w, 2 * w + 1));
    }
    let (first_run, first_bit, link) = if left {
        ("thread - 1u", "firstTrailingBit(open)", "links[other] & 0xffffu")
    } else {
        ("thread + 1u", "firstLeadingBit(open)", "links[other] >> 16u")
    };
    line(format!(
        "    open &= there;
    var other = {first_run};
    while open != 0u && other < THREADS {{
        let k = {first_bit};
        let key = tile_key((k >> 2u) * STRIDE + thread, k & 3u);
        if before(tree_key(other), key) {{
            let answer = other * ITEMS + {name}_in_run_of(other, key);
            // All bits of an open element's half are set.
            let bits = select(answer | 0xffff0000u, (answer << 16u) | 0xffffu, (k & 1u) == 1u);
            let half = k >> 1u;"
    ));
    for w in 0..words {
        line(format!("            word{w} &= select(0xffffffffu, bits, half == {w}u);"));
    }
    line(format!(
        "            open &= ~(1u << k);\n        }} else {{\n            other = {link};\n        }}\n    }}"
    ));
    line(format!(
        "    return Answers(open, {});\n}}",
        (0..words).map(|w| format!("word{w}")).collect::<Vec<_>>().join(", ")
    ));

    line(format!(
        "fn {name}_store(answers: Answers, tile: u32, thread: u32, valid: u32) {{\n    let first = tile * TILE;"
    ));
    for q in 0..quads {
        let four: Vec<_> = (4 * q..4 * q + 4)
            .map(|i| {
                let word = format!("answers.word{}", i / 2);
                let half = if i % 2 == 0 { format!("{word} & 0xffffu") } else { format!("{word} >> 16u") };
                format!("answer_of(first, {half})")
            })
            .collect();
        line(format!("    var quad{q} = vec4({});", four.join(", ")));
        // Filling after the array's end may count as a neighbour of the worst key, unless strictly.
        line(format!("    if !STRICT {{ quad{q} = select(quad{q}, vec4(NONE), quad{q} >= vec4(params.count)); }}"));
    }
    for q in 0..quads {
        // The last quad may reach beyond the array, but not beyond its buffer, a multiple of 256 bytes. Exchanging quads
        // with the next thread, to write whole sectors of memory at once, made no difference on an H200.
        line(format!("    let at{q} = thread * QUADS + {q}u;"));
        line(format!("    if 4u * at{q} < valid {{ {name}_out_put(tile * (TILE / 4u) + at{q}, quad{q}); }}"));
    }
    line("}".into());
    text
}
