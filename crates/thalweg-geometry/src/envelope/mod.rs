//! Lower and upper envelopes of segments in the plane.
