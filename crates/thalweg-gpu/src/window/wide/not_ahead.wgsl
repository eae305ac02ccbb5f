// Positions need no read, so nothing is written beforehand.
fn answered_ahead(keys: ptr<function, array<Key, DEPTH>>, order: u32, row: u32, first: u32, own: u32) -> u32 { return 0u; }
