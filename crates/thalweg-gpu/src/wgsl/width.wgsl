// A subgroup's number of threads: a constant where the device has only one width, so that what is computed from it is
// one too.
fn fixed_width(width: u32) -> u32 { return select(width, WIDTH_MAX, WIDTH_MIN == WIDTH_MAX); }
