//! Points in the plane: spread out, on curves, on grids, and hostile to floating-point arithmetic.
