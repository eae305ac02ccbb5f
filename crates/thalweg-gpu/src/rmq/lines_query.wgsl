// Answers queries from the `lines` index, one thread a query, from the inside of the range outwards: groups by the table,
// blocks by their records, lines by their minima, elements. What lies at an end is opened only if the minimum one level
// up can still matter.
//
// With TRACK the place of the minimum is followed too. The left end is to the left of all that was seen before it, so it
// wins ties, and the right end loses them: the answer is the leftmost minimum. A range whose minimum is the worst rank
// holds nothing else, and its first element is the answer, so a place that was never set is never asked for.
//
// Bounds: l <= r < n by `query_or_first`. Lines l/LINE to r/LINE, blocks and groups above them exist then, and all
// indices below lie between those of l and r; arrays of minima are filled up to whole packs.
struct Params {
    count: u32,
    row: u32,
    len_low: u32,
    len_high: u32,
    // Entries in a row of the table.
    groups: u32,
}

const LINE_PACKS = LINE / PACK;

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

// The best of the line minima after `line` and before `end`, and that of `line` itself. `line` < `end`.
struct Lines { best: Best, own: Key }

fn lines_from(line: u32, end: u32) -> Lines {
    var p = line / PACK;
    let v = line_minima[p];
    let inside = pack_within(v, line % PACK + 1u, end - p * PACK);
    let own = pack_key(v, line % PACK);
    let whole = end / PACK;
    if !TRACK {
        var least = inside;
        p += 1u;
        for (; p < whole; p++) { least = pack_min(least, line_minima[p]); }
        // A part of a pack is left unless the end was in the first one.
        if p == whole && end % PACK != 0u { least = pack_min(least, pack_within(line_minima[p], 0u, end % PACK)); }
        return Lines(Best(pack_least(least), 0u, 0u), own);
    }
    let first = pack_first_least(inside);
    var best = Best(first.rank, p * PACK + first.slot, IN_LINE);
    for (p += 1u; p * PACK < end; p++) {
        let next = pack_first_least(pack_within(line_minima[p], 0u, end - p * PACK));
        best = or_right(best, Best(next.rank, p * PACK + next.slot, IN_LINE));
    }
    return Lines(best, own);
}

// The best of the line minima from `start` on and before `line`, and that of `line` itself. `start` <= `line`.
fn lines_to(start: u32, line: u32) -> Lines {
    var p = start / PACK;
    let whole = line / PACK;
    if !TRACK {
        var least = ALL_WORST;
        if p < whole {
            least = pack_within(line_minima[p], start % PACK, PACK);
            for (p += 1u; p < whole; p++) { least = pack_min(least, line_minima[p]); }
        }
        let v = line_minima[whole];
        least = pack_min(least, pack_within(v, max(start, whole * PACK) - whole * PACK, line % PACK));
        return Lines(Best(pack_least(least), 0u, 0u), pack_key(v, line % PACK));
    }
    var best = Best(WORST, 0u, IN_LINE);
    for (; p < whole; p++) {
        let next = pack_first_least(pack_within(line_minima[p], max(start, p * PACK) - p * PACK, PACK));
        best = or_right(best, Best(next.rank, p * PACK + next.slot, IN_LINE));
    }
    let v = line_minima[whole];
    let next = pack_first_least(pack_within(v, max(start, whole * PACK) - whole * PACK, line % PACK));
    best = or_right(best, Best(next.rank, whole * PACK + next.slot, IN_LINE));
    return Lines(best, pack_key(v, line % PACK));
}

// The best of the blocks between two of one group, and the minima of the two. `a` < `b`.
struct Blocks { best: Best, left: Key, right: Key }

fn blocks_between(a: u32, b: u32) -> Blocks {
    var p = a / PACK;
    let whole = b / PACK;
    var v = block_minima[p];
    let left = pack_key(v, a % PACK);
    let first = pack_first_least(pack_within(v, a % PACK + 1u, b - p * PACK));
    var best = Best(first.rank, 4u * (p * PACK + first.slot), IN_BLOCK);
    for (p += 1u; p <= whole; p++) {
        v = block_minima[p];
        let next = pack_first_least(pack_within(v, 0u, b - p * PACK));
        best = or_right(best, Best(next.rank, 4u * (p * PACK + next.slot), IN_BLOCK));
    }
    return Blocks(best, left, pack_key(v, b % PACK));
}

