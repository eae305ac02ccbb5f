// Claims the elements that are to change. Who comes second, to the same element or another one of its slot, says so: then all
// who claim it are rivals.
@compute @workgroup_size(THREADS)
fn claim(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = linear_workgroup(group, groups) * THREADS + thread;
    let claim = claim_of(changed_at(min(i, params.count - 1u)));
    // Where neighbours want the same word, all may: then it is asked first, as a word takes one change after the other, some
    // nanosecond each.
    let crowded = subgroupShuffleXor(claim.word, 1u) == claim.word;
    if i < params.count {
        var old = 0u;
        if crowded { old = atomicLoad(&notes[claim.word]); }
        if (old & claim.bit) == 0u { old = atomicOr(&notes[claim.word], claim.bit); }
        if (old & claim.bit) != 0u && (old & (claim.bit << 1u)) == 0u { atomicOr(&notes[claim.word], claim.bit << 1u); }
    }
}
