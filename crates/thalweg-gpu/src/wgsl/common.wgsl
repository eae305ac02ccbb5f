// A dispatch of more workgroups than one dimension takes is spread over two. The last row may reach beyond the number
// asked for: every kernel compares with its own count.
fn linear_workgroup(id: vec3<u32>, count: vec3<u32>) -> u32 { return id.y * count.x + id.x; }
