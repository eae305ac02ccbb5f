// Answers queries from the `padded_tree` index, one thread a query, from the inside of the range outwards: superblocks by
// the table and by their words, then what lies in the superblocks of the ends, by the words and codes of their blocks.
// What lies at an end is opened only if its minimum, one level up, can still matter and is not itself in the range.
//
// Positions are pairs of a superblock and an offset in it, so none needs more than 32 bits. Candidates that neither words
// nor minima compare are read in the array; one that is alone is not, unless its value is asked for.
//
// Bounds: l <= r < n by `query_or_first`. The superblocks and blocks of l and r, and all between, exist then, and words
// point only to what lies between the first and the last they were made of.
struct Params {
    count: u32,
    row: u32,
    len_low: u32,
    len_high: u32,
    // Entries in a row of the table.
    groups: u32,
}

const BLOCK = 1u << BLOCK_BITS;
const SUPERBLOCK = 1u << SUPERBLOCK_BITS;
const PACK_BITS = firstTrailingBit(PACK);
const NONE = 0xffffffffu;
const GROUP = 64u;
// Where a superblock's minimum is, whatever its size: the lowest bits of its word.
const OFFSETS = 1024u;

// The best superblock inside the range, or NONE.
struct Best { rank: Key, superblock: u32 }

// On ties the left one.
fn better_of(a: Best, b: Best) -> Best {
    let wins = key_less(b.rank, a.rank) || (key_equal(b.rank, a.rank) && b.superblock < a.superblock);
    return Best(key_select(a.rank, b.rank, wins), select(a.superblock, b.superblock, wins));
}

fn word_place(word: u32) -> u32 { return word >> 4u & 63u; }
fn word_offset(word: u32) -> u32 { return word & 15u; }
// In which of the 2^k from it on the best one is.
fn word_best(word: u32, k: u32) -> u32 { return word >> (10u + (k * (k - 1u)) / 2u) & ((1u << k) - 1u); }

// The best of the groups first..=last, first <= last.
fn best_group(first: u32, last: u32) -> Best {
    let row = firstLeadingBit(last - first + 1u);
    let left = row * params.groups + first;
    let right = row * params.groups + last + 1u - (1u << row);
    let left_rank = table[left];
    let right_rank = table[right];
    // The left window begins first, so on ties its minimum is the left one, or the same.
    let wins = key_less(right_rank, left_rank);
    return Best(key_select(left_rank, right_rank, wins), table_positions[select(left, right, wins)]);
}

// The best of superblocks begin..end of one group, begin < end < begin + GROUP.
fn best_superblock(begin: u32, end: u32) -> Best {
    let k = firstLeadingBit(end - begin);
    let last = end - (1u << k);
    let a = begin + word_best(superblocks[begin], k);
    let b = last + word_best(superblocks[last], k);
    return better_of(Best(superblock_minima[a], a), Best(superblock_minima[b], b));
}

// The best candidate so far: where, and its rank once that was needed. Nothing: superblock NONE.
struct Found { rank: Key, superblock: u32, offset: u32, ranked: bool }

fn rank_of(superblock: u32, offset: u32) -> Key {
    let pack = superblock << (SUPERBLOCK_BITS - PACK_BITS) | offset >> PACK_BITS;
    return key_rank(pack_key(values_at(pack), offset % PACK));
}

fn consider(found: Found, superblock: u32, offset: u32) -> Found {
    if found.superblock == NONE { return Found(WORST, superblock, offset, false); }
    var rank = found.rank;
    if !found.ranked { rank = rank_of(found.superblock, found.offset); }
    let other = rank_of(superblock, offset);
    let left = superblock < found.superblock || (superblock == found.superblock && offset < found.offset);
    if key_less(other, rank) || (key_equal(other, rank) && left) { return Found(other, superblock, offset, true); }
    return Found(rank, found.superblock, found.offset, true);
}

fn code_of(superblock: u32, block: u32) -> u32 {
    let bit = block << (BLOCK_BITS + 1u);
    return codes[superblock << (SUPERBLOCK_BITS - 4u) | bit >> 5u] >> (bit & 31u);
}

// An entry of the dictionary: zeros in byte 0, the first least prefix sum at a zero plus 64 in byte 1, which zero that is
// in byte 2; and the places of the zeros, 3 bits each.
fn entry_of(code: u32, start: u32) -> vec2<u32> { return dictionary[code >> start & ((1u << WIDTH) - 1u)]; }

// The leftmost minimum of places first..=last of the block with this code: where the prefix sums from the first to the
// last zero are least. See the engine on the CPU.
fn best_place(code: u32, first: u32, last: u32) -> u32 {
    var first_at = 0u;
    var last_at = 0u;
    var before = 0u;
    for (var start = 0u; start < 32u; start += WIDTH) {
        let entry = entry_of(code, start);
        let zeros = entry.x & 255u;
        let i = first - before;
        let j = last - before;
        if i < zeros { first_at = start + (entry.y >> (3u * i) & 7u); }
        if j < zeros {
            last_at = start + (entry.y >> (3u * j) & 7u);
            break;
        }
        before += zeros;
    }
    // Ones in place of what lies outside: no zeros there, and all sums between grow by the same number.
    let inner = code | ((1u << first_at) - 1u) | 0xfffffffeu << last_at;
    var sum = 0u;
    // Sums are positive by 64 and more: there are no more than 32 zeros.
    var least = 0xffffffffu;
    var place = first;
    before = first;
    for (var start = 0u; start <= last_at; start += WIDTH) {
        let entry = entry_of(inner, start);
        let zeros = entry.x & 255u;
        let here = sum + (entry.x >> 8u & 255u);
        if zeros > 0u && here < least {
            least = here;
            place = before + (entry.x >> 16u);
        }
        before += zeros;
        sum += WIDTH - 2u * zeros;
    }
    return place;
}

