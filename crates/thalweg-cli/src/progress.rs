//! What is going on, on stderr: a spinner or a bar where somebody watches, and with `--verbose` a line for each
//! decision.

use std::fmt;
use std::io::{self, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::memory;
use crate::numbers::Bytes;

/// The current stage of the work. Nothing is drawn unless stderr is a terminal, and nothing stays.
pub struct Progress {
    bar: ProgressBar,
    verbose: bool,
}

impl Progress {
    /// No stage yet.
    pub fn new(verbose: bool) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        // The ticking thread is of no use where nothing is drawn.
        if !bar.is_hidden() {
            bar.enable_steady_tick(Duration::from_millis(100));
        }
        Self { bar, verbose }
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
