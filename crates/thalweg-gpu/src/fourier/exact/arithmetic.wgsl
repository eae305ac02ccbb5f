// Residues modulo params.p, a prime below 2^31, and products as Montgomery reduces them: see thalweg-fourier's `prime.rs`.

// From below 2 p to below p: of a smaller number, the difference wraps around and is larger.
fn reduce(x: u32) -> u32 { return min(x, x - params.p); }

fn sum(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
    let x = a + b;
    return min(x, x - vec4(params.p));
}

fn difference(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
    let x = a - b;
    return min(x, x + vec4(params.p));
}

// a * b / 2^32; the product is below p * 2^32. The low halves of both products are equal.
fn times(a: u32, b: u32) -> u32 {
    let x = high_product(a, b) - high_product(a * b * params.inverse, params.p);
    return min(x, x + params.p);
}

fn times4(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
    return vec4(times(a.x, b.x), times(a.y, b.y), times(a.z, b.z), times(a.w, b.w));
}
