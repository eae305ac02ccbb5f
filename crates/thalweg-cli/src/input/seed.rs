//! The seed of what is generated, where several things may be: it is refused if none is.

use crate::failure::{Failure, Outcome};

/// The seed
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct SeedArgs {
    /// Seed of everything that is generated [default: 7]
    #[arg(long)]
    seed: Option<u64>,
}

impl From<u64> for SeedArgs {
    fn from(seed: u64) -> Self {
        Self { seed: Some(seed) }
    }
}

impl SeedArgs {
    /// What it is.
    pub fn get(self) -> u64 {
        self.seed.unwrap_or(7)
    }

    /// Fails if it was given and nothing is left that it bears upon: `inputs` are the options whose files are all there is.
    /// Conflicts, as the parser knows them, are with one option, not with several together.
    pub fn refuse_if(self, all_given: bool, inputs: &str) -> Outcome {
        if self.seed.is_some() && all_given {
            return Err(Failure::at("--seed", format_args!("cannot be used with {inputs}: nothing is generated")));
        }
        Ok(())
    }
}
