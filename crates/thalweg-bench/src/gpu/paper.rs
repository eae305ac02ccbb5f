//! `thalweg-bench paper`: the experiments of the papers again, on the device that is here.

use std::path::{Path, PathBuf};

use thalweg::gpu::Device;
use thalweg::gpu::ansv;
use thalweg::gpu::rmq::{Assignment, Engine, HierarchyOptions, Load, PaddedTreeOptions, RayOptions};
use thalweg_cli::failure::{Failure, Outcome};
use thalweg_cli::numbers::parse_count;
use thalweg_cli::output::{self, Output};
use thalweg_data::{ArrayKind, QueryKind};

use super::Gpu;
use super::ansv::GpuAnsv;
use super::raster::GpuRaster;
use super::rmq::{Entrant, GpuRmqBench};
use crate::bench::{Common, Selection, measure};
use crate::geometry::raster::{self, RasterBench};
use crate::plot::{self, Figure};
use crate::report::{Report, Row};

/// Repeat a paper's experiments: tables, a .csv and .svg plots
#[derive(clap::Args)]
pub struct Args {
    /// Which paper
    #[command(subcommand)]
    paper: Paper,
}

#[derive(clap::Subcommand)]
enum Paper {
    /// GPU-RMQ (Kreis et al. 2026), figures 14 to 17: queries, memory and construction against n
    GpuRmq(Options),
    /// All nearest smaller values on GPUs (Ryssel 2025), tables 7 and 8
    AnsvThesis(Options),
    /// Lower envelopes on a grid (Willis, in a course's reports after JáJá 1992), table 8: ten level segments, 2^23 to 2^26 numbers
    Envelope(Options),
    /// Discrete range searching on the GPU (Soman et al. 2012), table IV: 10 million queries on 100 to 250 million elements
    Drs(Options),
}

#[derive(clap::Args)]
struct Options {
    /// The device: gpu, or an adapter's name or number (see `thalweg info`)
    #[arg(long, value_name = "DEVICE", default_value = "gpu")]
    device: String,
    /// Folder for the files, made if it is not there
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    out: PathBuf,
    /// Lengths of the arrays [default: the paper's, as far as the device's memory goes]
    #[arg(long, value_name = "N", num_args = 1.., value_delimiter = ',', value_parser = parse_count)]
    n: Vec<usize>,
    /// Queries in a batch [default: the paper's]
    #[arg(long, value_parser = parse_count)]
    count: Option<usize>,
    /// Timed runs of each engine, after one to warm up; the median counts
    #[arg(long, value_parser = parse_count, default_value = "5")]
    repeat: usize,
    /// Seed of the data
    #[arg(long, default_value = "1")]
    seed: u64,
}

impl Options {
    fn common(&self, sizes: &[usize], dtype: &str, kinds: &[ArrayKind]) -> Common {
        Common {
            n: if self.n.is_empty() { sizes.to_vec() } else { self.n.clone() },
            threads: Vec::new(),
            dtype: vec![dtype.into()],
            kind: kinds.iter().map(|kind| kind.name().into()).collect(),
            device: self.device.clone(),
            peers: false,
            repeat: self.repeat.max(1),
            seed: self.seed,
            out: None,
            json: None,
            csv: None,
            plot: None,
        }
    }

    fn check(&self) -> Outcome {
        std::fs::create_dir_all(&self.out).map_err(|e| Failure::at(self.out.display(), e))?;
        if self.n.contains(&0) || self.count == Some(0) {
            return Err(Failure::new("--n and --count must not be 0"));
        }
        Ok(())
    }
}

/// Runs the experiments.
pub fn run(args: &Args) -> Outcome {
    match &args.paper {
        Paper::GpuRmq(options) => gpu_rmq(options),
        Paper::AnsvThesis(options) => ansv_thesis(options),
        Paper::Envelope(options) => envelope(options),
        Paper::Drs(options) => drs(options),
    }
}

/// The paper's range of sizes is 2^20 to 2^31; beyond 2^28 a run takes minutes, so those are left to `--n`.
const SIZES: [usize; 9] = [1 << 20, 1 << 21, 1 << 22, 1 << 23, 1 << 24, 1 << 25, 1 << 26, 1 << 27, 1 << 28];

