//! Finds an NVIDIA driver on a machine without a display.
//!
//! Servers and containers often have the driver's libraries without a Vulkan manifest that works: the usual one names
//! `libGLX_nvidia.so.0`, which fails without X. `libEGL_nvidia.so.0` of the same driver works, so where no NVIDIA adapter
//! shows up although the kernel driver is there, a manifest that names it is handed to the Vulkan loader.
#![allow(unsafe_code)]

#[cfg(target_os = "linux")]
pub(crate) use linux::{has_loader, present, quieten, with_headless_nvidia};

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    pub(crate) fn with_headless_nvidia<T>(_open: impl FnOnce() -> T) -> Option<T> {
        None
    }
    pub(crate) fn present() -> bool {
        false
    }
    pub(crate) fn quieten() {}
    pub(crate) fn has_loader() -> bool {
        true
    }
}
#[cfg(not(target_os = "linux"))]
pub(crate) use elsewhere::{has_loader, present, quieten, with_headless_nvidia};

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::CString;
    use std::os::unix::ffi::OsStrExt;
    use std::path::{Path, PathBuf};

    const LIBRARY: &str = "libEGL_nvidia.so.0";

    /// Folders that distributions and container runtimes put the driver's libraries into.
    const FOLDERS: [&str; 9] = [
        "/usr/lib/x86_64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu",
        "/usr/lib64",
        "/usr/lib",
        "/usr/local/nvidia/lib64",
        "/usr/local/nvidia/lib",
        "/usr/lib/nvidia",
        "/usr/lib/wsl/lib",
        "/run/opengl-driver/lib",
    ];

    /// Whether the kernel has an NVIDIA driver.
    pub(crate) fn present() -> bool {
        Path::new("/dev/nvidiactl").exists() || Path::new("/proc/driver/nvidia/version").exists()
    }

    /// Keeps Mesa's layer that asks the display for its favourite device from complaining where there is no display.
    pub(crate) fn quieten() {
        const OFF: &str = "NODEVICE_SELECT";
        if std::env::var_os("XDG_RUNTIME_DIR").is_none() && std::env::var_os(OFF).is_none() {
            // SAFETY: called once, under the lock of the one instance; only that layer reads the variable, later.
            unsafe { std::env::set_var(OFF, "1") };
        }
    }

    /// Whether the Vulkan loader can be loaded.
    pub(crate) fn has_loader() -> bool {
        load(Path::new("libvulkan.so.1"))
    }

    /// Opens a Vulkan instance that is offered the EGL library, if there is one that the user has not ruled out.
    pub(crate) fn with_headless_nvidia<T>(open: impl FnOnce() -> T) -> Option<T> {
        const OFFER: &str = "VK_ADD_DRIVER_FILES";
        let chosen_by_user = ["VK_ICD_FILENAMES", "VK_DRIVER_FILES", OFFER];
        if !present() || chosen_by_user.iter().any(|v| std::env::var_os(v).is_some()) {
            return None;
        }
        let library = find()?;
        load_dependencies(&library);
        let manifest = write_manifest(&library)?;
        // SAFETY: called once, under the lock of the one instance; the variable is one that only the Vulkan loader reads,
        // and it reads it inside `open`.
        unsafe { std::env::set_var(OFFER, &manifest) };
        let instance = open();
        // SAFETY: as above.
        unsafe { std::env::remove_var(OFFER) };
        let _ = std::fs::remove_file(manifest);
        Some(instance)
    }

    fn find() -> Option<PathBuf> {
        let from_environment = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        std::env::split_paths(&from_environment)
            .chain(FOLDERS.iter().map(PathBuf::from))
            .map(|folder| folder.join(LIBRARY))
            .find(|library| library.exists())
    }

    /// The driver's libraries need each other by bare name; outside the system's library path only those already loaded
    /// are found. They are loaded in as many rounds as their order needs.
    fn load_dependencies(library: &Path) {
        let Some(folder) = library.parent() else { return };
        let Ok(entries) = folder.read_dir() else { return };
        let mut left: Vec<PathBuf> = entries
            .filter_map(|e| Some(e.ok()?.path()))
            .filter(|path| {
                let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
                ["libnvidia-gl", "libnvidia-egl", "libnvidia-tls", "libnvidia-gpucomp", "libnvidia-rtcore"]
                    .iter()
                    .any(|prefix| name.starts_with(prefix))
                    && name.contains(".so.")
            })
            .collect();
        for _ in 0..4 {
            left.retain(|path| !load(path));
        }
    }

    fn load(path: &Path) -> bool {
        let Ok(path) = CString::new(path.as_os_str().as_bytes()) else { return false };
        // SAFETY: a valid string; the libraries are the driver's own or the Vulkan loader, whose constructors Vulkan
        // would run just the same. The handle is kept open on purpose.
        !unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_GLOBAL) }.is_null()
    }

    fn write_manifest(library: &Path) -> Option<PathBuf> {
        let path = std::env::temp_dir().join(format!("thalweg-nvidia-egl-{}.json", std::process::id()));
        let library = library.to_str()?.replace('\\', "\\\\").replace('"', "\\\"");
        let text = format!(
            "{{\"file_format_version\":\"1.0.1\",\"ICD\":{{\"library_path\":\"{library}\",\"api_version\":\"1.3.0\"}}}}\n"
        );
        // A new file only: a name in a shared folder may be somebody else's link.
        let mut file = std::fs::OpenOptions::new().write(true).create_new(true).open(&path).ok()?;
        std::io::Write::write_all(&mut file, text.as_bytes()).ok()?;
        Some(path)
    }
}
