// Rows become columns, by tiles of 32 in workgroup memory, whose columns do not meet in a bank.
struct Params { rows: u32, columns: u32, across: u32, tiles: u32 }

var<workgroup> tile: array<Element, 32u * 33u>;

@compute @workgroup_size(256)
fn transpose(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let number = linear_workgroup(group, groups);
    if number >= params.tiles { return; }
    let row = number / params.across * 32u;
    let column = number % params.across * 32u;
    let x = thread % 32u;
    for (var y = thread / 32u; y < 32u; y += 8u) {
        if row + y < params.rows && column + x < params.columns {
            tile[y * 33u + x] = straight_at((row + y) * params.columns + column + x);
        }
    }
    workgroupBarrier();
    for (var y = thread / 32u; y < 32u; y += 8u) {
        if column + y < params.columns && row + x < params.rows {
            turned_put((column + y) * params.rows + row + x, tile[x * 33u + y]);
        }
    }
}
