//! The text of a kernel, put together.

use std::borrow::Cow;
use std::fmt::Write;

use super::arrays::{Access, Declared, PACK_OF_WORDS, PAIR_OF_WORDS, WHOLE_PAIR};
use super::unroll::{rolled, unrolled};
use crate::runtime::coding::KeyCode;
use crate::wgsl;

/// What a kernel is made of. Bindings are numbered in the order of declaration, from 1; number 0 is `params`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Source {
    pub(super) name: &'static str,
    text: Cow<'static, str>,
    pub(super) entry: &'static str,
    head: String,
    /// The constants among it, for the bounds of loops that are written out.
    constants: Vec<(String, u32)>,
    unroll: bool,
    arrays: Vec<Declared>,
    traces: bool,
}

impl Source {
    /// The kernel `entry` of a WGSL file, which must define a `struct Params` of `u32` members.
    pub(crate) fn new(name: &'static str, text: &'static str, entry: &'static str) -> Self {
        let head = String::new();
        Self {
            name,
            text: text.into(),
            entry,
            head,
            constants: Vec::new(),
            unroll: true,
            arrays: Vec::new(),
            traces: false,
        }
    }

    /// A constant of the kernel.
    pub(crate) fn constant(mut self, name: &str, value: u32) -> Self {
        writeln!(self.head, "const {name} = {value}u;").expect("a string takes all");
        self.constants.push((name.to_owned(), value));
        self
    }

    /// A constant that switches a part of the kernel on.
    pub(crate) fn flag(mut self, name: &str, value: bool) -> Self {
        writeln!(self.head, "const {name} = {value};").expect("a string takes all");
        self
    }

    /// Whether loops that ask for it are written out.
    pub(crate) fn unroll(mut self, unroll: bool) -> Self {
        self.unroll = unroll;
        self
    }

    /// `Key` and its functions.
    pub(crate) fn keys(mut self, coding: impl Into<KeyCode>) -> Self {
        self.head += &coding.into().prelude();
        self
    }

    /// The fewest and the most threads of a subgroup, and `fixed_width`: see [`Source::subgroups`].
    pub(crate) fn widths(self, min: u32, max: u32) -> Self {
        self.constant("WIDTH_MIN", min)
            .constant("WIDTH_MAX", max)
            .constant("WIDTH_LOG", max.ilog2())
            .include(wgsl::WIDTH)
    }

    /// More text before the file's: functions that several files share.
    pub(crate) fn include(mut self, text: &str) -> Self {
        self.head += text;
        self
    }

    /// Puts text in the place of a word of the file.
    pub(crate) fn replace(mut self, word: &str, text: &str) -> Self {
        self.text = self.text.replace(word, text).into();
        self
    }

    /// An array that is only read: `name[i]`, and `name_at(i)`.
    pub(crate) fn reads(self, name: &'static str, element: &'static str) -> Self {
        self.declare(name, element, Access::Read, None)
    }

    /// An array that is read and written: `name[i]`, `name_at(i)`, `name_put(i, value)`.
    pub(crate) fn writes(self, name: &'static str, element: &'static str) -> Self {
        self.declare(name, element, Access::Write, None)
    }

    /// An array of keys or positions that may span several buffers: `name_at(i)`.
    pub(crate) fn reads_sharded(self, name: &'static str, element: &'static str, shards: Option<(u32, u32)>) -> Self {
        self.declare(name, element, Access::Read, shards)
    }

    /// The same, read and written: `name_at(i)`, `name_put(i, value)`; for `vec4<u32>` also `name_put_word(word, value)`.
    pub(crate) fn writes_sharded(self, name: &'static str, element: &'static str, shards: Option<(u32, u32)>) -> Self {
        self.declare(name, element, Access::Write, shards)
    }

    /// An array of words for atomic operations: `atomicLoad(&name[i])` and its like.
    pub(crate) fn atomics(self, name: &'static str) -> Self {
        self.declare(name, "atomic<u32>", Access::Atomic, None)
    }

