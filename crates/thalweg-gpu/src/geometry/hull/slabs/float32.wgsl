// Floats of 32 bits: two points a vector.
alias Number = u32;
const MANTISSA = 23u;
fn pack_number(pack: vec4<u32>, slot: u32) -> Number { return pack[slot]; }
fn float_high(number: Number) -> u32 { return number; }
fn float_mantissa(number: Number) -> u32 { return number << 7u; }
