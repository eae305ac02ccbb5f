// Roots and depths. What is known of node i are the words 2i and 2i + 1: the complements of its root and of its depth, 0 as
// long as they are not known. Every word is written once, so whoever sees both sees the right ones.
struct Params { count: u32, round: u32, patience: u32 }

fn is_root(i: u32, parent: u32) -> bool { return parent == 0xffffffffu || parent == i; }

struct Known { root: u32, depth: u32 }
fn known_of(i: u32) -> Known { return Known(known_load(2u * i), known_load(2u * i + 1u)); }
fn is_known(k: Known) -> bool { return k.root != 0u && k.depth != 0u; }
fn know(i: u32, root: u32, depth: u32) {
    known_store(2u * i, ~root);
    known_store(2u * i + 1u, ~depth);
}
