//! `thalweg gen`: arrays, queries, lists, forests, points, segments, graphs, maps, puzzles, signals, texts and a picture to try things on, the same
//! on every machine for the same seed.

use std::path::PathBuf;

use thalweg::Position;
use thalweg_cli::choice::one_of;
use thalweg_cli::dtype::{AnyType, DType, with_dtype};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::input::ndarray::NdArgs;
use thalweg_cli::input::{array, edges, links, maps, puzzles, queries, routes, rows};
use thalweg_cli::memory;
use thalweg_cli::numbers::parse_count;
use thalweg_cli::output::{self, Output};
use thalweg_cli::progress::Progress;
use thalweg_cli::raster::{Format, Samples};
use thalweg_data::marbles::SIZES;
use thalweg_data::{
    ArrayKind, ForestKind, GraphKind, GridKind, ListKind, PointKind, QueryKind, SegmentKind, SignalKind, SudokuKind,
    TextKind,
};

use super::{blur, threads};

/// Make an array, queries, a list, a forest, points, segments, a graph, a map, Sudokus, a signal, a text or a picture
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    Array(ArrayArgs),
    Queries(QueryArgs),
    List(ListArgs),
    Forest(ForestArgs),
    Points(PointArgs),
    Segments(SegmentArgs),
    Graph(GraphArgs),
    Grid(GridArgs),
    Routes(RouteArgs),
    Sudoku(SudokuArgs),
    Signal(SignalArgs),
    Picture(PictureArgs),
    Text(TextArgs),
}

/// Make an array
#[derive(clap::Args)]
struct ArrayArgs {
    /// Number of elements
    #[arg(long, value_parser = parse_count, default_value = "2^24")]
    n: usize,

    /// What it looks like
    #[arg(long, value_parser = one_of(ArrayKind::ALL, ArrayKind::name), default_value = "random")]
    kind: ArrayKind,

    /// Type of the elements: f32, float32 or <f4
    #[arg(long, value_name = "TYPE", value_parser = DType::from_option, default_value = "f32")]
    dtype: DType,

    #[command(flatten)]
    common: CommonArgs,
}

/// Make ranges to ask for: int64 of shape (q, 2)
#[derive(clap::Args)]
struct QueryArgs {
    /// Number of elements of the array that they are for
    #[arg(long, value_parser = parse_count, default_value = "2^24")]
    n: usize,

    /// Number of ranges
    #[arg(long, value_parser = parse_count, default_value = "2^20")]
    count: usize,

    /// How long they are
    #[arg(long, value_parser = one_of(QueryKind::ALL, QueryKind::name), default_value = "mixed")]
    kind: QueryKind,

    #[command(flatten)]
    common: CommonArgs,
}

/// Make linked lists: the successor of every element, int64; the last of a list has -1 or itself
#[derive(clap::Args)]
struct ListArgs {
    /// Number of elements
    #[arg(long, value_parser = parse_count, default_value = "2^22")]
    n: usize,

    /// What they look like
    #[arg(long, value_parser = one_of(ListKind::ALL, ListKind::name), default_value = "random")]
    kind: ListKind,

    #[command(flatten)]
    common: CommonArgs,
}

/// Make a forest: the parent of every node, int64; a root has -1 or itself
#[derive(clap::Args)]
struct ForestArgs {
    /// Number of nodes
    #[arg(long, value_parser = parse_count, default_value = "2^22")]
    n: usize,

    /// What it looks like
    #[arg(long, value_parser = one_of(ForestKind::ALL, ForestKind::name), default_value = "random")]
    kind: ForestKind,

    /// Number the nodes at random, instead of parents first
    #[arg(long)]
    shuffle: bool,

    #[command(flatten)]
    common: CommonArgs,
}

/// Make points in the plane: shape (n, 2)
#[derive(clap::Args)]
struct PointArgs {
    /// Number of points
    #[arg(long, value_parser = parse_count, default_value = "2^22")]
    n: usize,