// The best element of a line, from offset `first` to offset `last`, first <= last < LINE.
fn best_element(line: u32, first: u32, last: u32) -> Best {
    let base = line * LINE_PACKS;
    if OPEN == 1u {
        // Packs outside the range are replaced by its first or last one, so that all loads are under way at once.
        var packs: array<Pack, LINE_PACKS>;
        for (var k = 0u; k < LINE_PACKS; k++) { packs[k] = values_at(base + clamp(k, first / PACK, last / PACK)); }
        if !TRACK {
            var least = ALL_WORST;
            for (var k = 0u; k < LINE_PACKS; k++) {
                let slot = clamp(k, first / PACK, last / PACK) * PACK;
                least = pack_min(least, pack_within(pack_ranks(packs[k]), max(first, slot) - slot, last + 1u - slot));
            }
            return Best(pack_least(least), 0u, 0u);
        }
        var best = Best(WORST, line, ELEMENT);
        for (var k = 0u; k < LINE_PACKS; k++) {
            let slot = clamp(k, first / PACK, last / PACK) * PACK;
            let next = pack_first_least(pack_within(pack_ranks(packs[k]), max(first, slot) - slot, last + 1u - slot));
            best = or_right(best, Best(next.rank, line, ELEMENT + slot + next.slot));
        }
        return best;
    }
    if !TRACK {
        var least = ALL_WORST;
        for (var p = first / PACK; p <= last / PACK; p++) {
            let slot = p * PACK;
            let ranks = pack_ranks(values_at(base + p));
            least = pack_min(least, pack_within(ranks, max(first, slot) - slot, last + 1u - slot));
        }
        return Best(pack_least(least), 0u, 0u);
    }
    var best = Best(WORST, line, ELEMENT);
    for (var p = first / PACK; p <= last / PACK; p++) {
        let slot = p * PACK;
        let ranks = pack_ranks(values_at(base + p));
        let next = pack_first_least(pack_within(ranks, max(first, slot) - slot, last + 1u - slot));
        best = or_right(best, Best(next.rank, line, ELEMENT + slot + next.slot));
    }
    return best;
}

// The same for all threads of a subgroup that need it, LINE_PACKS threads a line: every round takes the next lines of
// those that wait. All threads of the subgroup call it. Subgroups have at most 32 threads and at least LINE_PACKS.
fn best_element_together(need: bool, line: u32, first: u32, last: u32, lane: u32, width: u32) -> Best {
    var result = Best(WORST, line, ELEMENT);
    var waiting = subgroupBallot(need).x;
    let at_once = width / LINE_PACKS;
    let team = lane / LINE_PACKS;
    let p = lane % LINE_PACKS;
    let slot = p * PACK;
    while waiting != 0u {
        // The team's line: that of the team-th waiting thread.
        var bits = waiting;
        for (var k = 0u; k < team; k++) { bits &= bits - 1u; }
        let owner = firstTrailingBit(bits | 0x80000000u);
        let of_line = subgroupShuffle(line, owner % width);
        let range = subgroupShuffle(first | last << 16u, owner % width);
        let begin = range & 0xffffu;
        let to = range >> 16u;
        var rank = WORST;
        var kind = ELEMENT;
        if bits != 0u && slot <= to && slot + PACK > begin {
            let ranks = pack_within(pack_ranks(values_at(of_line * LINE_PACKS + p)), max(begin, slot) - slot, to + 1u - slot);
            if TRACK {
                let found = pack_first_least(ranks);
                rank = found.rank;
                kind = ELEMENT + slot + found.slot;
            } else {
                rank = pack_least(ranks);
            }
        }
        for (var step = 1u; step < LINE_PACKS; step *= 2u) {
            let other = key_shuffle_xor(rank, step);
            if TRACK {
                let other_kind = subgroupShuffleXor(kind, step);
                // Offsets are different, so the smaller of equal ranks is the one further left.
                let wins = key_less(other, rank) || (key_equal(other, rank) && other_kind < kind);
                rank = key_select(rank, other, wins);
                kind = select(kind, other_kind, wins);
            } else {
                rank = key_min(rank, other);
            }
        }
        // A waiting thread knows its team by the number of those that wait before it.
        let turn = countOneBits(waiting & ((1u << lane) - 1u));
        let served = min(turn, at_once - 1u) * LINE_PACKS;
        let found = key_shuffle(rank, served);
        var found_kind = ELEMENT;
        if TRACK { found_kind = subgroupShuffle(kind, served); }
        if (waiting >> lane & 1u) == 1u && turn < at_once { result = Best(found, line, found_kind); }
        for (var k = 0u; k < at_once; k++) { waiting &= waiting - 1u; }
    }
    return result;
}

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

