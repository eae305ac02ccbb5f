// Three levels of minima in one go: of 16, of 256 and of 4,096 sources. The sources are the array's keys or, further
// up, the minima of a level.
struct Params { source: u32, count: u32, level1: u32, count1: u32, level2: u32, count2: u32, level3: u32, count3: u32 }

const BLOCK = 4096u;
const QUADS = BLOCK / 4u;
const THREADS = 256u;

var<workgroup> of_four: array<Key, QUADS>;
var<workgroup> of_sixteen: array<Key, 256>;

fn source_four(i: u32) -> Four {
    if FROM_LEVELS { return levels_four(params.source / 4u + i); }
    return values_four(i);
}

@compute @workgroup_size(THREADS)
fn hierarchy_build(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let block = linear_workgroup(group, groups);
    // As many blocks as entries of the third level. With it, `block * BLOCK < count`: no product below wraps around.
    if block >= params.count3 { return; }
    let valid = min(BLOCK, params.count - block * BLOCK);
    for (var j = 0u; j < QUADS / THREADS; j++) {
        let quad = j * THREADS + thread;
        var least = WORST;
        if 4u * quad < valid {
            // A quad with at least one key is inside the buffer: buffers are multiples of 256 bytes.
            var four = source_four(block * QUADS + quad);
            if 4u * quad + 4u > valid {
                four = four_select(four_worst(), four, vec4(0u, 1u, 2u, 3u) < vec4(valid - 4u * quad));
            }
            least = four_min(four);
        }
        of_four[quad] = least;
    }
    workgroupBarrier();
    var least = four_min(four_pack(of_four[4u * thread], of_four[4u * thread + 1u], of_four[4u * thread + 2u], of_four[4u * thread + 3u]));
    of_sixteen[thread] = least;
    let i = block * 256u + thread;
    if i < params.count1 { levels_put(params.level1 + i, least); }
    workgroupBarrier();
    if thread < 16u {
        least = WORST;
        for (var k = 0u; k < 16u; k++) { least = key_min(least, of_sixteen[16u * thread + k]); }
        let i = block * 16u + thread;
        if i < params.count2 { levels_put(params.level2 + i, least); }
        of_four[thread] = least;
    }
    workgroupBarrier();
    if thread == 0u {
        least = WORST;
        for (var k = 0u; k < 16u; k++) { least = key_min(least, of_four[k]); }
        levels_put(params.level3 + block, least);
    }
}
