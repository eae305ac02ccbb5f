// Integers of 64 bits: one point a vector, low words first. Differences wrap around, as those of 32 bits do; what does not
// fit 32 bits after the shift is larger than everything that belongs to a slab.
alias Number = vec2<u32>;
fn pack_number(pack: vec4<u32>, slot: u32) -> Number { return select(pack.xy, pack.zw, slot == 1u); }

fn steps(bits: Number, base: Number, shift: u32) -> u32 {
    let number = bits ^ vec2(FLIP_LOW, FLIP_HIGH);
    let low = number.x - base.x;
    let high = number.y - base.y - select(0u, 1u, number.x < base.x);
    if shift >= 32u { return high >> (shift - 32u); }
    // Shifts by 32 are none.
    let carried = select(high << (32u - shift), 0u, shift == 0u);
    return select((low >> shift) | carried, 0xffffffffu, (high >> shift) != 0u);
}

fn slab_of(x: Number) -> u32 { return steps(x, vec2(params.x_low, params.x_high), params.x_shift); }
fn height_of(y: Number) -> u32 { return steps(y, vec2(params.y_low, params.y_high), params.y_shift); }
