// What segments do to whole tiles: a tree over the tiles, and lists of what is left to a tile itself.
//
// A segment that covers tiles as a whole is put into the tree. Tiles that it covers in part, two at most, get it on their
// lists, and so does a tile in which two segments cross. A tile has `lanes` lists, so that many threads can follow them; links
// are item numbers plus one, and 0 ends a list. Items 2i and 2i + 1 are those of segment i, those behind them, of which
// there are `spare`, are given to whoever needs one: word 0 of `more` counts them, even if there are not so many.
struct Params {
    count: u32, start: u32, places: u32, tiles: u32, spare: u32, leaves: u32, levels: u32, lanes: u32, split: u32,
}

const LEAF = TILE;

fn tree_load(v: u32) -> u32 { return atomicLoad(&tree[v]); }
fn tree_exchange(v: u32, old: u32, new_one: u32) -> bool {
    return atomicCompareExchangeWeak(&tree[v], old, new_one).exchanged;
}
fn tree_leaves() -> u32 { return params.leaves; }
fn leaf_place(leaf: u32) -> u32 { return leaf * TILE; }

fn list(tile: u32, item: u32) {
    links_put(item, atomicExchange(&heads[tile * params.lanes + (item / 2u) % params.lanes], item + 1u));
}

fn lost(tile: u32, segment: u32) {
    let k = atomicAdd(&more[0], 1u);
    if k < params.spare {
        owners_put(k, segment);
        list(tile, 2u * params.count + k);
    }
}

@compute @workgroup_size(THREADS)
fn windows(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    // `split` threads a segment, each for some of the levels: with few segments, one after the other would take long.
    let number = linear_workgroup(group, groups) * (THREADS / params.split) + thread / params.split;
    let part = thread % params.split;
    if number >= params.count { return; }
    let s = segment_of(number);
    // The last place has an x below 2^32.
    let last = params.start + (params.places - 1u);
    if s.right.x < params.start || s.left.x > last { return; }
    let from_place = max(s.left.x, params.start) - params.start;
    let to_place = min(s.right.x, last) - params.start;
    // Tiles that are covered as a whole: from `low` to `high`, not included. The last tile of all counts as covered in part
    // unless it is whole.
    let low = (from_place + TILE - 1u) / TILE;
    let high = (to_place + 1u) / TILE;
    if part == 0u {
        let first_tile = from_place / TILE;
        let last_tile = to_place / TILE;
        if first_tile < low { list(first_tile, 2u * number); }
        if last_tile >= high && (last_tile > first_tile || first_tile >= low) { list(last_tile, 2u * number + 1u); }
    }
    if low < high { insert_range(params.leaves + low, params.leaves + high, number, params.levels, part, params.split); }
}
