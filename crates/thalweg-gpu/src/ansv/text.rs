//! Parts of the kernels' text that are made rather than written: for either side, for the width of keys, and unrolled.

use std::fmt::Write;

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
pub(super) fn gather_four<K: Key>(name: &str) -> String {
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

/// `tree_put(i, key)`: entry `i` of the tree, counted in keys.
pub(super) fn tree_put<K: Key>() -> &'static str {
    if coding::words::<K>() == 1 {
        "fn tree_put(i: u32, key: Key) { tree[i >> 2u][i & 3u] = key; }\n"
    } else {
        "fn tree_put(i: u32, key: Key) { tree[i >> 2u].low[i & 3u] = key.x; tree[i >> 2u].high[i & 3u] = key.y; }\n"
    }
}

/// `run_quads(thread)`: the minima of the quads of a thread's run, WORST for quads that a run does not have.
pub(super) fn run_quads(quads: u32) -> String {
    let minima: Vec<_> = (0..4)
        .map(|q| if q < quads { format!("four_min(tile_keys[{q}u * STRIDE + thread])") } else { "WORST".into() })
        .collect();
    format!("fn run_quads(thread: u32) -> Four {{ return four_pack({}); }}\n", minima.join(", "))
}

/// `SIDE_in_run(thread, base)`: answers of a run's elements from the run itself, written to `answers`; returns a bit for
/// every element that has none. Every pair is compared, in registers, without a branch: for runs of 16 that is 15
/// instructions an element, less than one step of a search.
pub(super) fn in_run(side: Side, quads: u32) -> String {
    let mut text = format!("fn {}_in_run(thread: u32, base: u32) -> u32 {{\n    var open = 0u;\n", side.name());
    let items = 4 * quads;
    for q in 0..quads {
        writeln!(text, "    let four{q} = tile_keys[{q}u * STRIDE + thread];").expect("a string takes all");
    }
    for i in 0..items {
        writeln!(text, "    let key{i} = four_get(four{}, {}u);\n    let at{i} = base + {i}u;", i / 4, i % 4)
            .expect("a string takes all");
    }
    for i in 0..items {
        // The nearest comes last and stays.
        let others: Vec<u32> = if side == Side::Left { (0..i).collect() } else { (i + 1..items).rev().collect() };
        writeln!(text, "    var answer{i} = NONE;").expect("a string takes all");
        for j in others {
            writeln!(text, "    answer{i} = select(answer{i}, at{j}, before(key{j}, key{i}));")
                .expect("a string takes all");
        }
        writeln!(text, "    open |= select(0u, {}u, answer{i} == NONE);", 1u32 << i).expect("a string takes all");
    }
    for q in 0..quads {
        let four: Vec<_> = (4 * q..4 * q + 4).map(|i| format!("answer{i}")).collect();
        writeln!(text, "    answers[{q}u * STRIDE + thread] = vec4({});", four.join(", ")).expect("a string takes all");
    }
    text + "    return open;\n}\n"
}
