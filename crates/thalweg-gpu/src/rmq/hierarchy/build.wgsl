// One layer of minima from the one below it: the least of every CHUNK entries, and its position in the array.
//
// Tiles of TILE_PACKS packs hold whole chunks. BASE: the layer below is the array itself. Layers begin at whole packs of
// `upper` and are filled up to whole tiles, so every thread of a tile writes inside its layer.
struct Params {
    // The layer below: whole packs, the entries of the pack behind them, and its first entry in `upper`.
    packs: u32,
    rest: u32,
    below: u32,
    // The first entry of the new layer, and its tiles.
    start: u32,
    tiles: u32,
}

const CHUNK_PACKS = CHUNK / PACK;
const TILE_CHUNKS = TILE_PACKS / CHUNK_PACKS;

var<workgroup> least: array<Key, TILE_PACKS>;
var<workgroup> place: array<u32, TILE_PACKS>;

// A pack of a layer that was written key by key.
fn upper_pack(p: u32) -> Pack {
    let first = upper[PACK * p];
    let second = upper[PACK * p + 1u];
    if PACK == 2u { return pack_of(first, second, WORST, WORST); }
    return pack_of(first, second, upper[PACK * p + 2u], upper[PACK * p + 3u]);
}

fn ranks_below(pack: u32) -> Pack {
    if BASE { return pack_ranks(values_at(pack)); }
    return upper_pack(params.below / PACK + pack);
}

@compute @workgroup_size(THREADS)
fn layer(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let tile = linear_workgroup(group, groups);
    if tile < params.tiles {
        for (var slot = thread; slot < TILE_PACKS; slot += THREADS) {
            let pack = tile * TILE_PACKS + slot;
            var ranks = ALL_WORST;
            if pack < params.packs {
                ranks = ranks_below(pack);
                if BASE && FLOAT && !pack_faithful(values_at(pack)) { atomicOr(&flags[0], 1u); }
            } else if pack == params.packs && params.rest > 0u {
                ranks = ranks_below(pack);
                // What lies behind the last key may look unfaithful: values are fetched by position then.
                if BASE && FLOAT && !pack_faithful(values_at(pack)) { atomicOr(&flags[0], 1u); }
                ranks = pack_within(ranks, 0u, params.rest);
            }
            let best = pack_first_least(ranks);
            least[slot] = best.rank;
            place[slot] = best.slot;
        }
    }
    workgroupBarrier();
    if tile < params.tiles {
        for (var chunk = thread; chunk < TILE_CHUNKS; chunk += THREADS) {
            var at = chunk * CHUNK_PACKS;
            for (var k = chunk * CHUNK_PACKS + 1u; k < (chunk + 1u) * CHUNK_PACKS; k++) {
                if key_less(least[k], least[at]) { at = k; }
            }
            // A chunk without entries has no position; nothing asks for it.
            let entry = (tile * TILE_PACKS + at) * PACK + place[at];
            var position = entry;
            if !BASE { position = positions[params.below + entry]; }
            let entry_above = params.start + tile * TILE_CHUNKS + chunk;
            upper[entry_above] = least[at];
            positions[entry_above] = position;
        }
    }
}
