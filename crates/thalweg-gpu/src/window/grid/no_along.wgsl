fn along_at(i: u32) -> u32 { return 0u; }
