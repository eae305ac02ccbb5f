// Few segments, all of them horizontal: a workgroup for a tile of places looks at all segments.
//
// Of those that cover the whole tile only the lowest counts. The others, which end in it, are put on a list, and every
// place is compared with all of the list. Most tiles have none.
struct Params { count: u32, start: u32, places: u32 }

const TILE = THREADS * 4u * PACKS;

// Lowest first, then first: (y, number).
alias Entry = vec2<u32>;
const NOTHING = Entry(NONE, NONE);
fn better(a: Entry, b: Entry) -> Entry { return select(b, a, a.x < b.x || (a.x == b.x && a.y < b.y)); }

var<workgroup> of_subgroups: array<Entry, THREADS / WIDTH_MIN>;
var<workgroup> list_count: atomic<u32>;
// First place, how many more, y, number.
var<workgroup> list: array<vec4<u32>, FEW>;

fn least(mine: Entry) -> Entry {
    let y = subgroupMin(mine.x);
    return Entry(y, subgroupMin(select(NONE, mine.y, mine.x == y)));
}

@compute @workgroup_size(THREADS)
fn lowest_of_few(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) size: u32,
) {
    let width = fixed_width(size);
    let thread = subgroup * width + lane;
    let tile = linear_workgroup(group, groups) * TILE;
    if tile >= params.places { return; }
    let first = params.start + tile;
    // The last place has an x below 2^32.
    let last = params.start + min(tile + TILE - 1u, params.places - 1u);
    if thread == 0u { atomicStore(&list_count, 0u); }
    workgroupBarrier();
    var cover = NOTHING;
    for (var i = thread; i < params.count; i += THREADS) {
        let s = segment_of(i);
        if s.right.x < first || s.left.x > last { continue; }
        let from_x = max(s.left.x, first);
        let to_x = min(s.right.x, last);
        if from_x == first && to_x == last {
            cover = better(Entry(s.left.y, i), cover);
        } else {
            // There are FEW segments at most.
            list[atomicAdd(&list_count, 1u)] = vec4(from_x - params.start, to_x - from_x, s.left.y, i);
        }
    }
    let of_mine = least(cover);
    if lane == 0u { of_subgroups[subgroup] = of_mine; }
    workgroupBarrier();
    cover = NOTHING;
    for (var s = 0u; s < THREADS / width; s++) { cover = better(of_subgroups[s], cover); }
    let count = atomicLoad(&list_count);
    @unroll for (var v = 0u; v < PACKS; v++) {
        let pack = (v * THREADS + thread) * 4u + tile;
        var found = array<Entry, 4>(cover, cover, cover, cover);
        for (var k = 0u; k < count; k++) {
            let entry = list[k];
            for (var j = 0u; j < 4u; j++) {
                if pack + j - entry.x <= entry.y { found[j] = better(entry.zw, found[j]); }
            }
        }
        // The last vector may reach beyond the places, but not beyond its buffer.
        if pack < params.places { out_put(pack / 4u, vec4(told(found[0]), told(found[1]), told(found[2]), told(found[3]))); }
    }
}
