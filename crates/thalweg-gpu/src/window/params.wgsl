// Windows along rows. Window `d` of a row, counted without strides, goes from element `d - before` on, `width` elements, cut at the
// row's ends; every `stride`-th is wanted. With at most 2 * 10^9 elements in all, and no more than a row's before or behind an
// element, no sum below wraps around but where an element lies before its row: then it compares as one behind it.
struct Params {
    rows: u32,
    // Elements of a row.
    len: u32,
    before: u32,
    width: u32,
    // Windows of a row: without strides, up to the last that is wanted, and those wanted.
    dense: u32,
    stride: u32,
    count: u32,
    // If PART, that is, the array is a part of a longer one: the place of its first element there, and where answers of the first window go.
    origin: u32,
    found_from: u32,
    positions_from: u32,
    // Windows of a workgroup without strides, or of a stretch, and how many of these a row has.
    tile: u32,
    tiles: u32,
    // Where a workgroup takes several rows: the runs of one, and how many rows. Wide windows: tiles of a subgroup.
    runs: u32,
    held: u32,
    workgroups: u32,
    // Wide windows: blocks of a row, and where in `minima` the levels begin.
    blocks: u32,
    levels: u32,
}

fn origin() -> u32 {
    if PART { return params.origin; }
    return 0u;
}
fn found_from() -> u32 {
    if PART { return params.found_from; }
    return 0u;
}
fn positions_from() -> u32 {
    if PART { return params.positions_from; }
    return 0u;
}
