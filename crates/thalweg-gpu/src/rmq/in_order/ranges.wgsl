// Left and right bound of a range: low and high words.
struct Query { left: vec2<u32>, right: vec2<u32> }

// The node over a position, `shift` bits above the nodes of the first layer. Nodes of the first layer have numbers of 32 bits.
fn node_over(position: vec2<u32>, shift: u32) -> u32 { return (position.x >> 5u | position.y << 27u) >> shift; }

// Which child of that node it lies in, or is.
fn slot_under(position: vec2<u32>, shift: u32) -> u32 {
    if shift == 0u { return position.x & 31u; }
    return node_over(position, shift - 5u) & 31u;
}
