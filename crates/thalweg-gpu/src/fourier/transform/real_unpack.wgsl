// The frequencies of even and of odd values, from those of pairs; then of all.
    let line = i / HALF;
    let k = i % HALF;
    let a = input_at(line * MIDDLE + k % MIDDLE);
    let b = conjugate(input_at(line * MIDDLE + (MIDDLE - k) % MIDDLE));
    let odd = times(a - b, roots_at(k));
    output_put(i, turned((a + b + vec2<f32>(odd.y, -odd.x)) * (0.5 * FACTOR)));
