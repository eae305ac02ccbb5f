// What the suffix at a place is compared by.
fn rank_ahead(place: u32, position: u32, step: u32) -> u32 {
    return second_rank(position, step * params.ahead, params.count);
}
