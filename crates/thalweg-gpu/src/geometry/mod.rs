//! Points and segments on the device.
//!
//! | problem | what it finds | engines |
//! |---|---|---|
//! | [`hull`] | the convex hull of points | `slabs`, `wagener` |
//! | [`envelope`] | the lowest of segments at every place of a grid | `raster` |

pub mod envelope;
pub mod hull;
