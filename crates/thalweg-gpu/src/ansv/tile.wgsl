// Tiles in workgroup memory: THREADS runs of ITEMS consecutive elements, one a thread, in quads of four. The quads of a
// run lie STRIDE apart, so that neither a thread's own quads nor quads in the order of the array meet in a bank.
struct Params { count: u32, tiles: u32, top: u32, rest: u32, levels: array<vec4<u32>, 9> }

const TILE = THREADS * ITEMS;
const QUADS = ITEMS / 4u;
const STRIDE = THREADS + 8u / QUADS;

var<workgroup> tile_keys: array<Four, QUADS * STRIDE>;

fn slot_of(quad: u32) -> u32 { return (quad % QUADS) * STRIDE + quad / QUADS; }

// Loads a tile, WORST after the array's end. Needs a barrier after it.
fn tile_load(tile: u32, thread: u32) {
    let valid = min(TILE, params.count - tile * TILE);
    for (var j = 0u; j < QUADS; j++) {
        let quad = j * THREADS + thread;
        var four = four_worst();
        if 4u * quad < valid {
            four = values_four(tile * (TILE / 4u) + quad);
            if 4u * quad + 4u > valid {
                four = four_select(four_worst(), four, vec4(0u, 1u, 2u, 3u) < vec4(valid - 4u * quad));
            }
        }
        tile_keys[slot_of(quad)] = four;
    }
}
