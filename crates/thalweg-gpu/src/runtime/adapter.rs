//! The adapters of this machine and the choice of one.

use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use thalweg_core::{DeviceErrorKind, Error, Result};

use super::driver;
use super::limits::Limits;

/// What kind of processor an adapter is, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Kind {
    /// A graphics card with memory of its own.
    Discrete,
    /// A part of the processor, sharing its memory.
    Integrated,
    /// A card seen through a virtual machine, or of unknown kind.
    Virtual,
    /// A renderer on the CPU, such as Mesa's lavapipe. Never chosen automatically.
    Software,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Discrete => "discrete",
            Self::Integrated => "integrated",
            Self::Virtual => "virtual",
            Self::Software => "software",
        })
    }
}

/// One adapter as [`adapters`] lists it.
#[derive(Clone, Debug)]
pub struct Adapter {
    /// Its place in the list.
    pub index: usize,
    /// Its name, as the driver gives it.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// The interface it is reached by: `vulkan`, `metal` or `dx12`.
    pub backend: String,
    /// The driver and its version.
    pub driver: String,
    /// What it can hold and do.
    pub limits: Limits,
    pub(crate) raw: wgpu::Adapter,
}

/// Which adapter to open.
///
/// ```
/// use thalweg_gpu::Choice;
/// assert_eq!("gpu".parse(), Ok::<_, thalweg_core::Error>(Choice::Auto));
/// assert_eq!("1".parse(), Ok::<_, thalweg_core::Error>(Choice::Index(1)));
/// assert_eq!("llvmpipe".parse(), Ok::<_, thalweg_core::Error>(Choice::Name("llvmpipe".into())));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// A discrete GPU before an integrated one; never a software renderer.
    #[default]
    Auto,
    /// The adapter at this place of [`adapters`].
    Index(usize),
    /// The adapter in whose name a word begins with this, in whatever case. There must be just one; where the name of one is
    /// this and nothing more, it is that one.
    Name(String),
}

impl FromStr for Choice {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let name = text.trim();
        // An unset variable must not choose a device.
        if name.is_empty() {
            return Err(Error::BadOption { option: "device", reason: "no name is given".into() });
        }
        Ok(match name.to_ascii_lowercase().as_str() {
            "auto" | "gpu" => Self::Auto,
            _ => name.parse().map_or_else(|_| Self::Name(name.into()), Self::Index),
        })
    }
}

/// All adapters that can compute, in the order of their indices.
pub fn adapters() -> Vec<Adapter> {
    let (instance, backends) = instance();
    let found = pollster::block_on(instance.enumerate_adapters(*backends));
    let usable = found.into_iter().filter(|a| a.get_info().backend != wgpu::Backend::Gl);
    usable
        .enumerate()
        .map(|(index, raw)| {
            let info = raw.get_info();
            let kind = match info.device_type {
                wgpu::DeviceType::DiscreteGpu => Kind::Discrete,
                wgpu::DeviceType::IntegratedGpu => Kind::Integrated,
                wgpu::DeviceType::Cpu => Kind::Software,
                wgpu::DeviceType::VirtualGpu | wgpu::DeviceType::Other => Kind::Virtual,
            };
            Adapter {
                index,
                name: info.name.clone(),
                kind,
                backend: info.backend.to_str().into(),
                driver: format!("{} {}", info.driver, info.driver_info).trim().into(),
                limits: Limits::of(&raw),
                raw,
            }
        })
        .collect()
}

/// Takes the adapter of `choice` out of the list.
pub(crate) fn choose(mut adapters: Vec<Adapter>, choice: &Choice) -> Result<Adapter> {
    let none = |message| Error::device(DeviceErrorKind::NoAdapter, message);
    let index = match choice {
        Choice::Auto => automatic(&adapters).ok_or_else(|| none(diagnosis(&adapters)))?,
        Choice::Index(index) if *index < adapters.len() => *index,
        Choice::Index(index) => {
            return Err(none(format!("there is no adapter {index}: {}", names(&adapters))));
        }
        Choice::Name(name) => match called(adapters.iter().map(|a| a.name.as_str()), name)[..] {
            [index] => index,
            [] => return Err(none(format!("no adapter is called '{name}': {}", names(&adapters)))),
            _ => return Err(none(format!("'{name}' is not one adapter alone: {}", names(&adapters)))),
        },
    };
    Ok(adapters.swap_remove(index))
}