    /// What they look like
    #[arg(long, value_parser = one_of(PointKind::ALL, PointKind::name), default_value = "disk")]
    kind: PointKind,

    /// Type of the coordinates: f64, float64 or <f8
    #[arg(long, value_name = "TYPE", value_parser = DType::from_option, default_value = "f64")]
    dtype: DType,

    #[command(flatten)]
    common: CommonArgs,
}

/// Make segments in the plane: shape (n, 4), x1, y1, x2, y2
#[derive(clap::Args)]
struct SegmentArgs {
    /// Number of segments
    #[arg(long, value_parser = parse_count, default_value = "2^20")]
    n: usize,

    /// What they look like
    #[arg(long, value_parser = one_of(SegmentKind::ALL, SegmentKind::name), default_value = "crossing")]
    kind: SegmentKind,

    /// Type of the coordinates: i32, int32 or <i4
    #[arg(long, value_name = "TYPE", value_parser = DType::from_option, default_value = "i32")]
    dtype: DType,

    #[command(flatten)]
    common: CommonArgs,
}

/// Make an undirected graph: its edges, int64 of shape (m, 2)
#[derive(clap::Args)]
struct GraphArgs {
    /// Number of vertices
    #[arg(long, value_parser = parse_count, default_value = "2^20")]
    n: usize,

    /// Number of edges, of kinds whose shape does not tell (default: 5 a vertex)
    #[arg(long, value_name = "M", value_parser = parse_count)]
    edges: Option<usize>,

    /// What it looks like
    #[arg(long, value_parser = one_of(GraphKind::ALL, GraphKind::name), default_value = "random")]
    kind: GraphKind,

    /// Number the vertices at random
    #[arg(long)]
    shuffle: bool,

    #[command(flatten)]
    common: CommonArgs,
}

/// Make a map for paths: shape (rows, columns); uint8, 1 for walls, or costs
#[derive(clap::Args)]
struct GridArgs {
    /// Number of rows
    #[arg(long, value_parser = parse_count, default_value = "2048")]
    rows: usize,

    /// Number of columns
    #[arg(long, value_parser = parse_count, default_value = "2048")]
    cols: usize,

    /// What it looks like
    #[arg(long, value_parser = one_of(GridKind::ALL, GridKind::name), default_value = "random")]
    kind: GridKind,

    /// Walls of kind random, in percent [default: 20]
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u32).range(0..=100))]
    walls: Option<u32>,

    /// Make costs from 1 to 9, uint32, with 0 for walls
    #[arg(long)]
    costs: bool,

    #[command(flatten)]
    common: CommonArgs,
}

/// Make queries for a map: starts and goals that are free, int64 of shape (q, 4)
#[derive(clap::Args)]
struct RouteArgs {
    /// The map: .npy or .map
    #[arg(long, value_name = "FILE")]
    grid: PathBuf,

    /// The numbers of the .npy are costs, 0 for walls
    #[arg(long)]
    costs: bool,

    /// Number of queries
    #[arg(long, value_parser = parse_count, default_value = "1000")]
    count: usize,

    #[command(flatten)]
    common: CommonArgs,
}

/// Make Sudokus: lines of text, or bytes of shape (n, 81) if the name ends in .npy (`thalweg sudoku --gen` makes others)
#[derive(clap::Args)]
struct SudokuArgs {
    /// Number of puzzles
    #[arg(long, value_parser = parse_count, default_value = "2^20")]
    n: usize,

    /// What they are like
    #[arg(long, value_parser = one_of(SudokuKind::ALL, SudokuKind::name), default_value = "seventeen")]
    kind: SudokuKind,

    #[command(flatten)]
    common: CommonArgs,
}

/// Make a signal to transform, of one to three dimensions
#[derive(clap::Args)]
struct SignalArgs {
    /// Its sizes: 2^20, or 480,640
    #[arg(long, value_name = "SIZES", value_parser = parse_count, value_delimiter = ',', default_value = "2^20")]
    shape: Vec<usize>,

