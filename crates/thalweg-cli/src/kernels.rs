//! Compiled kernels of GPUs, kept between runs.

#[cfg(any(feature = "gpu", test))]
use std::{ffi::OsString, path::PathBuf};

/// Keeps kernels where this user's programs keep what they can make again: `THALWEG_CACHE`, or the system's folder for
/// such things. An empty `THALWEG_CACHE` keeps nothing.
pub fn keep() {
    #[cfg(feature = "gpu")]
    if let Some(folder) = folder(|name| std::env::var_os(name)) {
        thalweg::gpu::keep_kernels_in(&folder);
    }
}

/// Saves what was compiled. A folder that cannot be written costs time in the next run, and nothing else.
pub fn save() {
    #[cfg(feature = "gpu")]
    let _ = thalweg::gpu::save_kernels();
}

#[cfg(any(feature = "gpu", test))]
fn folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    if let Some(folder) = variable("THALWEG_CACHE") {
        return (!folder.is_empty()).then(|| folder.into());
    }
    let path = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = if cfg!(windows) {
        path("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        path("HOME").map(|home| home.join("Library/Caches"))
    } else {
        path("XDG_CACHE_HOME").or_else(|| path("HOME").map(|home| home.join(".cache")))
    };
    Some(base?.join("thalweg"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_the_users_own_or_none() {
        let with = |set: &[(&str, &str)]| {
            folder(|name| set.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value)))
        };
        assert_eq!(with(&[("THALWEG_CACHE", "here"), ("HOME", "/home/a")]), Some("here".into()));
        assert_eq!(with(&[("THALWEG_CACHE", ""), ("HOME", "/home/a")]), None);
        assert_eq!(with(&[]), None);
        if cfg!(target_os = "linux") {
            assert_eq!(with(&[("HOME", "/home/a")]), Some("/home/a/.cache/thalweg".into()));
            assert_eq!(with(&[("HOME", "/home/a"), ("XDG_CACHE_HOME", "/c")]), Some("/c/thalweg".into()));
            // Not wherever the command happens to be started.
            assert_eq!(with(&[("XDG_CACHE_HOME", "relative")]), None);
        }
    }
}
