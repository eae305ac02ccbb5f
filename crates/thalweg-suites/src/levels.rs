//! Every instruction set that the machine has, one after the other.

use std::sync::{Condvar, Mutex};

use thalweg_core::simd::{Level, set_level};

/// Who runs at which level. Tests at the same level run side by side, others wait.
struct Turn {
    level: Option<Level>,
    running: usize,
}

static TURN: Mutex<Turn> = Mutex::new(Turn { level: None, running: 0 });
static CHANGED: Condvar = Condvar::new();

/// Gives the level back, also when a test panics.
struct Running;

impl Drop for Running {
    fn drop(&mut self) {
        let mut turn = TURN.lock().unwrap_or_else(|e| e.into_inner());
        turn.running -= 1;
        if turn.running == 0 {
            turn.level = None;
            set_level(Level::best()).expect("the best level is there");
            CHANGED.notify_all();
        }
    }
}

fn run_at(level: Level) -> Running {
    let mut turn = TURN.lock().unwrap_or_else(|e| e.into_inner());
    while turn.level.is_some_and(|current| current != level) {
        turn = CHANGED.wait(turn).unwrap_or_else(|e| e.into_inner());
    }
    if turn.level.is_none() {
        set_level(level).expect("an available level");
        turn.level = Some(level);
        // Others may wait for the same level.
        CHANGED.notify_all();
    }
    turn.running += 1;
    Running
}

/// Runs a test once at every level of instructions that this machine has. Other tests of the process may run at the same
/// time, at that level.
pub fn at_every_level(test: impl Fn()) {
    let levels = Level::available();
    let first = if crate::is_quick() { levels.len() - 1 } else { 0 };
    for &level in &levels[first..] {
        let _running = run_at(level);
        assert_eq!(thalweg_core::simd::level(), level);
        test();
    }
}

/// Calls a macro for key types, inside [`at_every_level`]: for all of them at the best level; below it for one of every
/// width, signed and unsigned, and for both floats, by which every kernel has run.
#[macro_export]
macro_rules! for_keys_of_level {
    ($m:ident) => {
        if thalweg_core::simd::level() == thalweg_core::simd::Level::best() {
            thalweg_core::for_each_key!($m);
        } else {
            $m!(i8);
            $m!(u16);
            $m!(i32);
            $m!(u64);
            $m!(f32);
            $m!(f64);
        }
    };
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn every_level_runs_once_and_panics_give_it_back() {
        let seen = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| at_every_level(|| seen.lock().unwrap().push(thalweg_core::simd::level())));
            }
        });
        for &level in Level::available() {
            assert_eq!(seen.lock().unwrap().iter().filter(|&&l| l == level).count(), 3, "{level:?}");
        }
        assert!(std::panic::catch_unwind(|| at_every_level(|| panic!("a test fails"))).is_err());
        at_every_level(|| {});
    }
}
