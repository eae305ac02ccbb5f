// Windows of things that lie in lines, a thing a lane: elements, or runs of UNIT elements. Minima of spans from every thing on are joined
// by doubling, up to a whole line's length: what lies behind comes from another lane, of this line or of the next. A window is two
// spans that overlap, or SPANS whole ones, one below the other, and one more at its end, which may overlap. Where a span's minimum lies,
// in elements, takes 8 bits: four lines share a word and one shuffle.
const SPAN = 1u << LEVELS;
const ONE_EACH = 0x01010101u;

fn offset_of(words: ptr<function, array<u32, WORDS>>, k: u32) -> u32 { return ((*words)[k / 4u] >> (8u * (k % 4u))) & 255u; }

// Of every line what another lane has; `in_next`: whether who asks this lane wants it of the next line.
fn offsets_from(
    words: ptr<function, array<u32, WORDS>>,
    others: ptr<function, array<u32, WORDS>>,
    in_next: bool,
    lane: u32,
) {
    @unroll for (var j = 0u; j < WORDS; j++) {
        let next = ((*words)[j] >> 8u) | ((*words)[min(j + 1u, WORDS - 1u)] << 24u);
        (*others)[j] = subgroupShuffle(select((*words)[j], next, in_next), lane);
    }
}

// The best of every window of `width` things that begins in the first LINES of DEPTH lines. Spans that reach behind the last line are
// wrong, and used by no window that is wanted. Offsets are those in things, and become those in spans.
fn windows_of(
    keys: ptr<function, array<Key, DEPTH>>,
    offsets: ptr<function, array<u32, WORDS>>,
    width: u32,
    me: Who,
    found: ptr<function, array<Key, LINES>>,
    found_at: ptr<function, array<u32, LINES>>,
) {
    var others: array<u32, WORDS>;
    @unroll for (var level = 0u; level < LEVELS; level++) {
        let distance = 1u << level;
        let lane = lane_behind(me.lane, distance);
        let in_next = me.own < distance;
        var taken: array<u32, WORDS>;
        if TRACK { offsets_from(offsets, &others, in_next, lane); }
        @unroll for (var k = 0u; k < DEPTH; k++) {
            let other = key_shuffle(key_select((*keys)[k], (*keys)[min(k + 1u, DEPTH - 1u)], in_next), lane);
            if TRACK {
                let takes = key_less(other, (*keys)[k]);
                taken[k / 4u] |= select(0u, 255u << (8u * (k % 4u)), takes);
                (*keys)[k] = key_select((*keys)[k], other, takes);
            } else {
                (*keys)[k] = key_min((*keys)[k], other);
            }
        }
        if TRACK {
            @unroll for (var j = 0u; j < WORDS; j++) {
                let moved = others[j] + UNIT * distance * ONE_EACH;
                (*offsets)[j] = ((*offsets)[j] & ~taken[j]) | (moved & taken[j]);
            }
        }
    }

    // The spans at windows' ends.
    let behind = width - SPAN;
    let distance = behind - (SPANS - 1u) * LANES;
    let lane = lane_behind(me.lane, distance);
    let in_next = me.own < distance;
    if TRACK { offsets_from(offsets, &others, in_next, lane); }
    @unroll for (var k = 0u; k < LINES; k++) {
        (*found)[k] = key_shuffle(key_select((*keys)[k + SPANS - 1u], (*keys)[k + SPANS], in_next), lane);
        if TRACK { (*found_at)[k] = UNIT * (k * LANES + me.own + behind) + offset_of(&others, k + SPANS - 1u); }
    }
    // Whole ones.
    var places: array<u32, DEPTH>;
    if TRACK {
        @unroll for (var k = 0u; k < DEPTH; k++) { places[k] = UNIT * (k * LANES + me.own) + offset_of(offsets, k); }
    }
    @unroll for (var level = 0u; level < SPANS_LOG; level++) {
        @unroll for (var k = 0u; k < DEPTH; k++) {
            let other = min(k + (1u << level), DEPTH - 1u);
            let best = leftmost(Best((*keys)[k], places[k]), Best((*keys)[other], places[other]));
            (*keys)[k] = best.key;
            places[k] = best.place;
        }
    }
    @unroll for (var k = 0u; k < LINES; k++) {
        let other = k + SPANS - (1u << SPANS_LOG);
        let best = leftmost(Best((*keys)[k], places[k]), Best((*keys)[other], places[other]));
        let all = leftmost(best, Best((*found)[k], (*found_at)[k]));
        (*found)[k] = all.key;
        (*found_at)[k] = all.place;
    }
}
