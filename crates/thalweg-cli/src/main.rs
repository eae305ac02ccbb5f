//! The command `thalweg`.

mod commands;
#[cfg(test)]
mod vocabulary;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::Shell;
use thalweg_cli::allocator::Allocator;
use thalweg_cli::device;
use thalweg_cli::ending;
use thalweg_cli::failure::{EXIT_CODES, Outcome};
use thalweg_cli::format;
use thalweg_cli::instruction_set;
use thalweg_cli::kernels;
use thalweg_cli::memory;
use thalweg_cli::openmp::with_openmp;
use thalweg_cli::output;

use commands::fourier::{convolve, transform};
use commands::in_order::{below, smallest};
use commands::text::{lce, lrs, lz77, sa, search, unlz77};
use commands::{
    ansv, bench, blur, build, cartesian, envelope, forest, generate, hull, info, inspect, lca, matching, path, query,
    rank, rmq, subtree, sudoku, tree, view, window,
};

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

/// Range minima, nearest smaller values, lists, trees, texts, points, segments, maps, graphs, puzzles, signals and pictures at the speed of memory.
#[derive(Parser)]
#[command(name = "thalweg", version, max_term_width = 100, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Rmq(rmq::Args),
    Build(build::Args),
    Query(query::Args),
    Smallest(smallest::Args),
    Below(below::Args),
    Inspect(inspect::Args),
    Ansv(ansv::Args),
    Window(window::Args),
    Rank(rank::Args),
    Forest(forest::Args),
    Lca(lca::Args),
    Subtree(subtree::Args),
    Cartesian(cartesian::Args),
    Hull(hull::Args),
    Envelope(envelope::Args),
    Path(path::Args),
    Fft(transform::FftArgs),
    Ifft(transform::IfftArgs),
    Convolve(convolve::Args),
    Blur(blur::Args),
    Matching(matching::Args),
    Sudoku(sudoku::Args),
    Sa(sa::Args),
    Lce(lce::Args),
    Lz77(lz77::Args),
    Unlz77(unlz77::Args),
    Search(search::Args),
    Lrs(lrs::Args),
    Gen(generate::Args),
    Bench(bench::Args),
    View(view::Args),
    Info(info::Args),
    /// Print a shell's completion script
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print every command and its options as JSON, one command a line
    #[command(hide = true)]
    Commands,
}

fn main() -> ExitCode {
    ending::watch("thalweg");
    memory::save_address_space();
    let command = Cli::parse_from(format::with_standard(std::env::args_os())).command;
    kernels::keep();
    let done = instruction_set::from_environment().and_then(|()| run(command));
    device::settle();
    kernels::save();
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report("thalweg"),
    }
}

fn run(command: Command) -> Outcome {
    match command {
        Command::Rmq(args) => rmq::run(args),
        Command::Build(args) => build::run(args),
        Command::Query(args) => query::run(args),
        Command::Smallest(args) => smallest::run(args),
        Command::Below(args) => below::run(args),
        Command::Inspect(args) => inspect::run(args),
        Command::Ansv(args) => ansv::run(args),
        Command::Window(args) => window::run(args),
        Command::Rank(args) => rank::run(args),
        Command::Forest(args) => forest::run(args),
        Command::Lca(args) => lca::run(args),
        Command::Subtree(args) => subtree::run(args),
        Command::Cartesian(args) => cartesian::run(args),
        Command::Hull(args) => hull::run(args),
        Command::Envelope(args) => envelope::run(args),
        Command::Path(args) => path::run(args),
        Command::Fft(args) => transform::fft(args),
        Command::Ifft(args) => transform::ifft(args),
        Command::Convolve(args) => convolve::run(args),
        Command::Blur(args) => blur::run(args),
        Command::Matching(args) => matching::run(args),
        Command::Sudoku(args) => sudoku::run(args),
        Command::Sa(args) => with_openmp(sa::run, args),
        Command::Lce(args) => with_openmp(lce::run, args),
        Command::Lz77(args) => with_openmp(lz77::run, args),
        Command::Unlz77(args) => unlz77::run(args),
        Command::Search(args) => search::run(args),
        Command::Lrs(args) => with_openmp(lrs::run, args),
        Command::Gen(args) => generate::run(args),
        Command::Bench(args) => bench::run(args, &mut Cli::command()),
        Command::View(args) => view::run(args),
        Command::Info(args) => info::run(args),
        Command::Completions { shell } => completions(shell),
        Command::Commands => tree::run(Cli::command()),
    }
}

/// Prints the script. Made in memory first: the generator itself panics when stdout is closed.
fn completions(shell: Shell) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "thalweg", &mut script);
    output::print(&String::from_utf8_lossy(&script), false)
}
