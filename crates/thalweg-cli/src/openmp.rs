//! How long OpenMP's threads spin while they wait for each other.
//!
//! Suffixes are sorted by libsais, in thousands of short parallel steps. GNU's OpenMP lets the threads that wait for a step
//! to end spin for some milliseconds, which is right if every thread has a core of its own. On a machine whose two cores
//! were busy with other work too, 64 MB took 47 s instead of 2.7; with `SPINS` they took 8.4 s, and still 2.5 s alone.
//! (Never spinning, 4.9 and 3.3 s.)
//!
//! The runtime reads the number from the environment when it is loaded, before the first line of `main`. So the command
//! starts itself once more with the variable set, unless the user has said something about waiting.

/// Turns of the waiting loop.
#[cfg(target_os = "linux")]
const SPINS: &str = "1000";

/// Makes sure that the variable is set, by starting again if it is not. Where that fails, all stays as it is.
#[cfg(target_os = "linux")]
pub fn wait_patiently() {
    use std::env;
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    const SPIN_COUNT: &str = "GOMP_SPINCOUNT";
    if [SPIN_COUNT, "OMP_WAIT_POLICY"].iter().any(|key| env::var_os(key).is_some()) {
        return;
    }
    let (Ok(program), mut arguments) = (env::current_exe(), env::args_os()) else { return };
    let mut command = Command::new(program);
    if let Some(name) = arguments.next() {
        command.arg0(name);
    }
    // Same process, same files; returns only if the system refuses.
    let _ = command.args(arguments).env(SPIN_COUNT, SPINS).exec();
}

/// Elsewhere libsais is built without OpenMP.
#[cfg(not(target_os = "linux"))]
pub fn wait_patiently() {}
