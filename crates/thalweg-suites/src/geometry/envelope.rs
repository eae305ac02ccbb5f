//! The conformance suite of envelopes.
