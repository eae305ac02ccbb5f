// A tile's scan, between load and store.

// Every value of `packs` becomes the combination of those of its subgroup's stretch up to it, or before it. Returns the
// combination of all of the stretch.
fn scan_stretch(packs: ptr<function, array<vec4<u32>, PACKS>>, lane: u32, width: u32) -> Value {
    var carry = IDENTITY;
    @unroll for (var v = 0u; v < PACKS; v++) {
        var pack = pack_scan((*packs)[v]);
        let upto = subgroup_scan(pack_last(pack), lane);
        var before = value_shuffle_up(upto, 1u);
        if lane == 0u { before = IDENTITY; }
        if EXCLUSIVE { pack = pack_shift(pack); }
        (*packs)[v] = pack_after(combine(carry, before), pack);
        carry = combine(carry, value_shuffle(upto, width - 1u));
    }
    return carry;
}

// What the tile's other subgroups hold: before this one, and all of them.
struct Around { before: Value, all: Value }
fn around(stretch: Value, subgroup: u32, lane: u32, width: u32) -> Around {
    if lane == 0u { of_subgroups[subgroup] = stretch; }
    workgroupBarrier();
    if THREADS <= WIDTH_MIN * WIDTH_MIN {
        // A thread a subgroup.
        var own = IDENTITY;
        if lane < THREADS / width { own = of_subgroups[lane]; }
        let upto = subgroup_scan(own, lane);
        var before = value_shuffle(upto, max(subgroup, 1u) - 1u);
        if subgroup == 0u { before = IDENTITY; }
        return Around(before, value_shuffle(upto, THREADS / width - 1u));
    }
    var sums = Around(IDENTITY, IDENTITY);
    for (var s = 0u; s < THREADS / width; s++) {
        if s == subgroup { sums.before = sums.all; }
        sums.all = combine(sums.all, of_subgroups[s]);
    }
    return sums;
}
