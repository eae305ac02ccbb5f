// Schieber and Vishkin's labels. A node's subtree is a range of numbers, counted from 1, of which the first and the last are known; its label is
// the number of the range with the most trailing zeros. The nodes of one label are a path downwards.

// The label of a range, its first number and its last one.
fn label_of(range: vec2<u32>) -> u32 {
    let k = firstLeadingBit((range.x - 1u) ^ range.y);
    return (range.y >> k) << k;
}

fn lowest_bit(x: u32) -> u32 { return x & (~x + 1u); }
