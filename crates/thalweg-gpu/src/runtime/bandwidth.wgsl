// The limits of a card's memory: copying, and reading 64 or 8 bytes at random places. `count` is a multiple of
// THREADS * ITEMS, so every index of a workgroup that has work is below it.
struct Params { count: u32 }

@compute @workgroup_size(THREADS)
fn copy(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let start = linear_workgroup(group, groups) * THREADS * ITEMS;
    if start >= params.count { return; }
    for (var k = 0u; k < ITEMS; k++) {
        let i = start + k * THREADS + thread;
        output_put(i, input_at(i));
    }
}

@compute @workgroup_size(THREADS)
fn random_reads(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let start = linear_workgroup(group, groups) * THREADS * ITEMS;
    if start >= params.count { return; }
    var sum = vec4<u32>();
    for (var k = 0u; k < ITEMS; k++) {
        let line = mixed((start + k * THREADS + thread) / 4u) % (params.count / 4u);
        sum += input_at(line * 4u + thread % 4u);
    }
    // Never true, but the compiler cannot know: the reads must happen.
    if all(sum == vec4(0x9e3779b9u)) { output_put(start + thread, sum); }
}

@compute @workgroup_size(THREADS)
fn random_pairs(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let start = linear_workgroup(group, groups) * THREADS * ITEMS;
    if start >= params.count { return; }
    var sum = vec2<u32>();
    for (var k = 0u; k < ITEMS; k++) {
        let vector = mixed(start + k * THREADS + thread) % params.count;
        // One half of a vector; which one is decided by the thread's number, so that the compiler reads one only.
        if (thread & 1u) == 0u { sum += input[vector].xy; } else { sum += input[vector].zw; }
    }
    if all(sum == vec2(0x9e3779b9u)) { output_put(start + thread, vec4(sum, sum)); }
}
