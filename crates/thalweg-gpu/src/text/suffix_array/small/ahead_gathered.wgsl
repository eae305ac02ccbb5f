// What the suffix at a place is compared by, in the one step that there is: it is still where it was when this was gathered.
fn rank_ahead(place: u32, position: u32, step: u32) -> u32 { return ahead_at(place); }
