// Distances of all cells from some sources: a workgroup a tile, of the tiles whose surroundings have changed. See mod.rs.
struct Params {
    rows: u32,
    cols: u32,
    // Tiles of a row of tiles, and of the map.
    tile_cols: u32,
    tiles: u32,
    // Places of a list.
    room: u32,
    // Which counter, and the number of the round since the beginning.
    round: u32,
    stamp: u32,
}

const SIDE = TILE + 2u;
const CELLS = TILE * TILE / THREADS;
const FAR = 0xffffffffu;

// The tile and a margin of one cell.
var<workgroup> near: array<atomic<u32>, SIDE * SIDE>;
var<workgroup> any_moved: atomic<u32>;
var<workgroup> moved: u32;
// Directions of the tiles that see a change.
var<workgroup> edges: atomic<u32>;
var<workgroup> items: u32;

// The steps that are allowed, by which neighbours are free: no corners are cut.
fn allowed(open: u32) -> u32 {
    if FOUR { return open & 0x55u; }
    let before = (open << 1u) | (open >> 7u);
    let behind = (open >> 1u) | (open << 7u);
    return (open & 0x55u) | (open & before & behind & 0xaau);
}

@compute @workgroup_size(THREADS)
fn relax(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let all = groups.x * groups.y;
    if thread == 0u { items = min(atomicLoad(&counts[params.round]), params.room); }
    let count = workgroupUniformLoad(&items);
    for (var item = linear_workgroup(group, groups); item < count; item += all) {
        let entry = list[(params.stamp % 2u) * params.room + item];
        let of_source = entry / params.tiles;
        let tile = entry - of_source * params.tiles;
        let tile_row = tile / params.tile_cols;
        let tile_column = tile - tile_row * params.tile_cols;
        let base = of_source * params.rows * params.cols;
        for (var k = thread; k < SIDE * SIDE; k += THREADS) {
            // Row and column -1 are beyond all.
            let row = tile_row * TILE + k / SIDE - 1u;
            let column = tile_column * TILE + k % SIDE - 1u;
            var far = FAR;
            if row < params.rows && column < params.cols {
                far = ~atomicLoad(&distances[base + row * params.cols + column]);
            }
            atomicStore(&near[k], far);
        }
        if thread == 0u {
            atomicStore(&edges, 0u);
            atomicStore(&any_moved, 0u);
        }
        workgroupBarrier();
        var changed = 0u;
        var going = true;
        while going {
            var here = 0u;
            for (var j = 0u; j < CELLS; j++) {
                let inside = j * THREADS + thread;
                let row = tile_row * TILE + inside / TILE;
                let column = tile_column * TILE + inside % TILE;
                if row < params.rows && column < params.cols {
                    let cell = row * params.cols + column;
                    let steps = allowed((around[cell / 4u] >> (8u * (cell % 4u))) & 255u);
                    let at = (inside / TILE + 1u) * SIDE + inside % TILE + 1u;
                    let before = atomicLoad(&near[at]);
                    var best = before;
                    @unroll for (var k = 0u; k < DIRECTIONS; k++) {
                        if ((steps >> k) & 1u) != 0u {
                            let other = at + row_step(k) * SIDE + column_step(k);
                            let there = atomicLoad(&near[other]);
                            let step = step_to(cell, k);
                            if there <= MOST {
                                if step > MOST - there {
                                    atomicOr(&counts[TOO_LONG], 1u);
                                } else {
                                    best = min(best, there + step);
                                }
                            }
                        }
                    }
                    // Walls, too, get distances from their neighbours, but nobody takes theirs.
                    if best < before {
                        atomicStore(&near[at], best);
                        here |= 1u << j;
                    }
                }
            }
            changed |= here;
            if here != 0u { atomicStore(&any_moved, 1u); }
            workgroupBarrier();
            if thread == 0u { moved = atomicExchange(&any_moved, 0u); }
            going = workgroupUniformLoad(&moved) != 0u;
        }
        for (var j = 0u; j < CELLS; j++) {
            if ((changed >> j) & 1u) != 0u {
                let inside = j * THREADS + thread;
                let row = inside / TILE;
                let column = inside % TILE;
                let cell = (tile_row * TILE + row) * params.cols + tile_column * TILE + column;
                atomicStore(&distances[base + cell], ~atomicLoad(&near[(row + 1u) * SIDE + column + 1u]));
                let up = row == 0u;
                let down = row == TILE - 1u;
                let left = column == 0u;
                let right = column == TILE - 1u;
                let seen = select(0u, 1u, up) | select(0u, 2u, up && right) | select(0u, 4u, right)
                    | select(0u, 8u, down && right) | select(0u, 16u, down) | select(0u, 32u, down && left)
                    | select(0u, 64u, left) | select(0u, 128u, up && left);
                if seen != 0u { atomicOr(&edges, seen); }
            }
        }
        workgroupBarrier();
        if thread < 8u && ((atomicLoad(&edges) >> thread) & 1u) != 0u {
            let row = tile_row + row_step(thread);
            let column = tile_column + column_step(thread);
            if column < params.tile_cols && row < params.tiles / params.tile_cols {
                let other = of_source * params.tiles + row * params.tile_cols + column;
                if atomicMax(&stamps[other], params.stamp + 1u) < params.stamp + 1u {
                    // At most all tiles: there is room.
                    list[((params.stamp + 1u) % 2u) * params.room + atomicAdd(&counts[params.round + 1u], 1u)] = other;
                }
            }
        }
        workgroupBarrier();
    }
}
