//! Lower and upper envelopes of segments, on any device.
