//! What an adapter can hold and do.

/// What an adapter can hold and do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Whether threads of a subgroup can exchange values. The engines need it.
    pub subgroups: bool,
    /// Fewest threads of a subgroup.
    pub subgroup_min: u32,
    /// Most threads of a subgroup.
    pub subgroup_max: u32,
    /// Bytes of one binding at most; larger arrays are spread over several.
    pub binding_bytes: u64,
    /// Bytes of one buffer at most.
    pub buffer_bytes: u64,
    /// Buffers that one kernel can see.
    pub bindings: u32,
    /// Bytes of memory that the threads of a workgroup share.
    pub workgroup_bytes: u32,
    /// Threads of a workgroup at most.
    pub workgroup_threads: u32,
    /// Workgroups of one dispatch and dimension at most.
    pub workgroups: u32,
    /// Whether the device computes with 64-bit integers.
    pub int64: bool,
    /// Whether it loads and stores 64 bits at once where other threads do the same.
    pub int64_atomics: bool,
    /// Whether the device measures its own time.
    pub timestamps: bool,
    /// Whether the device traces rays against triangles.
    pub ray_queries: bool,
}

impl Limits {
    pub(crate) fn of(adapter: &wgpu::Adapter) -> Self {
        let (limits, features, info) = (adapter.limits(), adapter.features(), adapter.get_info());
        Self {
            subgroups: features.contains(wgpu::Features::SUBGROUP),
            subgroup_min: info.subgroup_min_size,
            subgroup_max: info.subgroup_max_size,
            binding_bytes: limits.max_storage_buffer_binding_size,
            buffer_bytes: limits.max_buffer_size,
            bindings: limits.max_storage_buffers_per_shader_stage,
            workgroup_bytes: limits.max_compute_workgroup_storage_size,
            workgroup_threads: limits.max_compute_invocations_per_workgroup,
            workgroups: limits.max_compute_workgroups_per_dimension,
            int64: features.contains(wgpu::Features::SHADER_INT64),
            int64_atomics: features.contains(int64_atomic_features()),
            timestamps: features.contains(timestamp_features()),
            ray_queries: features.contains(wgpu::Features::EXPERIMENTAL_RAY_QUERY),
        }
    }
}

/// What a device needs for atomic loads and stores of 64 bits.
pub(crate) fn int64_atomic_features() -> wgpu::Features {
    wgpu::Features::SHADER_INT64 | wgpu::Features::SHADER_INT64_ATOMIC_ALL_OPS
}

/// What a device needs to measure its own time.
pub(crate) fn timestamp_features() -> wgpu::Features {
    wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS
}
