// Four neighbouring positions, in place of elements.
alias Element = u32;
struct Quad { a: Element, b: Element, c: Element, d: Element }
fn load_quad(i: u32) -> Quad { return Quad(4u * i, 4u * i + 1u, 4u * i + 2u, 4u * i + 3u); }
