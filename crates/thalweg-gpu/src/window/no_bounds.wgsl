fn starts_at(i: u32) -> u32 { return 0u; }
fn ends_at(i: u32) -> u32 { return 0u; }