    /// What it looks like
    #[arg(long, value_parser = one_of(SignalKind::ALL, SignalKind::name), default_value = "noise")]
    kind: SignalKind,

    /// Type of the elements: c64, c128, or f32, f64 for the real parts
    #[arg(long, value_name = "TYPE", value_parser = AnyType::from_option, default_value = "c64")]
    dtype: AnyType,

    #[command(flatten)]
    common: CommonArgs,
}

/// Make a picture of marbles: .png, .jpg, or bytes of shape (rows, columns, 3)
#[derive(clap::Args)]
struct PictureArgs {
    /// Number of rows
    #[arg(long, value_parser = parse_count, default_value_t = SIZES[0])]
    rows: usize,

    /// Number of columns
    #[arg(long, value_parser = parse_count, default_value_t = SIZES[1])]
    cols: usize,

    #[command(flatten)]
    common: CommonArgs,
}

/// Make a text, byte by byte
#[derive(clap::Args)]
struct TextArgs {
    /// Number of bytes
    #[arg(long, value_parser = parse_count, default_value = "2^22")]
    n: usize,

    /// What it looks like
    #[arg(long, value_parser = one_of(TextKind::ALL, TextKind::name), default_value = "mixed")]
    kind: TextKind,

    #[command(flatten)]
    common: CommonArgs,
}

#[derive(clap::Args)]
struct CommonArgs {
    /// Seed of the random numbers
    #[arg(long, default_value_t = 7)]
    seed: u64,

    /// Where it goes; - is standard output
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,

    /// Write raw little-endian binary whatever the name (.bin and .raw always are)
    #[arg(long)]
    raw: bool,

    /// Number of threads (default: one per logical core)
    #[arg(long, value_parser = threads::parse_threads)]
    threads: Option<usize>,
}

impl CommonArgs {
    /// Prepares the output, lets `make` write it, and lets it appear.
    fn write(&self, make: impl FnOnce(&Progress, &mut Output) -> Outcome) -> Outcome {
        threads::start(self.threads)?;
        let progress = Progress::new(false);
        let mut out = Output::create(&self.out, self.raw)?;
        progress.stage("generating");
        make(&progress, &mut out)?;
        output::commit([out])
    }
}

