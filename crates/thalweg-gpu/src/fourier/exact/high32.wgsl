// By halves of 16 bits, for devices that have no integers of 64.
fn high_product(a: u32, b: u32) -> u32 {
    let a_low = a & 0xffffu;
    let a_high = a >> 16u;
    let b_low = b & 0xffffu;
    let b_high = b >> 16u;
    let cross = a_high * b_low + ((a_low * b_low) >> 16u);
    let other = a_low * b_high + (cross & 0xffffu);
    return a_high * b_high + (cross >> 16u) + (other >> 16u);
}