// Adds the candidates of offsets begin..=end of one superblock.
fn open(found: Found, superblock: u32, begin: u32, end: u32) -> Found {
    let first = begin >> BLOCK_BITS;
    let last = end >> BLOCK_BITS;
    let low = begin % BLOCK;
    let high = end % BLOCK;
    if first == last {
        return consider(found, superblock, begin - low + best_place(code_of(superblock, first), low, high));
    }
    let base = superblock << (SUPERBLOCK_BITS - BLOCK_BITS);
    let first_word = blocks[base + first];
    let last_word = blocks[base + last];
    // Every block as its place among the minima of the superblock; 64: not known to be in the range.
    var best = 64u;
    var best_at = 0u;
    if last > first + 1u {
        let k = firstLeadingBit(last - first - 1u);
        let second = last - (1u << k);
        let a = first + 1u + word_best(blocks[base + first + 1u], k);
        let b = second + word_best(blocks[base + second], k);
        let a_word = blocks[base + a];
        let b_word = blocks[base + b];
        let b_wins = word_place(b_word) < word_place(a_word);
        best = word_place(select(a_word, b_word, b_wins));
        best_at = select(a << BLOCK_BITS | word_offset(a_word), b << BLOCK_BITS | word_offset(b_word), b_wins);
    }
    if word_offset(first_word) >= low && word_place(first_word) < best {
        best = word_place(first_word);
        best_at = first << BLOCK_BITS | word_offset(first_word);
    }
    if word_offset(last_word) <= high && word_place(last_word) < best {
        best = word_place(last_word);
        best_at = last << BLOCK_BITS | word_offset(last_word);
    }
    var all = found;
    if best < 64u { all = consider(all, superblock, best_at); }
    if word_place(first_word) < best {
        all = consider(all, superblock, first << BLOCK_BITS | best_place(code_of(superblock, first), low, BLOCK - 1u));
    }
    if word_place(last_word) < best {
        all = consider(all, superblock, last << BLOCK_BITS | best_place(code_of(superblock, last), 0u, high));
    }
    return all;
}

fn superblock_of(position: vec2<u32>) -> u32 {
    return position.x >> SUPERBLOCK_BITS | position.y << (32u - SUPERBLOCK_BITS);
}

@compute @workgroup_size(THREADS)
fn query(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = linear_workgroup(group, groups) * THREADS + thread;
    if i >= params.count { return; }
    let q = query_or_first(i);
    let first = superblock_of(q.left);
    let last = superblock_of(q.right);
    let low = q.left.x % SUPERBLOCK;
    let high = q.right.x % SUPERBLOCK;
    var best = Best(WORST, NONE);
    if last > first + 1u {
        let first_group = first / GROUP;
        let last_group = last / GROUP;
        if last_group > first_group + 1u { best = best_group(first_group + 1u, last_group - 1u); }
        // In one group, the left side does it all.
        let left_end = min(last, (first | (GROUP - 1u)) + 1u);
        if first + 1u < left_end && !key_less(best.rank, table[first_group]) {
            best = better_of(best, best_superblock(first + 1u, left_end));
        }
        let right_begin = max(last / GROUP * GROUP, left_end);
        if right_begin < last && (best.superblock == NONE || key_less(table[last_group], best.rank)) {
            best = better_of(best, best_superblock(right_begin, last));
        }
    }
    var found = Found(WORST, NONE, 0u, false);
    if first == last {
        found = open(found, first, low, high);
    } else {
        // The superblocks of the ends: opened only if their minimum matters and is outside the range.
        var left_open = false;
        let left = superblock_minima[first];
        if !key_less(best.rank, left) {
            left_open = superblocks[first] % OFFSETS < low;
            if !left_open { best = Best(left, first); }
        }
        var right_open = false;
        let right = superblock_minima[last];
        // If nothing is known there is something at the left end, which wins ties.
        if key_less(right, best.rank) {
            right_open = superblocks[last] % OFFSETS > high;
            if !right_open { best = Best(right, last); }
        }
        if best.superblock != NONE {
            // Where only the value is asked for, any of the best places will do.
            var offset = 0u;
            if !RANKED { offset = superblocks[best.superblock] % OFFSETS; }
            found = Found(best.rank, best.superblock, offset, true);
        }
        if left_open { found = open(found, first, low, SUPERBLOCK - 1u); }
        if right_open { found = open(found, last, 0u, high); }
    }
    if RANKED && !found.ranked { found.rank = rank_of(found.superblock, found.offset); }
    answer(
        i,
        found.rank,
        vec2(found.superblock << SUPERBLOCK_BITS | found.offset, found.superblock >> (32u - SUPERBLOCK_BITS)),
    );
}
