// Schieber and Vishkin's labels. A node's subtree is a range of numbers, counted from 1; its label is the number of
// the range with the most trailing zeros. The nodes of one label are a path downwards.

// The label of a range.
fn label_of(first: u32, last: u32) -> u32 {
    let k = firstLeadingBit((first - 1u) ^ last);
    return (last >> k) << k;
}

fn lowest_bit(x: u32) -> u32 { return x & (~x + 1u); }

// Label and order of a node: of two nodes on a way from the root, the upper one has the smaller order. And the node
// itself.
struct Node { label: u32, order: u32, node: u32 }