/// Which of some names are meant: that which is this name, or else those in which a word begins with it.
fn called<'a>(names: impl Iterator<Item = &'a str>, wanted: &str) -> Vec<usize> {
    let wanted = wanted.to_lowercase();
    let names: Vec<String> = names.map(str::to_lowercase).collect();
    let all = |fits: &dyn Fn(&str) -> bool| (0..names.len()).filter(|&i| fits(&names[i])).collect::<Vec<_>>();
    let whole = all(&|name| name == wanted);
    if !whole.is_empty() {
        return whole;
    }
    all(&|name| {
        let mut found = name.match_indices(&wanted);
        found.any(|(at, _)| !name[..at].ends_with(char::is_alphanumeric))
    })
}

/// The adapter that [`Choice::Auto`] takes: the best kind, the first of them.
pub fn automatic(adapters: &[Adapter]) -> Option<usize> {
    let usable = adapters.iter().filter(|a| a.kind != Kind::Software && a.limits.subgroups);
    usable.min_by_key(|a| a.kind).map(|a| a.index)
}

/// One line that says which of these adapters [`Choice::Auto`] takes, or why none, and what helps.
pub fn diagnosis(adapters: &[Adapter]) -> String {
    if let Some(index) = automatic(adapters) {
        return format!("adapter {index}, {}", adapters[index].name);
    }
    let software = match adapters.iter().find(|a| a.kind == Kind::Software) {
        Some(a) => format!("; the software renderer is used only when asked for by name: {}", a.name),
        None => String::new(),
    };
    let why = if !driver::has_loader() {
        "the Vulkan loader libvulkan.so.1 is missing (Debian: libvulkan1)"
    } else if driver::present() {
        "an NVIDIA driver is here but Vulkan does not see it (install libEGL_nvidia.so.0 of the same version, and \
         libx11-6, libxext6, libxcb1)"
    } else if adapters.iter().any(|a| a.kind != Kind::Software) {
        "the GPUs here have no subgroup operations"
    } else {
        "no driver offers one"
    };
    format!("no GPU: {why}{software}")
}

fn names(adapters: &[Adapter]) -> String {
    if adapters.is_empty() {
        return diagnosis(adapters);
    }
    let list: Vec<String> = adapters.iter().map(|a| format!("{} is {}", a.index, a.name)).collect();
    format!("of those here, {}", list.join(", "))
}

/// The process's connection to the drivers, made once.
fn instance() -> &'static (wgpu::Instance, wgpu::Backends) {
    static INSTANCE: OnceLock<(wgpu::Instance, wgpu::Backends)> = OnceLock::new();
    INSTANCE.get_or_init(|| {
        let backends = wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12;
        let open = || {
            wgpu::Instance::new(wgpu::InstanceDescriptor {
                backends,
                flags: wgpu::InstanceFlags::empty(),
                ..wgpu::InstanceDescriptor::new_without_display_handle()
            })
        };
        driver::quieten();
        let instance = open();
        let has_nvidia = || {
            let found = pollster::block_on(instance.enumerate_adapters(backends));
            found.iter().any(|a| a.get_info().vendor == 0x10de)
        };
        let better = if driver::present() && !has_nvidia() { driver::with_headless_nvidia(open) } else { None };
        (better.unwrap_or(instance), backends)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_matched_by_their_words() {
        let adapters =
            ["NVIDIA H200", "Intel(R) Graphics (ADL GT2)", "llvmpipe (LLVM 15.0.7, 256 bits)", "NVIDIA H200 NVL"];
        let called = |wanted| called(adapters.into_iter(), wanted);
        for (wanted, meant) in [
            ("nvidia h200", &[0][..]),
            ("NVIDIA", &[0, 3]),
            ("nvl", &[3]),
            ("adl", &[1]),
            ("LLVM", &[2]),
            ("llvmp", &[2]),
            ("e", &[]),
            ("pipe", &[]),
            ("200", &[]),
        ] {
            assert_eq!(called(wanted), meant, "{wanted}");
        }
    }

    #[test]
    fn an_empty_name_is_no_choice() {
        for text in ["", " ", "\t"] {
            assert!(matches!(text.parse::<Choice>(), Err(Error::BadOption { option: "device", .. })), "{text:?}");
        }
        assert_eq!("GPU".parse(), Ok(Choice::Auto));
        assert_eq!(" 3 ".parse(), Ok(Choice::Index(3)));
    }
}
