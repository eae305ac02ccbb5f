// Whole lines from their first frequencies.
    let column = i % STRIDE;
    let k = i / STRIDE % LEN;
    let line = i / (STRIDE * LEN);
    let mirrored = k >= HALF;
    var a = turned(input_at((line * HALF + select(k, LEN - k, mirrored)) * STRIDE + column));
    if mirrored {
        a = conjugate(a);
    }
    if k == 0u || 2u * k == LEN {
        a.y = 0.0;
    }
    output_put(i, a);
