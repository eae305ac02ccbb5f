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
