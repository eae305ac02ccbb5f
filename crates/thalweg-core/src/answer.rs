//! Which device and engine answered, and why.

use std::fmt;
use std::ops::{Deref, DerefMut};

/// Which device and engine answered, and why these.
///
/// ```
/// let chosen = thalweg_core::Chosen::on_cpu("lines", "the default");
/// assert_eq!(chosen.to_string(), "lines on the CPU: the default");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Chosen {
    device: Option<String>,
    engine: &'static str,
    reason: String,
}

impl Chosen {
    /// An engine on the CPU.
    pub fn on_cpu(engine: &'static str, reason: impl Into<String>) -> Self {
        Self { device: None, engine, reason: reason.into() }
    }

    /// An engine on another device, by the adapter's name.
    pub fn on_device(device: impl Into<String>, engine: &'static str, reason: impl Into<String>) -> Self {
        Self { device: Some(device.into()), engine, reason: reason.into() }
    }

    /// The same device and reason, with an engine that is known only afterwards.
    pub fn with_engine(self, engine: &'static str) -> Self {
        Self { engine, ..self }
    }

    /// The same device and engine, with something to add to the reason.
    pub fn with_remark(self, remark: &str) -> Self {
        Self { reason: format!("{}; {remark}", self.reason), ..self }
    }

    /// Name of the engine.
    pub fn engine(&self) -> &'static str {
        self.engine
    }

    /// The adapter's name, or `cpu`.
    pub fn device(&self) -> &str {
        self.device.as_deref().unwrap_or("cpu")
    }

    /// Whether the CPU answered.
    pub fn is_cpu(&self) -> bool {
        self.device.is_none()
    }

    /// Why this device and engine.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for Chosen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let device = self.device.as_deref().unwrap_or("the CPU");
        write!(f, "{} on {device}: {}", self.engine, self.reason)
    }
}

/// A result, and which device and engine it is from.
///
/// It can be used like the result itself; [`Answer::into_inner`] gives it away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer<T> {
    value: T,
    chosen: Chosen,
}

impl<T> Answer<T> {
    /// A result with its origin.
    pub fn new(value: T, chosen: Chosen) -> Self {
        Self { value, chosen }
    }

    /// Which device and engine answered, and why.
    pub fn chosen(&self) -> &Chosen {
        &self.chosen
    }

    /// The result alone.
    pub fn into_inner(self) -> T {
        self.value
    }

    /// The result and its origin.
    pub fn into_parts(self) -> (T, Chosen) {
        (self.value, self.chosen)
    }

    /// Something made of the result, from the same origin.
    pub fn map<U>(self, make: impl FnOnce(T) -> U) -> Answer<U> {
        Answer { value: make(self.value), chosen: self.chosen }
    }
}

impl<T> Deref for Answer<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Answer<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}
