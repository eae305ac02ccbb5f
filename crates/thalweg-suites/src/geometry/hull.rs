//! The conformance suite of convex hulls.
