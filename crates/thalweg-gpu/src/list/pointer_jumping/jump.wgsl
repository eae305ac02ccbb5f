// One round of pointer jumping: every element adds the record that it links to, and links to where that one does.
//
// A round is left out if the last but one left no links: then the last one has copied the records, and both arrays hold
// the same.
struct Params { count: u32, round: u32, is_last: u32 }

var<workgroup> open: atomic<u32>;

@compute @workgroup_size(THREADS)
fn jump(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    if thread == 0u { atomicStore(&open, 0u); }
    workgroupBarrier();
    var links = false;
    if params.round < 2u || atomicLoad(&linked[params.round - 2u]) != 0u {
        let start = linear_workgroup(group, groups) * (THREADS * ITEMS) + thread;
        for (var k = 0u; k < ITEMS; k++) {
            let i = start + k * THREADS;
            if i < params.count {
                var record = before_at(i);
                if record.x != NONE {
                    let other = before_at(record.x);
                    record = record_of(other.x, value_add(value_of(record), value_of(other)));
                    links = links || other.x != NONE;
                }
                after_put(i, record);
            }
        }
    }
    if links { atomicStore(&open, 1u); }
    workgroupBarrier();
    if thread == 0u && atomicLoad(&open) != 0u {
        atomicStore(&linked[params.round], 1u);
        // As many rounds as there are bits in a position reach every end.
        if params.is_last != 0u { atomicStore(&status[LOOP], 1u); }
    }
}
