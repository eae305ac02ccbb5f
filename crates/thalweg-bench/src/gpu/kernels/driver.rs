//! A driver that is asked what it made of a kernel.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString};

use ash::{khr, vk};
use serde::Serialize;
use thalweg::gpu::KernelText;

/// What went wrong, for people.
type Told<T> = Result<T, String>;

/// One thing that the driver tells of a kernel.
#[derive(Serialize)]
pub struct Statistic {
    pub name: String,
    pub value: String,
}

/// A kernel as the driver has compiled it.
pub struct Built {
    pub threads: u32,
    pub subgroup: u32,
    pub statistics: Vec<Statistic>,
}

/// A device of Vulkan's, opened to be asked.
pub struct Driver {
    /// Before the instance, which its functions are from.
    device: ash::Device,
    properties: khr::pipeline_executable_properties::Device,
    instance: ash::Instance,
    _entry: ash::Entry,
}

impl Drop for Driver {
    fn drop(&mut self) {
        // SAFETY: nothing made of them is left: every pipeline is destroyed where it was made.
        unsafe {
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

impl Driver {
    /// The device of this name, if its driver answers such questions.
    pub fn of(name: &str) -> Told<Self> {
        let failed = |e: vk::Result| format!("Vulkan: {e}");
        // SAFETY: the system's Vulkan loader, as wgpu has loaded it already.
        let entry = unsafe { ash::Entry::load() }.map_err(|e| format!("kernels are looked at through Vulkan: {e}"))?;
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        // SAFETY: plain descriptions; whatever is made is destroyed on every way out.
        unsafe {
            let info = vk::InstanceCreateInfo::default().application_info(&application);
            let instance = entry.create_instance(&info, None).map_err(failed)?;
            match open(&instance, name) {
                Ok(device) => {
                    let properties = khr::pipeline_executable_properties::Device::new(&instance, &device);
                    Ok(Self { device, properties, instance, _entry: entry })
                }
                Err(reason) => {
                    instance.destroy_instance(None);
                    Err(reason)
                }
            }
        }
    }

    /// Compiles a kernel as the library does and asks what came of it.
    pub fn build(&self, kernel: &KernelText) -> Told<Built> {
        let failed = |e: vk::Result| format!("Vulkan: {e}");
        let (words, threads) = spirv(kernel)?;
        let entry = CString::new(kernel.entry.as_str()).map_err(|e| e.to_string())?;
        // SAFETY: the handles are this device's own, each outlives what is made of it, and all are destroyed here.
        unsafe {
            let module = vk::ShaderModuleCreateInfo::default().code(&words);
            let module = self.device.create_shader_module(&module, None).map_err(failed)?;
            let bindings: Vec<_> = (0..=kernel.buffers as u32)
                .map(|binding| {
                    let kind = match binding {
                        0 => vk::DescriptorType::UNIFORM_BUFFER,
                        _ => vk::DescriptorType::STORAGE_BUFFER,
                    };
                    vk::DescriptorSetLayoutBinding::default()
                        .binding(binding)
                        .descriptor_type(kind)
                        .descriptor_count(1)
                        .stage_flags(vk::ShaderStageFlags::COMPUTE)
                })
                .collect();
            let set = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            let sets = [self.device.create_descriptor_set_layout(&set, None).map_err(failed)?];
            let layout = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets);
            let layout = self.device.create_pipeline_layout(&layout, None).map_err(failed)?;
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(module)
                .name(&entry);
            let info = vk::ComputePipelineCreateInfo::default()
                .flags(vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR)
                .stage(stage)
                .layout(layout);
            let made = self.device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None);
            let told = made.map_err(|(_, e)| failed(e)).and_then(|pipelines| {
                let told = self.ask(pipelines[0], threads);
                self.device.destroy_pipeline(pipelines[0], None);
                told
            });
            self.device.destroy_pipeline_layout(layout, None);
            self.device.destroy_descriptor_set_layout(sets[0], None);
            self.device.destroy_shader_module(module, None);
            told
        }
    }

    /// # Safety
    /// The pipeline is one of this device's, made to be asked.
    unsafe fn ask(&self, pipeline: vk::Pipeline, threads: u32) -> Told<Built> {
        let failed = |e: vk::Result| format!("Vulkan: {e}");
        let info = vk::PipelineInfoKHR::default().pipeline(pipeline);
        // SAFETY: as above.
        let executables = unsafe { self.properties.get_pipeline_executable_properties(&info) }.map_err(failed)?;
        let mut built = Built { threads, subgroup: 0, statistics: Vec::new() };
        for (index, executable) in executables.iter().enumerate() {
            built.subgroup = executable.subgroup_size;
            let info = vk::PipelineExecutableInfoKHR::default().pipeline(pipeline).executable_index(index as u32);
            // SAFETY: as above.
            let told = unsafe { self.properties.get_pipeline_executable_statistics(&info) }.map_err(failed)?;
            for statistic in told {
                let name = statistic.name_as_c_str().unwrap_or(c"").to_string_lossy().into_owned();
                let value = &statistic.value;
                use vk::PipelineExecutableStatisticFormatKHR as Format;
                // SAFETY: the format says which member of the union it is.
                let value = unsafe {
                    match statistic.format {
                        Format::BOOL32 => (value.b32 != 0).to_string(),
                        Format::INT64 => value.i64.to_string(),
                        Format::UINT64 => value.u64.to_string(),
                        _ => value.f64.to_string(),
                    }
                };
                built.statistics.push(Statistic { name, value });
            }
        }
        Ok(built)
    }
}

/// Opens the device of this name with everything that it can do, so that all kernels compile.
///
/// # Safety
/// The instance is valid.
unsafe fn open(instance: &ash::Instance, name: &str) -> Told<ash::Device> {
    let failed = |e: vk::Result| format!("Vulkan: {e}");
    // SAFETY: plain questions to a valid instance, and a device made of its answers.
    unsafe {
        let adapters = instance.enumerate_physical_devices().map_err(failed)?;
        let adapter = adapters
            .into_iter()
            .find(|&adapter| {
                let properties = instance.get_physical_device_properties(adapter);
                properties.device_name_as_c_str().is_ok_and(|known| known.to_string_lossy() == name)
            })
            .ok_or_else(|| format!("Vulkan knows no device called {name}"))?;
        let extensions = instance.enumerate_device_extension_properties(adapter).map_err(failed)?;
        let has = |wanted: &CStr| extensions.iter().any(|known| known.extension_name_as_c_str() == Ok(wanted));
        if !has(khr::pipeline_executable_properties::NAME) {
            return Err(format!("the driver of {name} does not tell what it makes of kernels"));
        }
        let mut executable = vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default();
        let (mut core11, mut core12, mut core13) = (
            vk::PhysicalDeviceVulkan11Features::default(),
            vk::PhysicalDeviceVulkan12Features::default(),
            vk::PhysicalDeviceVulkan13Features::default(),
        );
        let mut features = vk::PhysicalDeviceFeatures2::default()
            .push_next(&mut executable)
            .push_next(&mut core11)
            .push_next(&mut core12)
            .push_next(&mut core13);
        instance.get_physical_device_features2(adapter, &mut features);
        // The library's kernels stay inside their arrays.
        features.features.robust_buffer_access = vk::FALSE;
        let family = instance
            .get_physical_device_queue_family_properties(adapter)
            .iter()
            .position(|family| family.queue_flags.contains(vk::QueueFlags::COMPUTE))
            .ok_or("no queue for kernels")?;
        let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(family as u32).queue_priorities(&[1.0])];
        let names = [khr::pipeline_executable_properties::NAME.as_ptr()];
        let info = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(&names)
            .push_next(&mut features);
        instance.create_device(adapter, &info, None).map_err(failed)
    }
}

