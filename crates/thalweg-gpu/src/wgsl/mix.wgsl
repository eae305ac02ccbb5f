// A number that looks random, a different one for every `x`.
fn mixed(x: u32) -> u32 {
    var z = x;
    z = (z ^ (z >> 16u)) * 0x7feb352du;
    z = (z ^ (z >> 15u)) * 0x846ca68bu;
    return z ^ (z >> 16u);
}
