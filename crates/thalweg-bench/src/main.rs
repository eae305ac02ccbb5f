//! The program `thalweg-bench`: our engines and their peers on the same data, every answer checked.
//!
//! A file for every problem ([`rmq`], [`changing`], [`in_order`], [`ansv`], [`window`], [`list`], [`tree`], [`text`], [`primitives`], [`geometry`], [`graph`],
//! [`sudoku`], [`mod@fft`], [`mod@convolve`], [`mod@blur`], [`exact`]) times the CPU's engines, one of the same name in
//! [`gpu`] those on a GPU. Both stand on what all have in common ([`mod@bench`], [`timing`], [`table`], [`report`],
//! [`plot`]), on what is asked ([`cases`]) and on what is right ([`check`], [`walks`]).

mod ansv;
mod bench;
mod blur;
mod cases;
mod changing;
mod check;
mod columns;
mod convolve;
mod exact;
mod fft;
mod geometry;
#[cfg(feature = "gpu")]
mod gpu;
mod graph;
mod in_order;
mod list;
mod peers;
mod plot;
mod primitives;
mod report;
mod rmq;
mod sudoku;
mod table;
mod text;
mod texts;
mod timing;
mod tree;
mod walks;
mod window;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Time the engines of Thalweg, and with --peers other crates, on the same data; every answer is checked
#[derive(Parser)]
#[command(name = "thalweg-bench", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    problem: Problem,
}

#[derive(Subcommand)]
enum Problem {
    Rmq(rmq::Args),
    Changing(changing::Args),
    InOrder(in_order::Args),
    Ansv(ansv::Args),
    Window(window::Args),
    List(list::Args),
    Tree(tree::Args),
    Primitives(primitives::Args),
    Text(text::Args),
    Geometry(geometry::Args),
    Graph(graph::Args),
    Sudoku(sudoku::Args),
    Fft(fft::Args),
    Exact(exact::Args),
    Convolve(convolve::Args),
    Blur(blur::Args),
    #[cfg(feature = "gpu")]
    Paper(gpu::paper::Args),
    #[cfg(feature = "gpu")]
    Kernels(gpu::kernels::Args),
}

fn main() -> ExitCode {
    let done = match Cli::parse().problem {
        Problem::Rmq(args) => rmq::run(args),
        Problem::Changing(args) => changing::run(args),
        Problem::InOrder(args) => in_order::run(args),
        Problem::Ansv(args) => ansv::run(args),
        Problem::Window(args) => window::run(args),
        Problem::List(args) => list::run(args),
        Problem::Tree(args) => tree::run(args),
        Problem::Primitives(args) => primitives::run(args),
        Problem::Text(args) => text::run(args),
        Problem::Geometry(args) => geometry::run(args),
        Problem::Graph(args) => graph::run(args),
        Problem::Sudoku(args) => sudoku::run(args),
        Problem::Fft(args) => fft::run(args),
        Problem::Exact(args) => exact::run(args),
        Problem::Convolve(args) => convolve::run(args),
        Problem::Blur(args) => blur::run(args),
        #[cfg(feature = "gpu")]
        Problem::Paper(args) => gpu::paper::run(&args),
        #[cfg(feature = "gpu")]
        Problem::Kernels(args) => gpu::kernels::run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report("thalweg-bench"),
    }
}
