//! Compiled kernels, kept in a file between runs, beside what a driver keeps by itself.
//!
//! One file an adapter and driver. It is the driver's own format behind a checksum: drivers recognise what others wrote, but
//! need not survive a file that was damaged.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use xxhash_rust::xxh3::xxh3_64;

/// Where files are kept, and the caches of open devices.
static KEPT: Mutex<(Option<PathBuf>, Vec<Weak<Cache>>)> = Mutex::new((None, Vec::new()));

/// Lets devices that are opened from now on begin with the kernels that are kept in a folder, and [`save`] put new ones
/// there. Without this call nothing is read or written. Where the folder cannot be used, or the interface is not Vulkan,
/// kernels are compiled as ever.
///
/// The folder must be the user's own: a driver trusts what it finds in a file of its own making.
pub fn keep_in(folder: &Path) {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner).0 = Some(folder.to_owned());
}

/// Saves the kernels that open devices have compiled since they were opened. Whether all that was to be saved is.
pub fn save() -> bool {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.1.retain(|cache| cache.strong_count() > 0);
    let caches: Vec<_> = kept.1.iter().filter_map(Weak::upgrade).collect();
    drop(kept);
    caches.iter().all(|cache| cache.save())
}

/// The kernels of a device, in the driver's hands.
#[derive(Debug)]
pub(crate) struct Cache {
    raw: wgpu::PipelineCache,
    path: PathBuf,
    /// Whether something was compiled that is not in the file.
    changed: AtomicBool,
}

const MAGIC: &[u8; 8] = b"thwkern1";

impl Cache {
    /// What is kept for an adapter, if anything is to be kept.
    pub(crate) fn open(device: &wgpu::Device, adapter: &wgpu::AdapterInfo) -> Option<Arc<Self>> {
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = kept.0.as_ref()?;
        if !device.features().contains(wgpu::Features::PIPELINE_CACHE) {
            return None;
        }
        let key = wgpu::util::pipeline_cache_key(adapter)?;
        let driver = xxh3_64(format!("{} {} {}", adapter.name, adapter.driver, adapter.driver_info).as_bytes());
        let path = folder.join(format!("{key}_{driver:016x}.kernels"));
        let data = fs::read(&path).ok();
        let cache = Arc::new(Self {
            raw: with_data(device, data.as_deref().and_then(unsealed)),
            path,
            changed: AtomicBool::new(false),
        });
        kept.1.push(Arc::downgrade(&cache));
        Some(cache)
    }

    /// For the driver, when a kernel is compiled.
    pub(crate) fn raw(&self) -> &wgpu::PipelineCache {
        self.changed.store(true, Ordering::Relaxed);
        &self.raw
    }

    fn save(&self) -> bool {
        if !self.changed.swap(false, Ordering::Relaxed) {
            return true;
        }
        let Some(data) = self.raw.get_data() else { return true };
        let sealed = sealed(&data);
        // Whoever compiles what is there already changes nothing.
        fs::read(&self.path).is_ok_and(|old| old == sealed) || write_beside(&self.path, &sealed).is_ok()
    }
}

#[allow(unsafe_code)]
fn with_data(device: &wgpu::Device, data: Option<&[u8]>) -> wgpu::PipelineCache {
    let description = wgpu::PipelineCacheDescriptor { label: Some("kernels"), data, fallback: true };
    // SAFETY: the data has the checksum that was made when a cache of this adapter and driver gave it, and lies where the
    // user keeps files of their own.
    unsafe { device.create_pipeline_cache(&description) }
}

fn sealed(data: &[u8]) -> Vec<u8> {
    [&MAGIC[..], &xxh3_64(data).to_le_bytes(), data].concat()
}

/// The data of a file, if it is one of ours and whole.
fn unsealed(file: &[u8]) -> Option<&[u8]> {
    let (checksum, data) = file.strip_prefix(MAGIC)?.split_first_chunk::<8>()?;
    (u64::from_le_bytes(*checksum) == xxh3_64(data)).then_some(data)
}

fn write_beside(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let temporary = path.with_extension(format!("tmp{}", std::process::id()));
    let written = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&temporary)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_file_is_no_file() {
        let file = sealed(b"kernels of some driver");
        assert_eq!(unsealed(&file), Some(&b"kernels of some driver"[..]));
        for i in 0..file.len() {
            let mut damaged = file.clone();
            damaged[i] ^= 1;
            assert_eq!(unsealed(&damaged), None, "{i}");
            assert_eq!(unsealed(&file[..i]), None, "{i}");
        }
    }
}
