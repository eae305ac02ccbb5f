// Four neighbouring elements of an array, read in packs.
alias Element = Key;
struct Quad { a: Element, b: Element, c: Element, d: Element }
fn load_quad(i: u32) -> Quad {
    let first = moved_at(KEY_WORDS * i);
    if KEY_WORDS == 1u { return Quad(pack_key(first, 0u), pack_key(first, 1u), pack_key(first, 2u), pack_key(first, 3u)); }
    let second = moved_at(KEY_WORDS * i + 1u);
    return Quad(pack_key(first, 0u), pack_key(first, 1u), pack_key(second, 0u), pack_key(second, 1u));
}
