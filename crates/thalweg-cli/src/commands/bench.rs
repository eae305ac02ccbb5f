//! `thalweg bench`: starts the program `thalweg-bench`.
//!
//! The benchmarks are a program of their own, because they bring other crates to compare with, which nobody needs to answer
//! a query. As git and cargo do with their subcommands, it is looked for beside this executable and then on PATH, gets all
//! arguments as they are, and its exit code is ours.

use std::env::{self, consts::EXE_SUFFIX};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::output;

/// Time the engines, and with --peers other crates, on the same data
///
/// Starts the program `thalweg-bench`, beside this one or on PATH, with all arguments.
#[derive(clap::Args)]
#[command(
    disable_help_flag = true,
    after_help = format!("The benchmarks are a program of their own. {HOW}")
)]
pub struct Args {
    /// What it is asked for: a problem and options; `thalweg bench --help` shows them, where it is installed
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    arguments: Vec<OsString>,
}

/// The program's name, without the system's suffix.
const PROGRAM: &str = "thalweg-bench";

/// How to come by it.
const HOW: &str =
    "To install it: cargo install thalweg-bench; in a checkout: cargo run --release -p thalweg-bench -- ...";

/// Runs the program. `cli` is the parser, which knows the help to show if there is no program to show its own.
pub fn run(args: Args, cli: &mut clap::Command) -> Outcome {
    let name = format!("{PROGRAM}{EXE_SUFFIX}");
    match find(&name) {
        Some(program) => start(&program, &args.arguments),
        None if wants_help(&args.arguments) => {
            // So that the usage names the whole command.
            cli.build();
            let bench = cli.find_subcommand_mut("bench").expect("it is this one");
            output::print(&bench.render_long_help().to_string(), false)
        }
        None => Err(Failure::new(format_args!("{name} is neither beside this program nor on PATH. {HOW}"))),
    }
}

fn wants_help(arguments: &[OsString]) -> bool {
    arguments.first().is_some_and(|first| first == "help")
        || arguments.iter().any(|argument| argument == "--help" || argument == "-h")
}

/// Looks beside this executable, then on PATH.
fn find(name: &str) -> Option<PathBuf> {
    let beside = env::current_exe().ok().and_then(|exe| Some(exe.parent()?.to_owned()));
    let path = env::var_os("PATH").unwrap_or_default();
    // An empty entry of PATH is the working folder for a shell. What happens to lie there is not started.
    let on_path = env::split_paths(&path).filter(|folder| !folder.as_os_str().is_empty());
    beside.into_iter().chain(on_path).map(|folder| folder.join(name)).find(|file| is_program(file))
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}

/// Becomes the program: signals reach it, and its exit code is its own. Returns only if the system refuses.
#[cfg(unix)]
fn start(program: &Path, arguments: &[OsString]) -> Outcome {
    use std::os::unix::process::CommandExt;
    let error = Command::new(program).args(arguments).exec();
    Err(Failure::io(program.display(), &error))
}

/// Waits for the program, and ends with its exit code.
#[cfg(not(unix))]
fn start(program: &Path, arguments: &[OsString]) -> Outcome {
    let status = Command::new(program).args(arguments).status().map_err(|e| Failure::io(program.display(), &e))?;
    std::process::exit(status.code().unwrap_or(2))
}
