// Builds the lowest level of the `padded_tree` index: one thread a block of BLOCK elements, FAN blocks a superblock.
//
// All arrays of blocks and superblocks are filled up to whole superblocks; threads beyond those write nothing.
// Codes of 2 * BLOCK bits that share a word.
const SHARING = 16u / BLOCK;

var<workgroup> codes_of: array<u32, THREADS>;

// The ranks of a pack; what lies behind the array has the worst.
fn ranks_of(pack: u32) -> Pack {
    if pack < params.packs { return pack_ranks(values_at(pack)); }
    if pack == params.packs && params.rest > 0u { return pack_within(pack_ranks(values_at(pack)), 0u, params.rest); }
    return ALL_WORST;
}

@compute @workgroup_size(THREADS)
fn blocks_of(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    // Numbers of blocks and packs fit 32 bits inside the array; a workgroup beyond it is told by its number.
    let number = linear_workgroup(group, groups);
    let superblock = number * (THREADS / FAN) + thread / FAN;
    let inside = number <= (params.superblocks - 1u) / (THREADS / FAN) && superblock < params.superblocks;
    let block = superblock * FAN + thread % FAN;
    // Everything is asked for before anything is looked at.
    var ranks: array<Key, BLOCK>;
    if inside {
        let start = block * BLOCK_PACKS;
        var packs: array<Pack, BLOCK_PACKS>;
        if start < params.packs && params.packs - start >= BLOCK_PACKS {
            @unroll for (var k = 0u; k < BLOCK_PACKS; k++) { packs[k] = values_at(start + k); }
            var faithful = true;
            @unroll for (var k = 0u; k < BLOCK_PACKS; k++) {
                if FLOAT { faithful = faithful && pack_faithful(packs[k]); }
                packs[k] = pack_ranks(packs[k]);
            }
            if FLOAT && !faithful { atomicOr(&flags[0], 1u); }
        } else {
            @unroll for (var k = 0u; k < BLOCK_PACKS; k++) {
                let pack = start + k;
                // What lies behind the last key may look unfaithful: then values are fetched by position, which is slower
                // and as right.
                if FLOAT && (pack < params.packs || (pack == params.packs && params.rest > 0u)) {
                    if !pack_faithful(values_at(pack)) { atomicOr(&flags[0], 1u); }
                }
                packs[k] = ranks_of(pack);
            }
        }
        @unroll for (var i = 0u; i < BLOCK; i++) { ranks[i] = pack_key(packs[i / PACK], i % PACK); }
    } else {
        @unroll for (var i = 0u; i < BLOCK; i++) { ranks[i] = WORST; }
    }
    // The nodes with gap i in their left subtree are the elements from i on that are less than all from i to there.
    var least = ranks;
    var nodes: array<u32, BLOCK>;
    @unroll for (var i = 0u; i < BLOCK; i++) { nodes[i] = 1u; }
    @unroll for (var next = 0u; next < BLOCK; next++) {
        let rank = ranks[next];
        @unroll for (var i = 0u; i < BLOCK; i++) {
            if i < next {
                nodes[i] += select(0u, 1u, key_less(rank, least[i]));
                least[i] = key_min(least[i], rank);
            }
        }
    }
    // Before the i-th zero are i zeros and the ones of its nodes and of the i elements before it. The block's minimum is
    // the first that has no node but itself.
    var zeros = 0u;
    var alone = 0u;
    @unroll for (var i = 0u; i < BLOCK; i++) {
        zeros |= 1u << (2u * i + nodes[i]);
        alone |= select(0u, 1u << i, nodes[i] == 1u);
    }
    let offset = firstTrailingBit(alone);
    codes_of[thread] = ~zeros & (0xffffffffu >> (32u - 2u * BLOCK));
    // The barriers inside also stand between the codes and their readers.
    let packed = pack_word(thread, least[0]);
    if inside {
        blocks_put(block, packed.word | packed.place << 4u | offset);
        if packed.place == 0u {
            superblock_minima_put(superblock, least[0]);
            superblocks_put(superblock, (thread % FAN) * BLOCK + offset);
        }
        if thread % SHARING == 0u {
            var word = 0u;
            for (var i = 0u; i < SHARING; i++) { word |= codes_of[thread + i] << (2u * BLOCK * i); }
            codes_put(block / SHARING, word);
        }
    }
}
