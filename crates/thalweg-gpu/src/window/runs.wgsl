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

// Writes answers of neighbours from window `d` on.
fn runs_put(d: u32, ranks: array<Key, RUN>, places: array<u32, RUN>) {
    @unroll for (var f = 0u; f < RUN_FOURS; f++) {
        let j = 4u * f;
        // What is behind the last window, of the last four, is nobody's.
        if d + j < params.dense {
            four_answers_put(
                d + j,
                array<Key, 4>(ranks[j], ranks[j + 1u], ranks[j + 2u], ranks[j + 3u]),
                vec4(places[j], places[j + 1u], places[j + 2u], places[j + 3u]),
            );
        }
    }
}
