// Floats as whole numbers of steps, cut off towards zero: exact, by integer operations only. Steps are such that all
// numbers below 2^(SHIFT - bias), where SHIFT is the axis's `shift`, have fewer than 2^30; larger ones, infinities and NaN
// have 2^30 or more. So the result, a two's complement, never passes for one in a slab that it does not belong to.
//
// The mantissa has its leading bit in bit 30. Subnormal numbers, whose leading bit is not there, are less than a step: the
// shift is at least 31.
fn steps(number: Number, shift: u32) -> u32 {
    let size = float_high(number) & 0x7fffffffu;
    let exponent = size >> MANTISSA;
    let mantissa = (float_mantissa(number) & 0x3fffffffu) | 0x40000000u;
    let whole = mantissa >> min(shift - min(exponent, shift), 31u);
    let sign = 0u - (float_high(number) >> 31u);
    return (whole ^ sign) - sign;
}

fn slab_of(x: Number) -> u32 { return (steps(x, params.x_shift) - params.x_low) >> params.x_high; }
fn height_of(y: Number) -> u32 { return steps(y, params.y_shift); }
