// Elements are distinct: of two equal ones, the position decides which is smaller, the same way everywhere.
const NONE = 0xffffffffu;
// Elements of a subset that one thread works on.
const PART = SUBSET / THREADS;

// Whether an element to the left of `key` is smaller than it, and one to the right of it.
fn smaller_left(left: Key, key: Key) -> bool {
    if LEFT_STRICT { return key_less(left, key); }
    return !key_less(key, left);
}
fn smaller_right(right: Key, key: Key) -> bool { return !smaller_left(key, right); }

// What the threads of a workgroup found: one more than the position to the left, the position to the right.
var<workgroup> nearest: array<vec2<u32>, THREADS>;

// The nearest of all, known to thread 0. Every thread of the workgroup must call it.
fn nearest_of_all(thread: u32, found: vec2<u32>) -> vec2<u32> {
    nearest[thread] = found;
    for (var step = 1u; step < THREADS; step <<= 1u) {
        workgroupBarrier();
        let other = thread + step;
        if thread % (2u * step) == 0u && other < THREADS {
            let mine = nearest[thread];
            let theirs = nearest[other];
            nearest[thread] = vec2(max(mine.x, theirs.x), min(mine.y, theirs.y));
        }
    }
    return nearest[thread];
}
