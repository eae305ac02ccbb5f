// Words for FAN minima that belong together, one thread each: all but their bits 0 to 9, and the place of the minimum,
// which is the number of those that are better, or equal and further left. THREADS is a multiple of FAN.
var<workgroup> minima: array<Key, THREADS>;
// Place and number in one: the least of some has the best place, and tells whose it is.
var<workgroup> best: array<u32, THREADS>;

struct Packed { word: u32, place: u32 }

// Where the bits for the best of 2^k begin.
fn word_shift(k: u32) -> u32 { return 10u + (k * (k - 1u)) / 2u; }

// All threads of the workgroup call it.
fn pack_word(thread: u32, own: Key) -> Packed {
    minima[thread] = own;
    workgroupBarrier();
    let number = thread % FAN;
    let first = thread - number;
    var place = 0u;
    for (var i = 0u; i < FAN; i++) {
        let other = minima[first + i];
        if key_less(other, own) || (key_equal(other, own) && i < number) { place++; }
    }
    var word = 0u;
    var least = place << 6u | number;
    for (var k = 1u; k <= 5u; k++) {
        best[thread] = least;
        workgroupBarrier();
        let half = 1u << (k - 1u);
        // A window that reaches behind the last is never asked for.
        if number + half < FAN { least = min(least, best[thread + half]); }
        word |= ((least & 63u) - number) << word_shift(k);
        workgroupBarrier();
    }
    return Packed(word, place);
}
