// The workgroups of blocks that hold changed elements, of which there are `first`; behind them there is none.
fn number_of(workgroup: u32) -> u32 {
    if workgroup >= params.first { return 0xffffffffu; }
    return line_of(changed_at(workgroup)) / BLOCK / THREADS;
}
