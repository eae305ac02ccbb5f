//! The variable `THALWEG_SIMD`, which lowers the instruction set for tests and measurements.

use thalweg_core::simd::{Level, set_level};

use crate::failure::{Failure, Outcome};

const VARIABLE: &str = "THALWEG_SIMD";
const NAMES: [(&str, Level); 3] = [("baseline", Level::Baseline), ("avx2", Level::Avx2), ("avx512", Level::Avx512)];

/// Does what the variable says, in any case; more than the machine has is what it has. Another value is a failure: who sets
/// it measures, and would measure something else.
pub fn from_environment() -> Outcome {
    let Some(wish) = std::env::var_os(VARIABLE).filter(|wish| !wish.is_empty()) else { return Ok(()) };
    match NAMES.iter().find(|(name, _)| wish.eq_ignore_ascii_case(name)) {
        Some(&(_, level)) => set_level(level.min(Level::best())).map_err(Failure::from),
        None => {
            let names = NAMES.map(|(name, _)| name).join(", ");
            Err(Failure::at(VARIABLE, format_args!("'{}': expected one of {names}", wish.display())))
        }
    }
}
