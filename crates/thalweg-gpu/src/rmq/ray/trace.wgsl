// The entry that holds the least rank of entries l..=r: the first triangle that a ray meets. A hit outside the range, or none,
// is the hardware's way with edges: the tree knows.
fn least_entry(l: u32, r: u32) -> u32 {
    var ray: ray_query;
    // All triangles count, and no shader is asked about them (0x01). Heights end below 2^22.
    let from_below = vec3(f32(l), f32(r), -1.0);
    rayQueryInitialize(&ray, scene, RayDesc(0x01u, 0xffu, 0.0, 8388608.0, from_below, vec3(0.0, 0.0, 1.0)));
    while rayQueryProceed(&ray) {}
    let hit = rayQueryGetCommittedIntersection(&ray);
    if hit.kind != RAY_QUERY_INTERSECTION_NONE && hit.primitive_index >= l && hit.primitive_index <= r {
        return hit.primitive_index;
    }
    return order[walk(l, r)];
}
