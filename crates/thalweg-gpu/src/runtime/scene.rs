//! Triangles that rays are traced against, where a device can do that.

use std::sync::{Arc, Weak};

use thalweg_core::Result;

use super::context::Context;

/// Triangles, in the driver's own tree over them. The recorder [builds](super::recorder::Recorder::build_scene) it.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub(super) tlas: wgpu::Tlas,
    device: Weak<Context>,
}

/// The tree that is to be built.
#[derive(Debug)]
pub(super) struct Unbuilt {
    pub(super) blas: wgpu::Blas,
    pub(super) size: wgpu::BlasTriangleGeometrySizeDescriptor,
}

impl Scene {
    /// Bytes of a triangle: three corners of three `f32` each.
    pub(crate) const TRIANGLE: u64 = 36;

    /// A scene for so many triangles.
    pub(super) fn new(device: &Arc<Context>, triangles: u32) -> Result<(Self, Unbuilt)> {
        let flags = wgpu::AccelerationStructureFlags::PREFER_FAST_TRACE;
        let update_mode = wgpu::AccelerationStructureUpdateMode::Build;
        let size = wgpu::BlasTriangleGeometrySizeDescriptor {
            vertex_format: wgpu::VertexFormat::Float32x3,
            vertex_count: 3 * triangles,
            index_format: None,
            index_count: None,
            flags: wgpu::AccelerationStructureGeometryFlags::OPAQUE,
        };
        let (blas, tlas) = device.validated(|| {
            let blas = device.raw.create_blas(
                &wgpu::CreateBlasDescriptor { label: None, flags, update_mode },
                wgpu::BlasGeometrySizeDescriptors::Triangles { descriptors: vec![size.clone()] },
            );
            let description = wgpu::CreateTlasDescriptor { label: None, max_instances: 1, flags, update_mode };
            let mut tlas = device.raw.create_tlas(&description);
            let unmoved = [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0.];
            tlas[0] = Some(wgpu::TlasInstance::new(&blas, unmoved, 0, 0xff));
            (blas, tlas)
        })?;
        Ok((Self { tlas, device: Arc::downgrade(device) }, Unbuilt { blas, size }))
    }

    /// Whether it is a scene of this device.
    pub(super) fn is_of(&self, device: &Arc<Context>) -> bool {
        std::ptr::eq(self.device.as_ptr(), Arc::as_ptr(device))
    }
}