/// The published engine in its four variants, with the paper's sizes: chunks of 8 for vector loads, chunks of 32 and groups
/// of 16 for coalesced loads.
/// Beside it its rival with rays, RTXRMQ; where the device traces none, its name says what is walked instead.
fn variants(device: &Device) -> Vec<Entrant> {
    let ray = if device.limits().ray_queries { "RTXRMQ, exact" } else { "RTXRMQ, exact, a tree for rays" };
    let hierarchy = |name, load, assignment, chunk| Entrant {
        name,
        engine: Engine::Hierarchy(HierarchyOptions {
            chunk: Some(chunk),
            load: Some(load),
            assignment: Some(assignment),
            ..HierarchyOptions::DEFAULT
        }),
    };
    vec![
        Entrant::of(Engine::default()),
        hierarchy("GPU-RMQ VL, queue", Load::Vector, Assignment::Queue, 8),
        hierarchy("GPU-RMQ VL, multi-load", Load::Vector, Assignment::MultiLoad, 8),
        hierarchy("GPU-RMQ CL, queue", Load::Coalesced, Assignment::Queue, 32),
        hierarchy("GPU-RMQ CL, multi-load", Load::Coalesced, Assignment::MultiLoad, 32),
        Entrant { name: ray, engine: Engine::Ray(RayOptions::DEFAULT) },
        Entrant::of(Engine::Naive),
    ]
}

fn gpu_rmq(options: &Options) -> Outcome {
    options.check()?;
    let gpu = Gpu::open(&options.device)?;
    let bench = GpuRmqBench {
        entrants: variants(&gpu.device),
        gpu,
        named: false,
        queries: QueryKind::ALL.to_vec(),
        count: options.count.unwrap_or(1 << 26),
        host: false,
    };
    let report = measure(&bench, &options.common(&SIZES, "f32", &[ArrayKind::Random]))?;
    let value = |row: &Row| row.what == "value";
    let queue = select(&report, |row| value(row) && row.queries == Some("mixed") && row.engine.contains(" CL"));
    let times = select(&report, |row| value(row) && row.queries != Some("mixed"));
    let builds = select(&report, |row| row.what == "build" && row.engine != Engine::Naive.name());
    let memory = builds.iter().map(|row| {
        let bits = 32.0 + row.extra_bits_per_element.unwrap_or_default();
        Row { ns_per_item: bits / 8.0 * row.n as f64 / (1u64 << 20) as f64, ..row.clone() }
    });
    let builds_ms = builds.iter().map(|row| Row { ns_per_item: row.median_ns / 1e6, ..row.clone() });
    let figure =
        |title: &str, unit: &'static str, panel| Figure { title: title.into(), unit, machine: report.machine(), panel };
    let by_ranges: fn(&Row) -> Option<String> = |row| row.queries.map(|kind| format!("{kind} ranges"));
    let whole: fn(&Row) -> Option<String> = |_| Some("all".into());
    let charts = [
        (
            "gpu-rmq-fig14.svg",
            queue,
            figure("Figure 14: warp-local queue against multi-load, mixed ranges", "ns per query", by_ranges),
        ),
        ("gpu-rmq-fig15.svg", memory.collect(), figure("Figure 15: memory, the array included", "MiB", whole)),
        ("gpu-rmq-fig16.svg", times, figure("Figure 16: time of a query in a batch", "ns per query", by_ranges)),
        ("gpu-rmq-fig17.svg", builds_ms.collect(), figure("Figure 17: construction", "ms", whole)),
    ];
    write(&options.out, "gpu-rmq.csv", &report, &charts)
}

fn ansv_thesis(options: &Options) -> Outcome {
    options.check()?;
    let kinds = [ArrayKind::Random, ArrayKind::Worst];
    let bench = GpuAnsv {
        gpu: Gpu::open(&options.device)?,
        engines: vec![ansv::Engine::Tiles, ansv::Engine::Thesis(ansv::ThesisOptions::DEFAULT)],
    };
    // Table 7: 500 million elements; table 8: 50 million, before range minima are built on the answers.
    let mut report = measure(&bench, &options.common(&[50_000_000, 500_000_000], "u32", &kinds))?;
    // The thesis builds range minima from the answers (Cartesian tree, Euler tour, list ranking); ours need only the array.
    let index = GpuRmqBench {
        gpu: bench.gpu,
        entrants: vec![Entrant::of(Engine::default())],
        named: true,
        queries: Vec::new(),
        count: 0,
        host: false,
    };
    report.rows.append(&mut measure(&index, &options.common(&[50_000_000], "u32", &kinds))?.rows);
    let times = select(&report, |row| row.what == "device");
    let ms = times.iter().map(|row| Row { ns_per_item: row.median_ns / 1e6, ..row.clone() });
    let title = "Tables 7 and 8: nearest smaller values of 500 and 50 million elements".into();
    let figure =
        Figure { title, unit: "ms", machine: report.machine(), panel: |row| Some(format!("{} data", row.kind)) };
    write(&options.out, "ansv-thesis.csv", &report, &[("ansv-thesis.svg", ms.collect(), figure)])
}

