// The row of one of `count` things a row.
fn row_of(i: u32, count: u32) -> u32 {
    if SINGLE { return 0u; }
    return i / count;
}

// The better of two minima, wherever they lie: a zero's rank tells its place, if not TRACK.
fn better(a: Best, b: Best) -> Best {
    if !TRACK { return Best(key_min(a.key, b.key), 0u); }
    let takes = key_less(b.key, a.key) | (key_equal(b.key, a.key) & (b.place < a.place));
    return Best(key_select(a.key, b.key, takes), select(a.place, b.place, takes));
}

// The least of a subgroup's.
fn key_least(key: Key) -> Key {
    if KEY_WORDS == 1u { return key_join(subgroupMin(key_low(key)), 0u); }
    let high = subgroupMin(key_high(key));
    return key_join(subgroupMin(select(NOWHERE, key_low(key), key_high(key) == high)), high);
}

// The best of all lanes'. WHOLE: they are a subgroup.
fn gathered(best: Best) -> Best {
    var all = best;
    if WHOLE {
        all.key = key_least(best.key);
        if TRACK { all.place = subgroupMin(select(NOWHERE, best.place, key_equal(best.key, all.key))); }
        return all;
    }
    @unroll for (var level = 0u; level < LANES_LOG; level++) {
        var place = 0u;
        if TRACK { place = subgroupShuffleXor(all.place, 1u << level); }
        all = better(all, Best(key_shuffle_xor(all.key, 1u << level), place));
    }
    return all;
}
