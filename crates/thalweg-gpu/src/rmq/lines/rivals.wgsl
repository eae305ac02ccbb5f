// Settles which of the rivals for an element wins, the one with the largest number. The element's own word, which has been cleared, is
// raised to their numbers (STEP 0); whoever does not find his own there is struck off the list (1); the others write (2).
const NO_RIVAL = 0xffffffffu;

@compute @workgroup_size(THREADS)
fn settle(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let count = atomicLoad(&notes[RIVALS_FOUND]);
    for (var k = linear_workgroup(group, groups) * THREADS + thread; k < count; k += groups.x * groups.y * THREADS) {
        let i = rivals_at(k);
        if i != NO_RIVAL {
            let position = changed_at(i);
            let pack = pack_over(position);
            let word = word_in_pack(position);
            switch STEP {
                case 0u: { if values_load(pack, word) <= i { values_max(pack, word, i + 1u); } }
                case 1u: { if values_load(pack, word) != i + 1u { rivals_put(k, NO_RIVAL); } }
                default: {
                    let bits = news_at(i);
                    values_store(pack, word, key_low(bits));
                    if KEY_WORDS == 2u { values_store(pack, word + 1u, key_high(bits)); }
                }
            }
        }
    }
}
