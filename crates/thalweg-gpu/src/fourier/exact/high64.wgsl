fn high_product(a: u32, b: u32) -> u32 { return u32((u64(a) * u64(b)) >> 32u); }
