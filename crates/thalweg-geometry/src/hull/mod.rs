//! Convex hulls of points in the plane.
