// Windows wider than a tile. A tile's windows begin in one block, and have the core behind it in common; what they end in begins
// behind the core. Either end is read only if its minimum can beat the core's. A subgroup takes up to as many tiles as it has lanes: what is
// known of a tile from blocks, a lane finds out by itself, and then all of them answer the tiles, one after the other.
//
// Ends that have to be read are left to others (`open_runs.wgsl`): some subgroups have many of them, and whoever reads one end after the other
// waits for each.

// Where the head of the last block lies among all that a core is made of.
const LAST = 8192u;

// The best of the whole blocks from `low` to before `high`, numbered across rows, from levels of 16 above them. Zeros are told where
// they lie among all these.
fn best_of_blocks(low_block: u32, high_block: u32) -> Best {
    var best = Best(WORST, NOWHERE);
    var low = low_block;
    var high = high_block;
    var base = params.levels;
    var size = params.rows * params.blocks;
    for (var level = 0u; level <= RAISED; level++) {
        // What no whole node has at either end: less than 16 and less than 16. On the highest level, all.
        var low_end = high;
        if level < RAISED { low_end = min((low + 15u) / 16u * 16u, high); }
        let high_start = max(high / 16u * 16u, low_end);
        let left = low_end - low;
        let count = left + (high - high_start);
        for (var first = 0u; first < count; first += AT_ONCE) {
            @unroll for (var k = 0u; k < AT_ONCE; k++) {
                // The last one may be met again.
                let i = min(first + k, count - 1u);
                let is_left = i < left;
                let node = minimum_at(base + select(high_start + i - left, low + i, is_left));
                let order = select(LAST - 64u * (level + 1u), 64u * level, is_left) + i;
                best = better(best, Best(seen_from(node.key, order), node.place));
            }
        }
        low = (low_end + 15u) / 16u;
        high = max(high_start / 16u, low);
        base += size;
        size = (size + 15u) / 16u;
    }
    return best;
}

// The order of a block, numbered across rows.
fn order_at(block: u32) -> u32 { return key_low(minima_at(2u * params.rows * params.blocks + block)); }

fn known_of(tile: u32) -> Known {
    let row = row_of(tile, params.tiles);
    let block = tile - row * params.tiles;
    // The core: whole blocks, and the head of the block behind them.
    let mine = row * params.blocks + block;
    let blocks = params.rows * params.blocks;
    let reach = (params.width - 1u) / TILE;
    let has_head = block + reach < params.blocks;
    let has_more = block + reach + 1u < params.blocks;
    let head_at = select(mine, mine + reach, has_head);
    let ahead = minimum_at(params.levels + mine);
    let head = minimum_at(head_at);
    let tail = minimum_at(blocks + head_at);
    let more = minimum_at(select(mine, mine + reach + 1u, has_more));
    var core = best_of_blocks(mine + 1u, mine + min(reach, params.blocks - block));
    core = better(core, Best(key_select(WORST, seen_from(head.key, LAST), has_head), head.place));
    // What is behind the core.
    let behind = leftmost(
        Best(key_select(WORST, tail.key, has_head), tail.place),
        Best(key_select(WORST, more.key, has_more), more.place),
    );
    // A tile's first end is seen from 0 on, the core from behind it, and the last end from there on.
    core.key = seen_from(core.key, TILE);
    let first = select(FIRST_END, 0u, key_less(core.key, ahead.key));
    let last = select(0u, LAST_END, key_less(seen_from(behind.key, TILE + 1u), core.key));
    var ends = first | last;
    let place = tile_first(tile) - params.before;
    if ends == FIRST_END {
        let order = order_at(mine);
        if (order & WORSENS) != 0u {
            // The end's last element is its worst, and yet as good as the core.
            let worst = rank_of(values_at(row * params.len + place + TILE - 1u), TILE - 1u);
            if !key_less(core.key, worst) {
                // Blocks that windows end in may have written their own over what is there.
                var others = 0u;
                if has_head { others = order_at(head_at); }
                if has_more { others |= order_at(head_at + 1u); }
                let answered = (order & WORSENS_AHEAD) != 0u && (others & IMPROVES_AHEAD) == 0u;
                ends = select(OWN_FIRST, ANSWERED, answered);
            }
        }
    } else if ends == LAST_END && has_more {
        let order = order_at(head_at) & order_at(head_at + 1u);
        if (order & IMPROVES) != 0u {
            // The core's last element is its best, and the only one if places count, and the next ones are better and better.
            let last_of_core = place + params.width - 1u;
            let best = rank_of(values_at(row * params.len + last_of_core), TILE);
            let is_best = key_equal(core.key, best) & (!TRACK | (core.place == last_of_core));
            if is_best && !key_equal(best, WORST) {
                // The block that windows begin in has not: it was compared with what the last of them ends with.
                ends = select(OWN_LAST, ANSWERED, (order & IMPROVES_AHEAD) != 0u);
            }
        }
    }
    // Where nobody asks for places, an end that is as good does not matter.
    if !TRACK && (ends & FIRST_END) != 0u && key_equal(ahead.key, core.key) { ends ^= FIRST_END; }
    return Known(tile, ends, core, ahead.place, behind.place);
}

@compute @workgroup_size(THREADS)
fn slide(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) size: u32,
) {
    let me = who(linear_workgroup(group, groups), subgroup, lane, size);
    let all = params.rows * params.tiles;
    // Workgroups, and so tiles, may be some more than are needed.
    let begin = min(me.tile, all) * params.held;
    let end = min(begin + params.held, all);
    var mine: Known;
    mine.tile = begin + me.own;
    var opens = false;
    if mine.tile < end {
        mine = known_of(mine.tile);
        opens = (mine.ends & (FIRST_END | LAST_END)) != 0u && some_wanted(tile_first(mine.tile), TILE);
    }
    let before = subgroupExclusiveAdd(select(0u, 1u, opens));
    let count = subgroupAdd(select(0u, 1u, opens));
    if count != 0u {
        // One thread takes places for all.
        var place = 0u;
        if lane == 0u { place = places_for(count); }
        place = subgroupShuffle(place, 0u);
        if opens { opened_put(place + before, mine); }
    }

    for (var tile = begin; tile < end; tile++) {
        let who_knows = lane_behind(me.lane - me.own, tile - begin);
        let ends = subgroupShuffle(mine.ends, who_knows);
        let core = best_from(mine.core, who_knows);
        let first = tile_first(tile);
        if !some_wanted(first, TILE) { continue; }
        let row = row_of(tile, params.tiles);
        if ends == OWN_FIRST || ends == OWN_LAST {
            let place = first - params.before;
            put_elements(row, first, select(place, place + params.width - 1u, ends == OWN_LAST), me.own);
        } else if ends == 0u {
            @unroll for (var k = 0u; k < LINES; k++) {
                let d = first + k * LANES + me.own;
                if d < params.dense { answer_put(row, d, core.key, core.place); }
            }
        }
    }
}
