// The results among the values of the transforms: rows of COLUMNS, from rows of WIDTH. A workgroup takes 256 results, each below
// the number that there are.

struct Params {
    count: u32,
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = linear_workgroup(id, count) * 256u + thread;
    if i >= params.count { return; }
    output_put(i, input_at(i / COLUMNS * WIDTH + i % COLUMNS));
}
