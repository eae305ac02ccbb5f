// Windows by bounds as ranges of elements, both ends inclusive. What is no window becomes the first element, and is filled later.
fn each(i: u32) {
    let start = starts_at(i);
    let end = ends_at(i);
    let is_window = start < end && end <= params.a;
    ranges_put(2u * i, select(0u, start, is_window));
    ranges_put(2u * i + 1u, select(0u, end - 1u, is_window));
}
