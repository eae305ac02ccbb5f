// Roots and depths. What is known of node i are the words 2i and 2i + 1: its root and its depth, both with the bit FINAL.
// As long as that is not known, the first one is its parent, without the bit. Every word changes once, so whoever sees
// the bit in both sees a root and the depth that belongs to it, and whoever misses it in the first sees the parent.
struct Params { count: u32, round: u32, patience: u32 }

const FINAL = 0x80000000u;

struct Known { link: u32, depth: u32 }
fn known_of(i: u32) -> Known { return Known(known_load(2u * i), known_load(2u * i + 1u)); }
fn is_known(k: Known) -> bool { return (k.link & k.depth & FINAL) != 0u; }
fn know(i: u32, root: u32, depth: u32) {
    known_store(2u * i, root | FINAL);
    known_store(2u * i + 1u, depth | FINAL);
}
