// The other way; the parts of the first and the middle frequency that no real line has are left out.
    let line = i / MIDDLE;
    let k = i % MIDDLE;
    var a = turned(input_at(line * HALF + k));
    var b = conjugate(turned(input_at(line * HALF + MIDDLE - k)));
    if k == 0u {
        a.y = 0.0;
        b.y = 0.0;
    }
    let odd = times(a - b, conjugate(roots_at(k)));
    output_put(i, a + b + vec2<f32>(-odd.y, odd.x));
