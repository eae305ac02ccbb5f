//! Checking a sample of the answers: what all commands share lies in the library.

pub use thalweg_cli::verify::{Oracle, Verified, VerifyArgs, checked, place};