@compute @workgroup_size(THREADS)
fn query(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) width: u32,
) {
    // The batch is shorter than 2^31, so rounding up the workgroups does not wrap around.
    let i = linear_workgroup(group, groups) * THREADS + thread;
    let q = query_or_first(i);
    let line_a = line_of(q.left);
    let line_b = line_of(q.right);
    let offset_a = q.left.x % LINE;
    let offset_b = q.right.x % LINE;
    var best = Best(WORST, line_a, ELEMENT);
    // Whether the line minima at the ends must be looked at, and how far into the range.
    var open_a = true;
    var open_b = line_a != line_b;
    var end_a = line_b;
    var start_b = line_b;
    if line_b - line_a > DIRECT {
        // DIRECT is at least BLOCK: two different blocks.
        let block_a = line_a / BLOCK;
        let block_b = line_b / BLOCK;
        let group_a = block_a / GROUP;
        let group_b = block_b / GROUP;
        end_a = (block_a + 1u) * BLOCK;
        start_b = block_b * BLOCK;
        var least_a: Key;
        var least_b: Key;
        if group_a == group_b {
            let blocks = blocks_between(block_a, block_b);
            best = blocks.best;
            least_a = blocks.left;
            least_b = blocks.right;
        } else {
            if group_a + 1u < group_b { best = best_group(group_a + 1u, group_b - 1u); }
            let inner = best.rank;
            least_a = WORST;
            least_b = WORST;
            open_a = reaches_from_left(table[group_a], inner);
            open_b = key_less(table[group_b], inner);
            if open_a {
                let record = record_of(block_a);
                best = or_left(best, Best(record.behind, 4u * block_a + 1u, IN_BLOCK));
                least_a = record.own;
            }
            if open_b {
                let record = record_of(block_b);
                best = or_right(best, Best(record.before, 4u * block_b + 2u, IN_BLOCK));
                least_b = record.own;
            }
        }
        open_a = open_a && reaches_from_left(least_a, best.rank);
        open_b = open_b && key_less(least_b, best.rank);
    }
    if STAGES >= 2u {
        var line_least_a = WORST;
        var line_least_b = WORST;
        if open_a {
            if line_a < end_a {
                let lines = lines_from(line_a, end_a);
                best = or_left(best, lines.best);
                line_least_a = lines.own;
            } else {
                // A range inside one line, which has to be opened whatever its minimum is.
                line_least_a = Key();
            }
        }
        if open_b {
            let lines = lines_to(start_b, line_b);
            best = or_right(best, lines.best);
            line_least_b = lines.own;
        }
        if STAGES >= 3u {
            let last_a = select(LINE - 1u, offset_b, line_a == line_b);
            let need_a = open_a && reaches_from_left(line_least_a, best.rank);
            if OPEN == 2u {
                let found = best_element_together(need_a, line_a, offset_a, last_a, lane, width);
                if need_a { best = or_left(best, found); }
            } else if need_a {
                best = or_left(best, best_element(line_a, offset_a, last_a));
            }
            let need_b = open_b && key_less(line_least_b, best.rank);
            if OPEN == 2u {
                let found = best_element_together(need_b, line_b, 0u, offset_b, lane, width);
                if need_b { best = or_right(best, found); }
            } else if need_b {
                best = or_right(best, best_element(line_b, 0u, offset_b));
            }
        }
    }
    if i >= params.count { return; }
    var position = vec2(0u);
    if TRACK {
        position = q.left;
        if !key_equal(best.rank, WORST) { position = position_of(best); }
    }
    answer(i, best.rank, position);
}
