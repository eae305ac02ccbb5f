// All workgroups of blocks from the first on, and the minima of blocks that stand.
fn number_of(workgroup: u32) -> u32 { return params.first + workgroup; }
fn block_minimum(block: u32) -> Minimum { return Minimum(block_minima_at(block), block_positions_at(3u * block)); }
