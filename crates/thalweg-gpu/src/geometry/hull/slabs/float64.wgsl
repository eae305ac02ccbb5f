// Floats of 64 bits: one point a vector, low words first.
alias Number = vec2<u32>;
const MANTISSA = 20u;
fn pack_number(pack: vec4<u32>, slot: u32) -> Number { return select(pack.xy, pack.zw, slot == 1u); }
fn float_high(number: Number) -> u32 { return number.y; }
fn float_mantissa(number: Number) -> u32 { return (number.y << 10u) | (number.x >> 22u); }
