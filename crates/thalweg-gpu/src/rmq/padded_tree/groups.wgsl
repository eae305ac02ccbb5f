// Words of superblocks, and the first row of the table: one thread a superblock, FAN a group.
@compute @workgroup_size(THREADS)
fn groups_of(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let number = linear_workgroup(group, groups);
    let superblock = number * THREADS + thread;
    // The product wraps around only in workgroups beyond the superblocks, which the number tells.
    let inside = number <= (params.superblocks - 1u) / THREADS && superblock < params.superblocks;
    var own = WORST;
    if inside { own = superblock_minima_at(superblock); }
    let packed = pack_word(thread, own);
    if inside {
        superblocks_put(superblock, superblocks_at(superblock) | packed.word);
        // Superblocks that are not there have the worst rank and lie behind all others: they are never the best.
        if packed.place == 0u {
            table_put(superblock / FAN, own);
            table_positions_put(superblock / FAN, superblock);
        }
    }
}
