// Nobody reads ends for others.
fn places_for(count: u32) -> u32 { return 0u; }
fn opened_put(i: u32, known: Known) {}
