//! Devices by their names.

use std::collections::HashMap;
use std::sync::Mutex;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use thalweg::Device;

use crate::errors::{OrRaise, bad_device};
use crate::work::{self, Threads};

/// The GPUs that were asked for by name, open.
static OPEN: Mutex<Option<HashMap<String, Device>>> = Mutex::new(None);

/// The device of that name: `auto`, `cpu`, `gpu`, or an adapter's name or number. It is opened once.
pub fn device(py: Python<'_>, name: &str) -> PyResult<Device> {
    let name = name.trim().to_ascii_lowercase();
    let forked = work::is_forked(py);
    match name.as_str() {
        "cpu" => return Ok(Device::Cpu),
        // Which would find a GPU that the parent had opened.
        "auto" if forked => return Ok(Device::Cpu),
        "auto" => return Ok(Device::Auto),
        _ if forked => return Err(in_a_child()),
        _ => {}
    }
    work::call(py, Threads::All, move |_| {
        let mut open = OPEN.lock().unwrap_or_else(|e| e.into_inner());
        let open = open.get_or_insert_default();
        #[cfg(feature = "gpu")]
        open.retain(|_, device| device.gpu().is_some_and(|gpu| gpu.is_alive()));
        if let Some(device) = open.get(&name) {
            return Ok(device.clone());
        }
        let device: Device = name.parse()?;
        open.insert(name, device.clone());
        Ok(device)
    })
}

/// Why a GPU does not work here.
fn in_a_child() -> PyErr {
    bad_device(
        "device: a GPU cannot be used in a process that os.fork() has made, whose driver is the parent's; start it with \
         multiprocessing.get_context('spawn')",
    )
}

/// Refuses work on what was built on a GPU, in a process that was forked since.
pub fn expect_usable(py: Python<'_>, chosen: &thalweg::Chosen) -> PyResult<()> {
    if !chosen.is_cpu() && work::is_forked(py) { Err(in_a_child()) } else { Ok(()) }
}

/// The GPUs of this machine, the best first, by the names that `device=` takes.
///
/// >>> import thalweg
/// >>> all({"name", "backend", "kind"} <= set(gpu) for gpu in thalweg.devices())
/// True
#[pyfunction]
pub fn devices(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    if work::is_forked(py) {
        return Err(in_a_child());
    }
    let list = PyList::empty(py);
    #[cfg(feature = "gpu")]
    for adapter in work::call(py, Threads::All, |_| Ok(thalweg::gpu::adapters()))? {
        let entry = PyDict::new(py);
        entry.set_item("name", adapter.name.clone())?;
        entry.set_item("backend", adapter.backend.to_lowercase())?;
        entry.set_item("kind", format!("{:?}", adapter.kind).to_lowercase())?;
        list.append(entry)?;
    }
    Ok(list)
}

/// What this build is and how it runs: version, threads, instruction set, whether it has GPUs.
///
/// >>> import thalweg
/// >>> thalweg.info()["version"] == thalweg.__version__
/// True
#[pyfunction]
pub fn info(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let info = PyDict::new(py);
    info.set_item("version", env!("CARGO_PKG_VERSION"))?;
    info.set_item("threads", work::threads(py)?)?;
    info.set_item("simd", thalweg::simd_level())?;
    info.set_item("gpu", cfg!(feature = "gpu"))?;
    Ok(info)
}

/// An option's value by its name, in any case, with `-` or `_`.
pub fn named<T: Copy>(option: &str, name: &str, known: &[(&str, T)]) -> PyResult<T> {
    let wanted = name.trim().to_ascii_lowercase().replace('-', "_");
    let found = known.iter().find(|(known, _)| *known == wanted);
    found.map(|&(_, value)| value).ok_or_else(|| {
        let known: Vec<_> = known.iter().map(|(known, _)| format!("'{known}'")).collect();
        crate::errors::bad_input(format!("{option}: '{name}' is none of {}", known.join(", ")))
    })
}

/// An engine by its name, where one was asked for.
pub fn engine<E>(name: Option<&str>) -> PyResult<Option<E>>
where
    E: std::str::FromStr<Err = thalweg::Error>,
{
    name.map(|name| name.parse().or_raise()).transpose()
}
