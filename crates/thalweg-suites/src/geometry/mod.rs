//! The conformance suites of points and segments.

pub mod envelope;
pub mod hull;
mod hull_cases;
