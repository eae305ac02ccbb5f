//! The library's errors as exceptions of Python: see `python/thalweg/_errors.py`.

use pyo3::prelude::*;
use pyo3::types::PyType;
use thalweg::Error;

/// An exception of the package's own, by its class.
fn raise(class: &str, message: &str, place: Option<(&str, usize)>) -> PyErr {
    let make = |py: Python<'_>| {
        let class = py.import("thalweg._errors")?.getattr(class)?.cast_into::<PyType>()?;
        let error = class.call1((message,))?;
        if let Some((name, value)) = place {
            error.setattr(name, value)?;
        }
        Ok(PyErr::from_value(error))
    };
    Python::attach(|py| make(py).unwrap_or_else(|error| error))
}

/// A `DtypeError`.
pub fn bad_type(message: impl AsRef<str>) -> PyErr {
    raise("DtypeError", message.as_ref(), None)
}

/// An `InputError`.
pub fn bad_input(message: impl AsRef<str>) -> PyErr {
    raise("InputError", message.as_ref(), None)
}

/// An `InputError` that names the element.
pub fn bad_element(element: usize, message: impl AsRef<str>) -> PyErr {
    raise("InputError", message.as_ref(), Some(("element", element)))
}

/// A `DeviceError`.
pub fn bad_device(message: impl AsRef<str>) -> PyErr {
    raise("DeviceError", message.as_ref(), None)
}

/// A `QueryError`.
pub fn bad_query(row: Option<usize>, message: impl AsRef<str>) -> PyErr {
    raise("QueryError", message.as_ref(), row.map(|row| ("row", row)))
}

/// An `Error` that is nobody's fault but ours: a panic.
pub fn internal(message: &str) -> PyErr {
    raise("Error", &format!("internal error, please report it: {message}"), None)
}

/// The exception for an error of the library.
pub fn to_python(error: Error) -> PyErr {
    let message = error.to_string();
    let (class, place) = match place(&error) {
        Some(("row", row)) => ("QueryError", Some(("row", row))),
        Some(place) => ("InputError", Some(place)),
        None => (class(&error), None),
    };
    raise(class, &message, place)
}

/// The place that an error names, and what it is.
fn place(error: &Error) -> Option<(&'static str, usize)> {
    match *error {
        Error::Query { row, .. } | Error::Node { row, .. } | Error::OffGrid { row, .. } | Error::Pair { row, .. } => {
            Some(("row", row))
        }
        Error::Link { element, .. }
        | Error::Cycle { element, .. }
        | Error::Join { element, .. }
        | Error::Overflow { element, .. } => Some(("element", element)),
        Error::Edge { row, .. }
        | Error::Change { row, .. }
        | Error::NotFinite { row, .. }
        | Error::Segment { row, .. }
        | Error::Cell { row, .. } => Some(("element", row)),
        _ => None,
    }
}

fn class(error: &Error) -> &'static str {
    use std::io::ErrorKind;
    match error {
        Error::OutOfMemory { .. } => "OutOfMemoryError",
        Error::Device(_) | Error::NotOnDevice { .. } => "DeviceError",
        Error::Io { kind: ErrorKind::NotFound, .. } => "MissingFileError",
        Error::Io { .. } => "FileError",
        Error::InFile { error, .. } => match &**error {
            Error::Io { .. } | Error::OutOfMemory { .. } => class(error),
            _ => "FormatError",
        },
        Error::Library { .. } => "Error",
        _ => "InputError",
    }
}

/// Results of the library as results for Python.
pub trait OrRaise<T> {
    /// Raises the error, if it is one.
    fn or_raise(self) -> PyResult<T>;
}

impl<T> OrRaise<T> for thalweg::Result<T> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(to_python)
    }
}
