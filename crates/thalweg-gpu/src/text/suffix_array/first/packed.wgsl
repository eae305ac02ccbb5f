// The first SYMBOLS symbols from a position on, BITS bits each, as a number; 0 behind the text's end, which is at `a`.
fn packed(position: u32) -> u32 {
    var key = 0u;
    var at = position;
    for (var done = 0u; done < SYMBOLS; done += 4u) {
        // Whole words may be read as long as they begin inside the text.
        var word = 0u;
        if at < params.a { word = text_word(at); }
        for (var k = done; k < min(done + 4u, SYMBOLS); k++) {
            var symbol = 0u;
            if at < params.a { symbol = numbers_at(word & 0xffu); }
            key = (key << BITS) | symbol;
            word >>= 8u;
            // The text ends before 2^32 - 2^20, so positions behind it do not wrap around.
            at++;
        }
    }
    return key;
}
