//! The arrays of a kernel: their declarations, and the functions that reach their elements.

use std::fmt::Write;

/// How a kernel uses an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Access {
    Read,
    Write,
    /// Read and written by atomic operations only.
    Atomic,
    /// Read and written by single atomic loads, stores, disjunctions and exchanges only.
    SharedWords,
    /// Pairs of words, read and written by atomic loads and stores: of both words at once, or of one after the other.
    SharedPairs,
    /// Vectors of four words, read and written by atomic operations on one of them.
    SharedPacks,
}

/// An array as a kernel declares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Declared {
    pub(super) name: &'static str,
    pub(super) element: &'static str,
    pub(super) access: Access,
    /// Elements per buffer as a power of two, and the number of buffers. `None`: one buffer.
    pub(super) shards: Option<(u32, u32)>,
}

/// What vectors and pairs of words are declared as, the latter by whether the device has atomics for both at once.
pub(super) const WHOLE_PAIR: &str = "atomic<u64>";
pub(super) const PACK_OF_WORDS: &str = "array<atomic<u32>, 4>";
pub(super) const PAIR_OF_WORDS: &str = "array<atomic<u32>, 2>";

impl Declared {
    /// How many buffers it takes.
    pub(super) fn bindings(&self) -> usize {
        self.shards.map_or(1, |(_, count)| count as usize)
    }

    /// Its variables, bound from number `binding` on, and its functions.
    pub(super) fn text(&self, binding: usize) -> String {
        let Self { name, element, access, .. } = *self;
        let mut text = self.variables(binding);
        // Atomics are reached by their own operations, unless single loads and stores are all that is done to them.
        if matches!(access, Access::Read | Access::Write) && element.starts_with("atomic") {
            return text;
        }
        let mut function = |head: String, body: &str| {
            writeln!(text, "fn {head} {{ {body} }}").expect("a string takes all");
        };
        match access {
            Access::Atomic => {}
            Access::SharedWords => {
                function(
                    format!("{name}_load(i: u32) -> u32"),
                    &self.picked(|at| format!("return atomicLoad(&{at});")),
                );
                let store = self.picked(|at| format!("atomicStore(&{at}, value);"));
                function(format!("{name}_store(i: u32, value: u32)"), &store);
                let or = self.picked(|at| format!("atomicOr(&{at}, value);"));
                function(format!("{name}_or(i: u32, value: u32)"), &or);
                let swap = self.picked(|at| format!("return atomicExchange(&{at}, value);"));
                function(format!("{name}_swap(i: u32, value: u32) -> u32"), &swap);
            }
            Access::SharedPairs => {
                let whole = element == WHOLE_PAIR;
                let load = self.picked(|at| match whole {
                    true => format!("let both = atomicLoad(&{at}); return vec2(u32(both), u32(both >> 32u));"),
                    false => format!("return vec2(atomicLoad(&{at}[0]), atomicLoad(&{at}[1]));"),
                });
                function(format!("{name}_load(i: u32) -> vec2<u32>"), &load);
                let store = self.picked(|at| match whole {
                    true => format!("atomicStore(&{at}, u64(value.x) | (u64(value.y) << 32u));"),
                    false => format!("atomicStore(&{at}[0], value.x); atomicStore(&{at}[1], value.y);"),
                });
                function(format!("{name}_store(i: u32, value: vec2<u32>)"), &store);
            }
            Access::SharedPacks => {
                let load = self.picked(|at| format!("return atomicLoad(&{at}[word]);"));
                function(format!("{name}_load(i: u32, word: u32) -> u32"), &load);
                let store = self.picked(|at| format!("atomicStore(&{at}[word], value);"));
                function(format!("{name}_store(i: u32, word: u32, value: u32)"), &store);
                let max = self.picked(|at| format!("atomicMax(&{at}[word], value);"));
                function(format!("{name}_max(i: u32, word: u32, value: u32)"), &max);
            }
            Access::Read | Access::Write => {
                function(format!("{name}_at(i: u32) -> {element}"), &self.picked(|at| format!("return {at};")));
            }
        }
        if access == Access::Write {
            function(format!("{name}_put(i: u32, value: {element})"), &self.picked(|at| format!("{at} = value;")));
            if element == "vec4<u32>" {
                // The same for a single word, which the neighbours in its vector do not notice.
                let put = self.picked(|at| format!("{at}[word & 3u] = value;"));
                function(format!("{name}_put_word(word: u32, value: u32)"), &format!("let i = word >> 2u; {put}"));
            }
        }
        text
    }

