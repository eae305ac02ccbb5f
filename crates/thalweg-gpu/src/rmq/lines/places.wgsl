// What all ways to answer queries from the `lines` index share: minima and where they lie, the levels above the lines.
struct Params {
    count: u32,
    row: u32,
    len_low: u32,
    len_high: u32,
    // Entries in a row of the table.
    groups: u32,
}

// Where a minimum lies: an entry of the arrays of stored positions, a line, or from ELEMENT on an element of a line.
const IN_TABLE = 0u;
const IN_BLOCK = 1u;
const IN_LINE = 2u;
const ELEMENT = 3u;

struct Best { rank: Key, at: u32, kind: u32 }

fn reaches_from_left(rank: Key, best: Key) -> bool {
    if TRACK { return !key_less(best, rank); }
    return key_less(rank, best);
}

fn or_left(best: Best, other: Best) -> Best {
    if !TRACK { return Best(key_min(best.rank, other.rank), 0u, 0u); }
    let wins = !key_less(best.rank, other.rank);
    return Best(key_select(best.rank, other.rank, wins), select(best.at, other.at, wins), select(best.kind, other.kind, wins));
}

fn or_right(best: Best, other: Best) -> Best {
    if !TRACK { return Best(key_min(best.rank, other.rank), 0u, 0u); }
    let wins = key_less(other.rank, best.rank);
    return Best(key_select(best.rank, other.rank, wins), select(best.at, other.at, wins), select(best.kind, other.kind, wins));
}

// The best of the groups first..=last, first <= last.
fn best_group(first: u32, last: u32) -> Best {
    let row = firstLeadingBit(last - first + 1u);
    let left = row * params.groups + first;
    let right = row * params.groups + last + 1u - (1u << row);
    return or_right(Best(table[left], left, IN_TABLE), Best(table[right], right, IN_TABLE));
}

// The best of the blocks between two of one group, and the minima of the two. `a` < `b`.
struct Blocks { best: Best, left: Key, right: Key }

fn blocks_between(a: u32, b: u32) -> Blocks {
    var p = a / PACK;
    let whole = b / PACK;
    var v = block_minima[p];
    let left = pack_key(v, a % PACK);
    let first = pack_first_least(pack_within(v, a % PACK + 1u, b - p * PACK));
    var best = Best(first.rank, 3u * (p * PACK + first.slot), IN_BLOCK);
    for (p += 1u; p <= whole; p++) {
        v = block_minima[p];
        let next = pack_first_least(pack_within(v, 0u, b - p * PACK));
        best = or_right(best, Best(next.rank, 3u * (p * PACK + next.slot), IN_BLOCK));
    }
    return Blocks(best, left, pack_key(v, b % PACK));
}

// A block's minimum, and those of the blocks behind it and before it in its group.
struct Record { own: Key, behind: Key, before: Key }

fn record_of(block: u32) -> Record {
    let v = records[KEY_WORDS * block];
    if KEY_WORDS == 1u { return Record(pack_key(v, 0u), pack_key(v, 1u), pack_key(v, 2u)); }
    return Record(pack_key(v, 0u), pack_key(v, 1u), pack_key(records[KEY_WORDS * block + 1u], 0u));
}

// Whether the elements of a block ascend (1, ties allowed), strictly descend (2), or neither (0). The least of a part of
// such a block is its first or its last element.
fn order_of(block: u32) -> u32 { return monotone[block / 16u] >> (2u * (block % 16u)) & 3u; }

fn element(line: u32, offset: u32) -> Best {
    let ranks = pack_ranks(values_at(line * LINE_PACKS + offset / PACK));
    return Best(pack_key(ranks, offset % PACK), line, ELEMENT + offset);
}

fn block_minimum(block: u32) -> Best { return Best(pack_key(block_minima[block / PACK], block % PACK), 3u * block, IN_BLOCK); }

// Line and offset of a position. Line numbers fit 32 bits.
fn line_of(position: vec2<u32>) -> u32 {
    if !WIDE { return position.x / LINE; }
    return position.x / LINE | position.y << (32u - LINE_BITS);
}

fn position_in(line: u32, offset: u32) -> vec2<u32> {
    if !WIDE { return vec2(line * LINE + offset, 0u); }
    return vec2(line << LINE_BITS | offset, line >> (32u - LINE_BITS));
}

fn position_of(best: Best) -> vec2<u32> {
    var line = best.at;
    if best.kind >= ELEMENT { return position_in(line, best.kind - ELEMENT); }
    if best.kind != IN_LINE {
        if best.kind == IN_TABLE { line = table_positions[best.at]; } else { line = block_positions[best.at]; }
        if !WIDE { return vec2(line, 0u); }
    }
    return position_in(line, (line_offsets[line / 4u] >> (8u * (line % 4u))) & 255u);
}
