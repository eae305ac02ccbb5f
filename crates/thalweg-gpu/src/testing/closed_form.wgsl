// Arrays whose nearest smaller values a formula tells, to test lengths that no host would check.
struct Params { count: u32 }

const NONE = 0xffffffffu;

fn element(i: u32) -> u32 {
    let n = params.count;
    switch FORM {
        case 0u: { return i; }
        case 1u: { return select(2u * (n - 1u - i) + 1u, 2u * i, i < n / 2u); }
        default: { return i % PERIOD; }
    }
}

// The nearest smaller element to the left (x) and to the right (y). Form 1 needs an even count of at most 2^31.
fn expected(i: u32) -> vec2<u32> {
    let n = params.count;
    let after = select(i + 1u, NONE, i == n - 1u);
    switch FORM {
        case 0u: { return vec2(i - 1u, NONE); }
        case 1u: {
            if i < n / 2u { return vec2(i - 1u, select(n - i, NONE, i == 0u)); }
            return vec2(n - 1u - i, after);
        }
        default: {
            if i % PERIOD == 0u { return vec2(NONE, NONE); }
            let rest = PERIOD - i % PERIOD;
            return vec2(i - 1u, select(NONE, i + rest, n - i > rest));
        }
    }
}

@compute @workgroup_size(256)
fn closed_form(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    // Every workgroup takes stretches of 4,096 elements; the comparison with the rest keeps the sum from wrapping around.
    let stretch = linear_workgroup(group, groups);
    if stretch > (params.count - 1u) / 4096u { return; }
    let first = stretch * 4096u;
    let count = min(4096u, params.count - first);
    for (var k = thread; k < count; k += 256u) {
        let i = first + k;
        BODY
    }
}