    fn variables(&self, binding: usize) -> String {
        let Self { name, element, access, shards } = *self;
        let mode = if access == Access::Read { "read" } else { "read_write" };
        let variable = |binding: usize, variable: &str| {
            format!("@group(0) @binding({binding}) var<storage, {mode}> {variable}: array<{element}>;\n")
        };
        match shards {
            None => variable(binding, name),
            Some((_, count)) => (0..count).map(|k| variable(binding + k as usize, &format!("{name}_{k}"))).collect(),
        }
    }

    /// A statement that does `something` to element `i`, wherever it lies.
    fn picked(&self, something: impl Fn(String) -> String) -> String {
        let name = self.name;
        let Some((shift, count)) = self.shards else { return something(format!("{name}[i]")) };
        let mask = (1u64 << shift) - 1;
        let mut text = format!("switch i >> {shift}u {{\n");
        for k in 0..count {
            let case = if k + 1 == count { "default".into() } else { format!("case {k}u") };
            let done = something(format!("{name}_{k}[i & {mask}u]"));
            writeln!(text, "    {case}: {{ {done} }}").expect("a string takes all");
        }
        text + "}"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(element: &'static str, access: Access, shards: Option<(u32, u32)>) -> Declared {
        Declared { name: "a", element, access, shards }
    }

    #[test]
    fn one_buffer_is_read() {
        let array = declared("u32", Access::Read, None);
        assert_eq!(array.bindings(), 1);
        assert_eq!(
            array.text(4),
            "@group(0) @binding(4) var<storage, read> a: array<u32>;\nfn a_at(i: u32) -> u32 { return a[i]; }\n"
        );
    }

    #[test]
    fn one_buffer_is_written() {
        assert_eq!(
            declared("vec2<u32>", Access::Write, None).text(1),
            "@group(0) @binding(1) var<storage, read_write> a: array<vec2<u32>>;\n\
             fn a_at(i: u32) -> vec2<u32> { return a[i]; }\n\
             fn a_put(i: u32, value: vec2<u32>) { a[i] = value; }\n"
        );
    }

    #[test]
    fn single_words_of_vectors_are_written() {
        let text = declared("vec4<u32>", Access::Write, None).text(1);
        let put = "fn a_put_word(word: u32, value: u32) { let i = word >> 2u; a[i][word & 3u] = value; }\n";
        assert!(text.ends_with(put), "{text}");
        assert!(!declared("vec4<u32>", Access::Read, None).text(1).contains("put"));
    }

    #[test]
    fn several_buffers_are_told_apart_by_a_shift() {
        let array = declared("u32", Access::Write, Some((14, 3)));
        assert_eq!(array.bindings(), 3);
        assert_eq!(
            array.text(2),
            "@group(0) @binding(2) var<storage, read_write> a_0: array<u32>;\n\
             @group(0) @binding(3) var<storage, read_write> a_1: array<u32>;\n\
             @group(0) @binding(4) var<storage, read_write> a_2: array<u32>;\n\
             fn a_at(i: u32) -> u32 { switch i >> 14u {\n    \
             case 0u: { return a_0[i & 16383u]; }\n    \
             case 1u: { return a_1[i & 16383u]; }\n    \
             default: { return a_2[i & 16383u]; }\n} }\n\
             fn a_put(i: u32, value: u32) { switch i >> 14u {\n    \
             case 0u: { a_0[i & 16383u] = value; }\n    \
             case 1u: { a_1[i & 16383u] = value; }\n    \
             default: { a_2[i & 16383u] = value; }\n} }\n"
        );
    }

    #[test]
    fn a_word_of_a_vector_in_several_buffers() {
        let text = declared("vec4<u32>", Access::Write, Some((3, 2))).text(1);
        let put = "fn a_put_word(word: u32, value: u32) { let i = word >> 2u; switch i >> 3u {\n    \
                   case 0u: { a_0[i & 7u][word & 3u] = value; }\n    \
                   default: { a_1[i & 7u][word & 3u] = value; }\n} }\n";
        assert!(text.ends_with(put), "{text}");
    }

    #[test]
    fn the_largest_shift_masks_all_bits() {
        assert!(
            declared("u32", Access::Read, Some((32, 1))).text(1).contains("default: { return a_0[i & 4294967295u]; }")
        );
    }

    #[test]
    fn atomics_have_no_functions_of_their_own() {
        assert_eq!(
            declared("atomic<u32>", Access::Atomic, None).text(9),
            "@group(0) @binding(9) var<storage, read_write> a: array<atomic<u32>>;\n"
        );
        // Whatever they are declared as.
        assert_eq!(
            declared("atomic<i32>", Access::Write, None).text(1),
            "@group(0) @binding(1) var<storage, read_write> a: array<atomic<i32>>;\n"
        );
    }

    #[test]
    fn shared_words_are_loaded_and_stored() {
        assert_eq!(
            declared("atomic<u32>", Access::SharedWords, None).text(1),
            "@group(0) @binding(1) var<storage, read_write> a: array<atomic<u32>>;\n\
             fn a_load(i: u32) -> u32 { return atomicLoad(&a[i]); }\n\
             fn a_store(i: u32, value: u32) { atomicStore(&a[i], value); }\n\
             fn a_or(i: u32, value: u32) { atomicOr(&a[i], value); }\n\
             fn a_swap(i: u32, value: u32) -> u32 { return atomicExchange(&a[i], value); }\n"
        );
        let sharded = declared("atomic<u32>", Access::SharedWords, Some((5, 2))).text(1);
        assert!(sharded.contains("case 0u: { return atomicLoad(&a_0[i & 31u]); }"), "{sharded}");
        assert!(sharded.contains("default: { atomicStore(&a_1[i & 31u], value); }"), "{sharded}");
    }

    #[test]
    fn words_of_shared_packs_are_loaded_stored_and_raised() {
        assert_eq!(
            declared(PACK_OF_WORDS, Access::SharedPacks, None).text(1),
            "@group(0) @binding(1) var<storage, read_write> a: array<array<atomic<u32>, 4>>;\n\
             fn a_load(i: u32, word: u32) -> u32 { return atomicLoad(&a[i][word]); }\n\
             fn a_store(i: u32, word: u32, value: u32) { atomicStore(&a[i][word], value); }\n\
             fn a_max(i: u32, word: u32, value: u32) { atomicMax(&a[i][word], value); }\n"
        );
    }

    #[test]
    fn shared_pairs_are_loaded_and_stored_at_once_or_by_words() {
        assert_eq!(
            declared(WHOLE_PAIR, Access::SharedPairs, None).text(1),
            "@group(0) @binding(1) var<storage, read_write> a: array<atomic<u64>>;\n\
             fn a_load(i: u32) -> vec2<u32> { let both = atomicLoad(&a[i]); return vec2(u32(both), u32(both >> 32u)); }\n\
             fn a_store(i: u32, value: vec2<u32>) { atomicStore(&a[i], u64(value.x) | (u64(value.y) << 32u)); }\n"
        );
        let sharded = declared(PAIR_OF_WORDS, Access::SharedPairs, Some((5, 2))).text(1);
        assert!(sharded.contains("a_1: array<array<atomic<u32>, 2>>;"), "{sharded}");
        let load = "case 0u: { return vec2(atomicLoad(&a_0[i & 31u][0]), atomicLoad(&a_0[i & 31u][1])); }";
        assert!(sharded.contains(load), "{sharded}");
        let store = "default: { atomicStore(&a_1[i & 31u][0], value.x); atomicStore(&a_1[i & 31u][1], value.y); }";
        assert!(sharded.contains(store), "{sharded}");
    }
}