    /// The same for words of 64 bits, on devices that have atomics of these.
    pub(crate) fn wide_atomics(self, name: &'static str) -> Self {
        self.declare(name, "atomic<u64>", Access::Atomic, None)
    }

    /// Words for single atomic operations that may span several buffers: `name_load(i)`, `name_store(i, value)`,
    /// `name_or(i, value)`.
    pub(crate) fn atomics_sharded(self, name: &'static str, shards: Option<(u32, u32)>) -> Self {
        self.declare(name, "atomic<u32>", Access::SharedWords, shards)
    }

    /// Pairs of words for atomic loads and stores that may span several buffers: `name_load(i)`, `name_store(i, pair)`. Of both
    /// words at once if `whole`, which the device must be able to do; else a load may see one word old and one new.
    pub(crate) fn atomic_pairs_sharded(self, name: &'static str, shards: Option<(u32, u32)>, whole: bool) -> Self {
        self.declare(name, if whole { WHOLE_PAIR } else { PAIR_OF_WORDS }, Access::SharedPairs, shards)
    }

    /// Vectors of four words for atomic operations on single words, which may span several buffers: `name_load(i, word)`,
    /// `name_store(i, word, value)`, `name_max(i, word, value)`.
    pub(crate) fn atomic_packs_sharded(self, name: &'static str, shards: Option<(u32, u32)>) -> Self {
        self.declare(name, PACK_OF_WORDS, Access::SharedPacks, shards)
    }

    /// The kernel traces rays: `scene`, which the recorder [enters](crate::runtime::recorder::Recorder::enter).
    pub(crate) fn traces(mut self) -> Self {
        self.traces = true;
        self
    }

    fn declare(
        mut self,
        name: &'static str,
        element: &'static str,
        access: Access,
        shards: Option<(u32, u32)>,
    ) -> Self {
        self.arrays.push(Declared { name, element, access, shards });
        self
    }

    /// The whole text, or what is wrong with it: a mistake in a kernel.
    pub(super) fn assemble(&self) -> Result<Assembled, String> {
        let mut text = String::new();
        if self.traces {
            text += "enable wgpu_ray_query;\n@group(1) @binding(0) var scene: acceleration_structure;\n";
        }
        text += &self.head;
        let mut read_only = Vec::new();
        text += "@group(0) @binding(0) var<uniform> params: Params;\n";
        for array in &self.arrays {
            text += &array.text(read_only.len() + 1);
            read_only.extend(std::iter::repeat_n(array.access == Access::Read, array.bindings()));
        }
        text += wgsl::COMMON;
        text += &self.text;
        let text = if self.unroll { unrolled(&text, &self.constants)? } else { rolled(&text) };
        Ok(Assembled { text, read_only, traces: self.traces })
    }
}

/// A kernel's text, ready to be compiled.
#[derive(Debug)]
pub(super) struct Assembled {
    pub(super) text: String,
    /// For every buffer, in the order of the bindings, whether it is only read.
    pub(super) read_only: Vec<bool>,
    pub(super) traces: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_core::{Coding, Order};

    fn text(source: Source) -> String {
        source.assemble().unwrap().text
    }

    #[test]
    fn parts_come_in_the_order_that_wgsl_needs() {
        let source = Source::new("k", "fn main() { MIDDLE }", "main")
            .constant("ITEMS", 4)
            .flag("WIDE", true)
            .include("fn shared_by_many() {}\n")
            .reads("input", "u32")
            .replace("MIDDLE", "output_put(0u, input_at(ITEMS));")
            .writes("output", "u32");
        let Assembled { text, read_only, .. } = source.assemble().unwrap();
        assert_eq!(
            text,
            "const ITEMS = 4u;\nconst WIDE = true;\nfn shared_by_many() {}\n\
             @group(0) @binding(0) var<uniform> params: Params;\n\
             @group(0) @binding(1) var<storage, read> input: array<u32>;\n\
             fn input_at(i: u32) -> u32 { return input[i]; }\n\
             @group(0) @binding(2) var<storage, read_write> output: array<u32>;\n\
             fn output_at(i: u32) -> u32 { return output[i]; }\n\
             fn output_put(i: u32, value: u32) { output[i] = value; }\n"
                .to_owned()
                + wgsl::COMMON
                + "fn main() { output_put(0u, input_at(ITEMS)); }"
        );
        assert_eq!(read_only, [true, false]);
    }

