//! The commands for texts, one file each, and what they share.

pub mod lce;
pub mod lrs;
pub mod lz77;
pub mod sa;
pub mod search;
pub mod unlz77;

use std::sync::Mutex;
use std::time::Instant;

use thalweg::text::Stage;
use thalweg_cli::progress::Progress;

use super::summary::{BareRunArgs, Summary};

/// The stages of a computation: shown while it runs, and how long they took.
struct Stages<'p> {
    progress: &'p Progress,
    marks: Mutex<Vec<(&'static str, Instant)>>,
}

impl<'p> Stages<'p> {
    fn new(progress: &'p Progress) -> Self {
        Self { progress, marks: Mutex::new(Vec::new()) }
    }

    /// A stage begins.
    fn enter(&self, stage: Stage) {
        self.enter_named(stage.name());
    }

    /// A stage of the command's own begins.
    fn enter_named(&self, name: &'static str) {
        self.progress.stage(name);
        self.marks.lock().expect("nobody panics meanwhile").push((name, Instant::now()));
    }

    /// All stages, in seconds.
    fn finish(self) -> Vec<(&'static str, f64)> {
        let marks = self.marks.into_inner().expect("nobody has panicked");
        let ends = marks.iter().skip(1).map(|&(_, time)| time).chain([Instant::now()]);
        marks.iter().zip(ends).map(|(&(name, start), end)| (name, (end - start).as_secs_f64())).collect()
    }
}
