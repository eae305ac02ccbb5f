//! What is going on, on stderr: a spinner or a bar where somebody watches, and with `--verbose` a line for each
//! decision. And how long every stage took.

use std::fmt;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::memory;
use crate::numbers::Bytes;

/// The current stage of the work. Nothing is drawn unless stderr is a terminal, and nothing stays.
pub struct Progress {
    bar: ProgressBar,
    verbose: bool,
    watch: Mutex<Watch>,
}

/// The stages so far, in the order in which they came up, and how long each took in all.
struct Watch {
    started: Instant,
    /// The stage that is going on, and since when.
    current: Option<(&'static str, Instant)>,
    spent: Vec<(&'static str, Duration)>,
}

impl Watch {
    fn enter(&mut self, name: Option<&'static str>) {
        let now = Instant::now();
        if let Some((name, since)) = self.current.take() {
            match self.spent.iter_mut().find(|(other, _)| *other == name) {
                Some((_, spent)) => *spent += now - since,
                None => self.spent.push((name, now - since)),
            }
        }
        self.current = name.map(|name| (name, now));
    }
}

impl Progress {
    /// No stage yet.
    pub fn new(verbose: bool) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        // The ticking thread is of no use where nothing is drawn.
        if !bar.is_hidden() {
            bar.enable_steady_tick(Duration::from_millis(100));
        }
        let watch = Mutex::new(Watch { started: Instant::now(), current: None, spent: Vec::new() });
        Self { bar, verbose, watch }
    }

    /// Enters a stage of unknown length.
    pub fn stage(&self, name: &'static str) {
        self.style("{spinner} {msg} {elapsed}", name);
        self.bar.unset_length();
    }

    /// Enters a stage of `len` steps; [`Progress::advance`] counts them.
    pub fn steps(&self, name: &'static str, len: usize) {
        self.style("{spinner} {msg} {wide_bar} {human_pos}/{human_len} {eta}", name);
        self.bar.set_length(len as u64);
    }

    fn style(&self, template: &str, name: &'static str) {
        self.bar.reset();
        self.bar.set_style(ProgressStyle::with_template(template).expect("the templates are constants"));
        self.bar.set_message(name);
        self.watch().enter(Some(name));
    }

    fn watch(&self) -> std::sync::MutexGuard<'_, Watch> {
        self.watch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How long it is since the beginning, and how long each stage took, the present one up to now.
    pub fn times(&self) -> (Duration, Vec<(&'static str, Duration)>) {
        let mut watch = self.watch();
        let current = watch.current.map(|(name, _)| name);
        watch.enter(current);
        (watch.started.elapsed(), watch.spent.clone())
    }

    /// Some steps are done.
    pub fn advance(&self, steps: usize) {
        self.bar.inc(steps as u64);
    }

    /// With `--verbose`: a line on stderr.
    pub fn say(&self, text: impl fmt::Display) {
        if self.verbose {
            self.bar.suspend(|| {
                // Not `eprintln`, which panics when stderr is closed.
                let _ = writeln!(io::stderr(), "{text}");
            });
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bytes) = memory::peak().filter(|_| self.verbose) {
            self.say(format_args!("memory: {} at the peak", Bytes(bytes)));
        }
        self.bar.finish_and_clear();
    }
}
