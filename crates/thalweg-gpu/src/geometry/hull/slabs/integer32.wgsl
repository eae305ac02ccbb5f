// Integers of at most 32 bits: two points a vector. Differences wrap around: a number below the base gets one that is larger
// than that of every number in a slab.
alias Number = u32;
fn pack_number(pack: vec4<u32>, slot: u32) -> Number { return pack[slot]; }
fn slab_of(x: Number) -> u32 { return ((x ^ FLIP_LOW) - params.x_low) >> params.x_shift; }
fn height_of(y: Number) -> u32 { return (y ^ FLIP_LOW) - params.y_low; }
