// Elements, tiles, the topmost level of searches, places of the list of searches a side; offset and length of the levels.
struct Params { count: u32, tiles: u32, top: u32, capacity: u32, levels: array<vec4<u32>, 9> }

const TILE = PER_TILE * ITEMS;

fn key_at(i: u32) -> Key { return four_get(values_four(i >> 2u), i & 3u); }