/// A kernel as SPIR-V, without checks, as the library lets it be compiled, and the threads of its workgroups.
fn spirv(kernel: &KernelText) -> Told<(Vec<u32>, u32)> {
    let module = naga::front::wgsl::parse_str(&kernel.text).map_err(|e| e.to_string())?;
    let everything = naga::valid::Capabilities::all();
    let info = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), everything)
        .validate(&module)
        .map_err(|e| e.to_string())?;
    let threads = module.entry_points.iter().find(|entry| entry.name == kernel.entry);
    let threads = threads.map_or(0, |entry| entry.workgroup_size.iter().product());
    let unchecked = naga::proc::BoundsCheckPolicy::Unchecked;
    let options = naga::back::spv::Options {
        lang_version: (1, 4),
        flags: naga::back::spv::WriterFlags::empty(),
        bounds_check_policies: naga::proc::BoundsCheckPolicies {
            index: unchecked,
            buffer: unchecked,
            image_load: unchecked,
            binding_array: unchecked,
        },
        zero_initialize_workgroup_memory: naga::back::spv::ZeroInitializeWorkgroupMemoryMode::None,
        force_loop_bounding: false,
        ..Default::default()
    };
    let entry = naga::back::spv::PipelineOptions {
        shader_stage: naga::ShaderStage::Compute,
        entry_point: kernel.entry.clone(),
    };
    let words = naga::back::spv::write_vec(&module, &info, &options, Some(&entry)).map_err(|e| e.to_string())?;
    Ok((words, threads))
}
