// The large group that a place belongs to, of more than BLOCK suffixes. A block of places has at most two of them: one that
// comes in from before, and one that goes out; whatever begins and ends inside is small. There are `blocks` blocks and
// `length` places.
struct Large {
    is_large: bool,
    // Whether the group began in an earlier block.
    comes_in: bool,
}

// The first head in a block or behind, or the length.
fn first_of(block: u32, blocks: u32, length: u32) -> u32 {
    if block >= blocks { return length; }
    return first_at(blocks - 1u - block);
}

fn coming_in(block: u32, blocks: u32, length: u32) -> bool {
    if block == 0u { return false; }
    let end = first_of(block, blocks, length);
    return end > block * BLOCK && end - last_at(block - 1u) > BLOCK;
}

fn going_out(block: u32, blocks: u32, length: u32) -> bool {
    let start = last_at(block);
    return start >= block * BLOCK && first_of(block + 1u, blocks, length) - start > BLOCK;
}

fn large_group(place: u32, blocks: u32, length: u32) -> Large {
    let block = place / BLOCK;
    let comes_in = place < first_of(block, blocks, length);
    var is_large = false;
    if comes_in {
        is_large = coming_in(block, blocks, length);
    } else if place >= last_at(block) {
        is_large = going_out(block, blocks, length);
    }
    return Large(is_large, comes_in);
}
