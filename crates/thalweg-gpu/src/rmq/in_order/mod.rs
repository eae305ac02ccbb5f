//! The elements of many ranges in order, on the device: the smallest of each, and those that are not above a threshold.
//!
//! Both walk down layers of minima over the array, each of 32 of the one below ([`Levels`]), which are made when they are
//! first asked for and serve every engine. A node of a layer is opened if its minimum can matter, by looking at its 32
//! children at once; no engine is asked, and nothing goes to the host and back but numbers of nodes.
//!
//! | | how | work |
//! |---|---|---|
//! | [`below`] | all ranges together, a layer at a time: count, scan, write; so what is found comes out in order | O(m + q log n) nodes for m positions of q ranges |
//! | [`smallest`] | a workgroup for each range, which keeps k nodes a layer and those at the two ends | O(k log n) nodes a range, of which k may be 30, and sorts of their children |
//! | [`many`] | more than that: all ranges together, a layer at a time, of which a sort tells the k nodes that are kept | O(k log n) nodes a range, and their sorts |

mod below;
mod levels;
mod many;
mod smallest;

pub(super) use self::levels::Levels;
use crate::array::Keys;
use crate::kernel::Source;

/// How kernels see the bounds of ranges: left and right in turn, of either width.
fn reads_ranges(source: Source, ranges: &Keys) -> Source {
    let sharding = ranges.sharding().map(|(shift, shards)| (shift - 1, shards));
    reads_ranges_of(source, ranges.words(), sharding)
}

/// The same of bounds of so many words, and of ranges so spread over buffers.
fn reads_ranges_of(source: Source, words: u32, sharding: Option<(u32, u32)>) -> Source {
    let (element, query_of) = match words {
        1 => ("vec2<u32>", include_str!("../batch/query_narrow.wgsl")),
        _ => ("vec4<u32>", include_str!("../batch/query_wide.wgsl")),
    };
    source.include(include_str!("ranges.wgsl")).include(query_of).reads_sharded("queries", element, sharding)
}

/// What positions in an array look like in a kernel, and how they are made.
fn position_of(words: u32) -> (&'static str, &'static str) {
    match words {
        1 => ("u32", "fn position_of(low: u32, high: u32) -> u32 { return low; }\n"),
        _ => ("vec2<u32>", "fn position_of(low: u32, high: u32) -> vec2<u32> { return vec2(low, high); }\n"),
    }
}
