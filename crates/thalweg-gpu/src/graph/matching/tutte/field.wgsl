// Arithmetic modulo the prime 2^31 - 1 with integers of 32 bits.
//
// Numbers are below PRIME between functions, and at most PRIME where it says "loose": the sum of two loose numbers, folded, is
// loose again. As 2^31 is 1, a factor 2^s is a rotation of 31 bits.
const PRIME = 0x7fffffffu;

// The same number modulo PRIME: loose, unless all bits were set.
fn fold(x: u32) -> u32 { return (x & PRIME) + (x >> 31u); }

// The number modulo PRIME, of any number.
fn reduce(x: u32) -> u32 {
    let folded = fold(x);
    // What is smaller wraps to something large.
    return min(folded, folded - PRIME);
}

fn add(a: u32, b: u32) -> u32 { return reduce(a + b); }

fn negate(a: u32) -> u32 { return select(PRIME - a, 0u, a == 0u); }

// Any number times 2^s, for s from 1 to 30: loose.
fn shifted(x: u32, s: u32) -> u32 { return fold(((x << s) & PRIME) + (x >> (31u - s))); }

fn mul(a: u32, b: u32) -> u32 {
    let a0 = a & 0xffffu;
    let a1 = a >> 16u;
    let b0 = b & 0xffffu;
    let b1 = b >> 16u;
    // The high halves have 15 bits, and 2^32 is 2.
    let high = 2u * (a1 * b1);
    return reduce(fold(high + shifted(a1 * b0 + a0 * b1, 16u)) + fold(a0 * b0));
}

fn squared(a: u32, times: u32) -> u32 {
    var x = a;
    for (var k = 0u; k < times; k++) { x = mul(x, x); }
    return x;
}

// The number with which the product is 1, of a number that is not 0: its power PRIME - 2 = 4 (2^29 - 1) + 1.
fn invert(a: u32) -> u32 {
    // Powers 2^k - 1 for these k.
    let k2 = mul(squared(a, 1u), a);
    let k4 = mul(squared(k2, 2u), k2);
    let k8 = mul(squared(k4, 4u), k4);
    let k16 = mul(squared(k8, 8u), k8);
    let k24 = mul(squared(k16, 8u), k8);
    let k28 = mul(squared(k24, 4u), k4);
    let k29 = mul(squared(k28, 1u), a);
    return mul(squared(k29, 2u), a);
}

// Sums of up to 32 products: 16 and 15 bits of one factor times 11, 10 and 10 of the other, one sum each. The largest of
// these products, 65,535 x 2,047, fits 32 times.
struct Sums { low: vec3<u32>, high: vec3<u32> }

fn thirds(b: u32) -> vec3<u32> { return vec3(b & 0x7ffu, (b >> 11u) & 0x3ffu, b >> 21u); }

// What the sums stand for. The last of them counts 2^37, which is 2^6.
fn total(sums: Sums) -> u32 {
    let low = fold(fold(fold(sums.low.x) + shifted(sums.low.y, 11u)) + shifted(sums.low.z, 21u));
    let high = fold(fold(shifted(sums.high.x, 16u) + shifted(sums.high.y, 27u)) + shifted(sums.high.z, 6u));
    return reduce(low + high);
}
