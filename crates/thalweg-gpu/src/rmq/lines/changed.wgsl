// What the kernels that follow changes share: where changed elements are, and the notes that the kernels leave for each other.
struct Params {
    count: u32,
    // Whole packs of the array, and the keys of the pack behind them.
    packs: u32,
    rest: u32,
    // Words of the notes where the marks of lines and the claims begin.
    line_marks: u32,
    claims: u32,
    // Claims are by the position without its upper bits.
    slots: u32,
}

// The first words of the notes: how many lines are to be made anew, and how many changes have rivals.
const LINES_FOUND = 0u;
const RIVALS_FOUND = 1u;

// Line numbers, and numbers of packs, fit 32 bits.
fn line_of(position: vec2<u32>) -> u32 {
    if !WIDE { return position.x / LINE; }
    return position.x / LINE | position.y << (32u - LINE_BITS);
}

fn pack_over(position: vec2<u32>) -> u32 { return position.x / PACK | position.y << (32u - firstTrailingBit(PACK)); }
fn word_in_pack(position: vec2<u32>) -> u32 { return position.x % PACK * KEY_WORDS; }

// The word of the notes, and the bit in it, by which a position is claimed. The bit beside it says that it has been claimed twice.
struct Claim { word: u32, bit: u32 }
fn claim_of(position: vec2<u32>) -> Claim {
    let slot = position.x & params.slots;
    return Claim(params.claims + slot / 16u, 1u << (2u * (slot % 16u)));
}
