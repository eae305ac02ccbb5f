// The path from the goal back to the start, over cells whose lengths are exact: all cells of shortest paths have been settled.
// The queue's memory holds it, until its length and so its place among the paths is known.
fn walk_back(slot: u32, shard: u32, first: u32, thread: u32) {
    let all = CHUNKS << params.chunk_log;
    let base = slot * all;
    if thread == 0u {
        path_start = 0u;
        path_cells = 0u;
        var length = atomicLoad(&best);
        if length != NO_PATH && atomicLoad(&trouble) == 0u {
            var cell = query.goal;
            var count = 0u;
            var going = true;
            while going && count < all {
                entries[base + count] = cell;
                count += 1u;
                going = false;
                if cell != query.start {
                    let open = (around[cell / 4u] >> (8u * (cell % 4u))) & 255u;
                    let index = 8u * 256u + open;
                    let steps = (successors[index / 4u] >> (8u * (index % 4u))) & 255u;
                    let to_here = array<u32, 2>(step_to(cell, 0u), step_to(cell, 1u));
                    var from_cell = cell;
                    var from_length = 0u;
                    // The last that fits is the first of the order.
                    @unroll for (var k = 0u; k < DIRECTIONS; k++) {
                        let way = (BACKWARDS >> (4u * k)) & 7u;
                        if ((steps >> way) & 1u) != 0u {
                            let other = cell + row_step(way) * params.cols + column_step(way);
                            let there = ~lengths_at(shard, first + other);
                            if there <= MOST && there + to_here[way & 1u] == length {
                                from_cell = other;
                                from_length = there;
                                going = true;
                            }
                        }
                    }
                    cell = from_cell;
                    length = from_length;
                }
            }
            if entries[base + count - 1u] != query.start {
                atomicOr(&trouble, 1u);
            } else {
                path_cells = count;
                path_start = atomicAdd(&next[2], count);
                if path_start > params.room || count > params.room - path_start { atomicOr(&trouble, 4u); }
            }
        }
    }
    storageBarrier();
    workgroupBarrier();
    if atomicLoad(&trouble) == 0u {
        for (var k = thread; k < path_cells; k += THREADS) {
            paths[path_start + k] = entries[base + path_cells - 1u - k];
        }
    }
    workgroupBarrier();
}
