//! Points and segments on the device.
//!
//! | problem | what it finds | engines |
//! |---|---|---|
//! | [`hull`] | the convex hull of points | `slabs`, `wagener` |

pub mod hull;
