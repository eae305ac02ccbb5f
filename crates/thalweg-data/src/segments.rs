//! Segments in the plane: crossing, nested, in stairs, through one point, overlapping.
