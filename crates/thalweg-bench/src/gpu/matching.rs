//! `thalweg-bench graph matching --device gpu`.

use thalweg::gpu::graph::matching::maximum_matching;
use thalweg::graph::Graph;
use thalweg::graph::matching::{Builder, Engine, Matching, verify};
use thalweg::{Answer, Device};
use thalweg_cli::failure::Outcome;
use thalweg_data::GraphKind;

use super::{Gpu, race_on_host, row};
use crate::bench::{Bench, Case, Common, Selection, drive};
use crate::cases::matching::Edges;
use crate::check;
use crate::columns::{self, table};
use crate::report::{Adapter, Row};
use crate::timing::time;

/// Runs the benchmark.
pub fn run(common: &Common, engines: &[String], edges: Edges) -> Outcome {
    let selection = Selection::parse(engines, Engine::ALL)?;
    let gpu = Gpu::open(&common.device)?;
    let pair = Graph::from_edges(&[[0u32, 1]], None)?;
    let selection = selection.on_device(|engine| maximum_matching(&gpu.device, &pair, engine).map(drop))?;
    drive(&GpuMatching { gpu, selection, edges }, common)
}

struct GpuMatching {
    gpu: Gpu,
    selection: Selection<Engine>,
    edges: Edges,
}

impl GpuMatching {
    fn case(&self, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        let (edges, device) = (self.edges.of(case)?, &self.gpu.device);
        let graph = Graph::from_edges(&edges, Some(case.n))?;
        let expected = Builder::new().device(Device::Cpu).matching(&graph)?.pairs();
        let check = |engine: Engine, found: &Matching| {
            let who = format!("{engine} on {}, {}", device.name(), case.title());
            match verify(&edges, found.partners(), found.labels()) {
                Ok(pairs) if pairs == expected => Ok(()),
                Ok(pairs) => check::wrong(&who, format_args!("{pairs} pairs, not {expected}")),
                Err(complaint) => check::wrong(&who, complaint),
            }
        };
        let mut rows = Vec::new();
        let engines = &self.selection.engines;
        for &engine in engines {
            let work = || maximum_matching(device, &graph, engine);
            let names = ("device", engine.name());
            rows.push(self.gpu.time(case, names, edges.len(), work, |found| check(engine, found))?);
        }
        let timings = race_on_host(case, "host to host", engines.len(), |i| {
            let builder = Builder::new().engine(engines[i]).device(device);
            let (took, found) = time(|| builder.matching(&graph).map(Answer::into_inner));
            check(engines[i], &found?)?;
            Ok(took)
        })?;
        for (&engine, timing) in engines.iter().zip(timings) {
            rows.push(row(case, "host_to_host", engine.name()).timed(timing, edges.len()));
        }
        Ok(rows)
    }
}

impl Bench for GpuMatching {
    const NAME: &'static str = "graph matching";
    const SIZES: &'static [usize] = &[1 << 10, 1 << 12];
    const UNIT: &'static str = "ns per edge";
    const DTYPES: &'static [&'static str] = &["u32"];

    fn kinds() -> Vec<&'static str> {
        GraphKind::ALL.iter().map(|kind| kind.name()).collect()
    }

    fn run(&self, _: &str, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        self.case(case)
    }

    fn adapter(&self) -> Option<Adapter> {
        Some(self.gpu.describe())
    }

    fn tables(&self, rows: &[Row]) -> String {
        let columns = [columns::what("matching"), columns::engine("engine"), columns::ms(), columns::ns("ns/edge")];
        table(rows, columns).to_string()
    }

    fn panel(row: &Row) -> Option<String> {
        Some(row.what.into())
    }

    fn how_to_read(&self) -> String {
        "Every matching was proved to be maximum. device: all lists of commands, by the device's clock; host to host: the whole\n\
         engine, from a graph in the host's memory to a matching there whose proof was checked, by the host's clock."
            .into()
    }
}