/// The paper's question: on the CPU its serial loop and ours, on a GPU ours.
fn envelope(options: &Options) -> Outcome {
    options.check()?;
    let mut common = options.common(&[1 << 23, 1 << 24, 1 << 25, 1 << 26], "i32", &[]);
    common.kind = vec!["paper".into()];
    let (report, panel): (_, fn(&Row) -> Option<String>) = if options.device == "cpu" {
        let engines = vec![raster::Engine::Raster];
        let bench = RasterBench { selection: Selection { engines, named: true }, paper: true };
        (measure(&bench, &common)?, |row| Some(format!("threads: {}", row.threads)))
    } else {
        (measure(&GpuRaster { gpu: Gpu::open(&options.device)? }, &common)?, |row| Some(row.what.into()))
    };
    let ms = report.rows.iter().map(|row| Row { ns_per_item: row.median_ns / 1e6, ..row.clone() }).collect();
    let title = "Table 8: the lower envelope of ten level segments at 2^23 to 2^26 numbers".into();
    let figure = Figure { title, unit: "ms", machine: report.machine(), panel };
    write(&options.out, "envelope.csv", &report, &[("envelope.svg", ms, figure)])
}

/// The paper's structure beside the default engine, on the paper's sizes. Queries by the device's clock and from host to
/// host, as the paper has them.
fn drs(options: &Options) -> Outcome {
    options.check()?;
    let bench = GpuRmqBench {
        gpu: Gpu::open(&options.device)?,
        entrants: vec![Entrant::of(Engine::PaddedTree(PaddedTreeOptions::DEFAULT)), Entrant::of(Engine::default())],
        named: true,
        queries: vec![QueryKind::Large],
        count: options.count.unwrap_or(10_000_000),
        host: true,
    };
    let sizes = [100_000_000, 150_000_000, 200_000_000, 250_000_000];
    let report = measure(&bench, &options.common(&sizes, "f32", &[ArrayKind::Random]))?;
    let ms = |what: fn(&str) -> bool| {
        let rows = select(&report, |row| what(row.what));
        rows.into_iter().map(|row| Row { ns_per_item: row.median_ns / 1e6, ..row }).collect()
    };
    let figure = |title: String, panel| Figure { title, unit: "ms", machine: report.machine(), panel };
    let charts = [
        (
            "drs-queries.svg",
            ms(|what| what != "build"),
            figure(format!("Table IV: {} queries", bench.count), |row| {
                Some(match row.what {
                    "host_to_host" => "positions, with transfers".into(),
                    "host_array" => "positions, in host arrays".into(),
                    "index" => "positions".into(),
                    _ => "values".into(),
                })
            }),
        ),
        ("drs-build.svg", ms(|what| what == "build"), figure("Table IV: preprocessing".into(), |_| Some("all".into()))),
    ];
    write(&options.out, "drs.csv", &report, &charts)
}

fn select(report: &Report, fits: impl Fn(&Row) -> bool) -> Vec<Row> {
    report.rows.iter().filter(|row| fits(row)).cloned().collect()
}

/// Writes the table and those pictures that have two sizes at least.
fn write(folder: &Path, table: &str, report: &Report, charts: &[(&str, Vec<Row>, Figure<'_>)]) -> Outcome {
    let mut outputs = Vec::new();
    let mut add = |name: &str, text: &str| -> Outcome {
        let path = folder.join(name);
        let mut output = Output::create_text(&path)?;
        output.write_text(text)?;
        outputs.push(output);
        output::print(&format!("written  {}\n", path.display()), false)
    };
    add(table, &report.to_csv())?;
    for (name, rows, figure) in charts {
        if rows.iter().any(|row| row.n != rows[0].n) {
            add(name, &plot::draw(rows, figure)?)?;
        }
    }
    output::commit(outputs)
}
