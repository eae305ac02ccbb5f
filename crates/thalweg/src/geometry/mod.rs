//! Points and segments in the plane, on any device: exact convex hulls and envelopes.

pub mod envelope;
pub mod hull;

pub use thalweg_geometry::Coordinate;
