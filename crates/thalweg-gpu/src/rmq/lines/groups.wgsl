// Records of blocks, and the first row of the table: one thread a block, which looks at all blocks of its group.
var<workgroup> least: array<Key, THREADS>;
var<workgroup> place: array<u32, THREADS>;

// The minimum of a block, and where it lies.
struct Minimum { rank: Key, place: u32 }

// A record is four keys, of which the last is nothing.
fn record_put(block: u32, own: Key, behind: Key, before: Key) {
    records[KEY_WORDS * block] = pack_of(own, behind, before, before);
    if KEY_WORDS == 2u { records[KEY_WORDS * block + 1u] = pack_of(before, before, before, before); }
}

@compute @workgroup_size(THREADS)
fn groups(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    // THREADS is a multiple of GROUP, so a group lies in one workgroup. The product wraps around only beyond the blocks,
    // and then `start` tells.
    let start = number_of(linear_workgroup(group, groups));
    let block = start * THREADS + thread;
    let inside = start < (params.blocks + THREADS - 1u) / THREADS && block < params.blocks;
    var own = WORST;
    if inside {
        let minimum = block_minimum(block);
        own = minimum.rank;
        place[thread] = minimum.place;
    }
    least[thread] = own;
    workgroupBarrier();
    if inside {
        let first = thread / GROUP * GROUP;
        // Where the best of the blocks before and behind this one lies: blocks of this workgroup.
        var before = WORST;
        var before_at = thread;
        for (var i = first; i < thread; i++) {
            if key_less(least[i], before) {
                before = least[i];
                before_at = i;
            }
        }
        var behind = WORST;
        var behind_at = thread;
        for (var i = thread + 1u; i < first + GROUP; i++) {
            if key_less(least[i], behind) {
                behind = least[i];
                behind_at = i;
            }
        }
        record_put(block, own, behind, before);
        // Blocks beyond the array hold the worst rank, which never wins, so `..._at` are blocks of the array.
        block_positions_put(3u * block + 1u, place[behind_at]);
        block_positions_put(3u * block + 2u, place[before_at]);
        if thread == first {
            let better = key_less(behind, own);
            table_put(block / GROUP, key_select(own, behind, better));
            table_positions_put(block / GROUP, place[select(thread, behind_at, better)]);
        }
    }
}
