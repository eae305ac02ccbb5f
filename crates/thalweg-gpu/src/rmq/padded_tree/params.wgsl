// What the kernels that build the `padded_tree` index are told.
struct Params {
    // Whole packs of the array, and the keys of the pack behind them.
    packs: u32,
    rest: u32,
    superblocks: u32,
    groups: u32,
    // `table_rows`: the row that the next ones are made of.
    row: u32,
    rows: u32,
}
