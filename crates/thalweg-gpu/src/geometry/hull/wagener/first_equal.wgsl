// The position of a point of the side, in the input: of equal points, of which there are `a` in all, the lowest. They stand
// beside each other, that one first.
fn each(i: u32) {
    let key = keys_at(places_at(i));
    var low = 0u;
    var high = places_at(i);
    while low < high {
        let middle = low + (high - low) / 2u;
        let other = keys_at(middle);
        if other.y < key.y || (other.y == key.y && other.x < key.x) { low = middle + 1u; } else { high = middle; }
    }
    side_put(i, positions_at(low));
}
