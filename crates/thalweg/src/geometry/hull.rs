//! Convex hulls of points, on any device.
