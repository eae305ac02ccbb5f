// Searches on one side, beyond the tile. One thread, one key.

// The nearest neighbour outside a tile, by climbing the hierarchy of minima and descending again.
//
// `start`: the first block of 16^START elements that is not looked at any more (left), or the first that is (right).
// Returns an entry of level `stop`, or NONE.
fn side_find(key: Key, start: u32, stop: u32) -> u32 {
    var level = START;
    var at = start;
    var entry = 0u;
    loop {
        var node = 0u;
        var hits = 0u;
        if side_LEFT {
            if at == 0u { return NONE; }
            node = (at - 1u) >> 4u;
            hits = node_hits(level, node, key) & low_bits(at - 16u * node);
        } else {
            if at >= params.levels[level].y { return NONE; }
            node = at >> 4u;
            hits = node_hits(level, node, key) & ~low_bits(at - 16u * node);
        }
        if hits != 0u {
            entry = 16u * node + side_bit(hits);
            break;
        }
        if level == params.top { return NONE; }
        level++;
        at = select(node + 1u, node, side_LEFT);
    }
    while level > stop {
        level--;
        // An entry with a neighbour has one among the 16 that it is the minimum of.
        entry = 16u * entry + side_bit(node_hits(level, entry, key));
    }
    return entry;
}

// Where a tile's searches start.
fn side_start(tile: u32) -> u32 { return select(tile + 1u, tile, side_LEFT) * BLOCKS; }
