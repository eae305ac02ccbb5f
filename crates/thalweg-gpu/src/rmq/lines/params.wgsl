// What the kernels that build the `lines` index are told.
struct Params {
    // Whole packs of the array, and the keys of the pack behind them.
    packs: u32,
    rest: u32,
    tiles: u32,
    blocks: u32,
    groups: u32,
    // `table`: the row that the next ones are made of.
    row: u32,
    rows: u32,
    // Places where `sample` looks, and packs between them.
    samples: u32,
    stride: u32,
    // The first tile, or the first workgroup of blocks.
    first: u32,
}
