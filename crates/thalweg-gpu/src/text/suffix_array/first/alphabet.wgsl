// Which symbols occur: four of them a thread, of `a` in all. A bit that is set already costs no atomic operation.
fn each(i: u32) {
    var word = text_at(i);
    for (var k = 4u * i; k < min(4u * i + 4u, params.a); k++) {
        let bit = 1u << (word & 31u);
        let place = (word & 0xffu) >> 5u;
        if (atomicLoad(&seen[place]) & bit) == 0u { atomicOr(&seen[place], bit); }
        word >>= 8u;
    }
}
