// Four neighbouring elements of two words.
alias Element = vec2<u32>;
struct Quad { a: Element, b: Element, c: Element, d: Element }
fn load_quad(i: u32) -> Quad {
    let first = moved_at(2u * i);
    let second = moved_at(2u * i + 1u);
    return Quad(first.xy, first.zw, second.xy, second.zw);
}
