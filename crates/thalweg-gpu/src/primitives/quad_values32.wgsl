// Four neighbouring elements of one word.
alias Element = u32;
struct Quad { a: Element, b: Element, c: Element, d: Element }
fn load_quad(i: u32) -> Quad {
    let pack = moved_at(i);
    return Quad(pack.x, pack.y, pack.z, pack.w);
}