/// Runs the command.
pub fn run(args: Args) -> Outcome {
    match args.what {
        What::Array(ArrayArgs { n, kind, dtype, common }) => common.write(|progress, out| {
            with_dtype!(dtype, T => {
                let data = array::generate::<T>(kind, n, common.seed)?;
                progress.steps("writing", n);
                out.write(&[n], &data, progress)
            })
        }),
        What::Queries(QueryArgs { n, count, kind, common }) => common.write(|progress, out| {
            if i64::try_from(n).is_err() {
                return Err(Failure::at("--n", "bounds are written as int64: at most 2^63 - 1 elements"));
            }
            let data = queries::generate::<u64>(kind, n, count, common.seed)?;
            progress.steps("writing", 2 * count);
            out.write_as(&[count, 2], data.as_flattened(), |x| x as i64, progress)
        }),
        What::List(ListArgs { n, kind, common }) => {
            common.write(|progress, out| write_links(&links::make_list(kind, n, common.seed)?, progress, out))
        }
        What::Forest(ForestArgs { n, kind, shuffle, common }) => common
            .write(|progress, out| write_links(&links::make_forest(kind, n, shuffle, common.seed)?, progress, out)),
        What::Points(PointArgs { n, kind, dtype, common }) => common.write(|progress, out| {
            with_dtype!(dtype, T => {
                let data = rows::generate::<T, _, 2>(kind, n, common.seed)?;
                progress.steps("writing", 2 * n);
                out.write(&[n, 2], data.as_flattened(), progress)
            })
        }),
        What::Segments(SegmentArgs { n, kind, dtype, common }) => common.write(|progress, out| {
            with_dtype!(dtype, T => {
                let data = rows::generate::<T, _, 4>(kind, n, common.seed)?;
                progress.steps("writing", 4 * n);
                out.write(&[n, 4], data.as_flattened(), progress)
            })
        }),
        What::Graph(GraphArgs { n, edges, kind, shuffle, common }) => common.write(|progress, out| {
            let wanted = edges::Wanted { kind, nodes: n, edges, shuffle };
            let data = edges::generate::<u64>(wanted, common.seed)?;
            progress.steps("writing", 2 * data.len());
            out.write_as(&[data.len(), 2], data.as_flattened(), |v| v as i64, progress)
        }),
        What::Grid(GridArgs { rows, cols, kind, walls, costs, common }) => common.write(|progress, out| {
            progress.steps("writing", rows.saturating_mul(cols));
            let (shape, walls) = ([rows, cols], maps::percent_of_walls(kind, walls)?);
            match costs {
                true => out.write(&shape, &maps::make_costs(kind, shape, walls, common.seed)?, progress),
                false => out.write(&shape, &maps::make(kind, shape, walls, common.seed)?, progress),
            }
        }),
        What::Routes(RouteArgs { grid, costs, count, common }) => common.write(|progress, out| {
            let map = maps::open(&grid, costs)?;
            let data = routes::make(&map.grid, count, common.seed)?;
            progress.steps("writing", 4 * count);
            out.write_as(&[count, 4], data.as_flattened(), i64::from, progress)
        }),
        What::Sudoku(SudokuArgs { n, kind, common }) => {
            let is_text = puzzles::is_text(&common.out, common.raw);
            // Lines have no header.
            let common = CommonArgs { raw: common.raw || is_text, ..common };
            common.write(|progress, out| {
                memory::require(n.saturating_mul(81), "the puzzles")?;
                puzzles::write(&kind.make(n, common.seed), is_text, out, progress).map(drop)
            })
        }
        What::Signal(SignalArgs { shape, kind, dtype, common }) => {
            let args = NdArgs { array: None, dtype: Some(dtype), shape, kind, seed: common.seed.into() };
            common.write(|progress, out| write_signal(args, progress, out))
        }
        What::Text(TextArgs { n, kind, common }) => common.write(|progress, out| {
            // Some kinds are made of pieces and then cut.
            memory::require(n.saturating_mul(2), "the text")?;
            let text = kind.make(n, common.seed);
            progress.stage("writing");
            out.write_bytes(&text)
        }),
        What::Picture(PictureArgs { rows, cols, common }) => common.write(|progress, out| {
            if rows == 0 || cols == 0 {
                return Err(Failure::new("a picture has at least one row and one column"));
            }
            memory::require(rows.saturating_mul(cols).saturating_mul(3), "the picture")?;
            let picture = blur::built_in([rows, cols], common.seed);
            match (&picture.samples, Format::of_name(&common.out, 90)) {
                (_, Ok(format)) if !common.raw && !output::is_stdout(&common.out) => {
                    out.write_bytes(&picture.encode(format, &out.name)?)
                }
                (Samples::U8(samples), _) => out.write(&[rows, cols, 3], samples, progress),
                (Samples::U16(_), _) => unreachable!("it has 8 bits"),
            }
        }),
    }
}

/// Writes the elements that a command would generate by itself.
fn write_signal(args: NdArgs, progress: &Progress, out: &mut Output) -> Outcome {
    let array = args.open(AnyType::C64)?;
    let sizes = array.shape.sizes();
    progress.steps("writing", array.shape.len());
    match (array.dtype.is_complex, array.dtype.part) {
        (true, DType::F32) => out.write_complex(sizes, &array.complex::<f32>()?, progress),
        (true, _) => out.write_complex(sizes, &array.complex::<f64>()?, progress),
        (false, DType::F32) => out.write(sizes, &array.real::<f32>()?, progress),
        (false, _) => out.write(sizes, &array.real::<f64>()?, progress),
    }
}

fn write_links(links: &[u64], progress: &Progress, out: &mut Output) -> Outcome {
    progress.steps("writing", links.len());
    out.write_as(&[links.len()], links, |to| to.checked().map_or(-1, |to| to as i64), progress)
}
