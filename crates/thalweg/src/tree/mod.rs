//! Forests.
