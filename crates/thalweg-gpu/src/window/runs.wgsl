// Lines of runs: a lane has RUN neighbours.
const LINE = RUN * LANES;

// Ranks of neighbours. Those of odd keys take twice as long, and most runs have none.
fn ranked(bits: array<Key, RUN>, at: u32) -> array<Key, RUN> {
    var ranks: array<Key, RUN>;
    var odd = false;
    @unroll for (var j = 0u; j < RUN; j++) {
        odd = odd | is_odd(bits[j]);
        ranks[j] = plain_rank(bits[j]);
    }
    if odd {
        @unroll for (var j = 0u; j < RUN; j++) { ranks[j] = rank_of(bits[j], at + j); }
    }
    return ranks;
}

// Writes answers of neighbours from window `d` on, a multiple of RUN. PAIRS: two threads side by side write one's run together, then the
// other's, as memory takes in whole sectors what is written at a time.
fn runs_put(d: u32, ranks: array<Key, RUN>, places: array<u32, RUN>) {
    var fours: array<Four, RUN_FOURS>;
    @unroll for (var f = 0u; f < RUN_FOURS; f++) {
        let j = 4u * f;
        fours[f] = four_of(
            d + j,
            array<Key, ANSWERS>(ranks[j], ranks[j + 1u], ranks[j + 2u], ranks[j + 3u]),
            vec4(places[j], places[j + 1u], places[j + 2u], places[j + 3u]),
        );
    }
    let is_second = (d / RUN & 1u) != 0u;
    @unroll for (var p = 0u; p < PAIRS; p++) {
        let left = fours[2u * p];
        let right = fours[2u * p + 1u];
        let given = four_from_pair(four_select(right, left, is_second));
        fours[2u * p] = four_select(left, given, is_second);
        fours[2u * p + 1u] = four_select(given, right, is_second);
    }
    @unroll for (var f = 0u; f < RUN_FOURS; f++) { four_put(fours[f]); }
}
