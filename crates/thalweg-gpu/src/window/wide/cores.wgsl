// The core of a tile: what all of its windows have in common behind the tile's own block. Whole blocks, by climbing levels of 16,
// and the head of the block behind them.

@compute @workgroup_size(THREADS)
fn cores(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let tile = linear_workgroup(group, groups) * THREADS + thread;
    if tile >= params.rows * params.tiles { return; }
    let row = tile / params.tiles;
    let block = tile - row * params.tiles;
    let head = block + (params.width - 1u) / TILE;
    let row_first = row * params.blocks;
    // Those from the left, and those from the right.
    var best = Best(WORST, NOWHERE);
    var behind = best;
    if head < params.blocks { behind = minimum_at(row_first + head); }
    // From `low` to before `high`, on a level of `size` nodes that begins at `base`. It rises only with whole nodes between, so the
    // level above has them.
    var low = row_first + block + 1u;
    var high = row_first + min(head, params.blocks);
    var base = params.levels;
    var size = params.rows * params.blocks;
    while low < high {
        while low < high && low % 16u != 0u {
            best = earlier(best, minimum_at(base + low));
            low++;
        }
        while low < high && high % 16u != 0u {
            high--;
            behind = earlier(minimum_at(base + high), behind);
        }
        low /= 16u;
        high /= 16u;
        base += size;
        size = (size + 15u) / 16u;
    }
    best = earlier(best, behind);
    minima_put(params.cores + tile, best.key);
    if TRACK { places_put(params.cores + tile, best.place); }
}