    #[test]
    fn every_buffer_of_an_array_has_a_binding() {
        let source = Source::new("k", "", "main")
            .reads_sharded("a", "u32", Some((10, 3)))
            .writes_sharded("b", "u32", Some((10, 2)))
            .reads_sharded("c", "u32", None)
            .atomics("d")
            .atomics_sharded("e", Some((4, 2)));
        let Assembled { text, read_only, .. } = source.assemble().unwrap();
        assert_eq!(read_only, [true, true, true, false, false, true, false, false, false]);
        for (binding, name) in ["a_0", "a_1", "a_2", "b_0", "b_1", "c", "d", "e_0", "e_1"].iter().enumerate() {
            let mode = if read_only[binding] { "read" } else { "read_write" };
            let variable = format!("@binding({}) var<storage, {mode}> {name}: ", binding + 1);
            assert_eq!(text.matches(&variable).count(), 1, "{variable}\n{text}");
        }
    }

    #[test]
    fn all_places_of_a_word_are_replaced_in_the_file_only() {
        let source = Source::new("k", "BODY BODY", "main").include("BODY\n").replace("BODY", "x");
        let text = text(source);
        assert!(text.starts_with("BODY\n") && text.ends_with("x x"), "{text}");
    }

    #[test]
    fn loops_are_written_out_unless_told_otherwise() {
        let source = || Source::new("k", "@unroll for (var k = 0u; k < N; k++) {x;}", "main").constant("N", 2);
        assert!(text(source()).ends_with("{ const k = 0u; x; } { const k = 1u; x; } "));
        assert!(text(source().unroll(false)).ends_with("\nfor (var k = 0u; k < N; k++) {x;}"));
        // The file that is included, too.
        let included =
            Source::new("k", "", "main").include("@unroll for (var k = 0u; k < N; k++) {y;}\n").constant("N", 1);
        assert!(text(included).starts_with("{ const k = 0u; y; } "));
    }

    #[test]
    fn a_flag_is_no_bound_of_a_loop() {
        let source = Source::new("k", "@unroll for (var k = 0u; k < N; k++) {x;}", "main").flag("N", true);
        assert!(source.assemble().is_err());
    }

    #[test]
    fn widths_of_subgroups() {
        let text = text(Source::new("k", "", "main").widths(8, 64));
        for line in
            ["const WIDTH_MIN = 8u;\n", "const WIDTH_MAX = 64u;\n", "const WIDTH_LOG = 6u;\n", "fn fixed_width("]
        {
            assert!(text.contains(line), "{line}\n{text}");
        }
    }

    #[test]
    fn keys_of_one_word_and_of_two() {
        let narrow = text(Source::new("k", "", "main").keys(Coding::of::<i32>(Order::Min)));
        assert!(narrow.contains("const FLIP_LOW = 2147483648u;\n") && narrow.contains("alias Key = u32;"), "{narrow}");
        let wide = text(Source::new("k", "", "main").keys(Coding::of::<f64>(Order::Max)));
        assert!(wide.contains("const FLIP_HIGH = 4294967295u;\n") && wide.contains("alias Key = vec2<u32>;"), "{wide}");
        assert!(wide.contains("const FLOAT = true;\n") && narrow.contains("const FLOAT = false;\n"));
    }
}
