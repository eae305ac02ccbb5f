// From the counts of all digits to where their keys begin, a workgroup a pass; and for every pass whether all keys have the
// same digit.
struct Params { count: u32 }

var<workgroup> of_subgroups: array<u32, SUBGROUPS_MOST>;

@compute @workgroup_size(THREADS)
fn starts_of_digits(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) size: u32,
) {
    let width = fixed_width(size);
    let digit = subgroup * width + lane;
    let pass_number = group.x;
    var here = 0u;
    // DIGITS <= THREADS.
    if digit < DIGITS { here = histogram_at(pass_number * DIGITS + digit); }
    let upto = subgroupInclusiveAdd(here);
    if lane == width - 1u { of_subgroups[subgroup] = upto; }
    workgroupBarrier();
    var before = upto - here;
    for (var s = 0u; s < subgroup; s++) { before += of_subgroups[s]; }
    if digit < DIGITS {
        starts_put(pass_number * DIGITS + digit, before);
        // One digit has all keys, or none has.
        if here == params.count { starts_put(PASSES * DIGITS + pass_number, 1u); }
    }
}
