//! `thalweg-bench rmq --device gpu`.

use thalweg::gpu::DeviceArray;
use thalweg::gpu::rmq::{DeviceRmq, Engine};
use thalweg::{Key, Order};
use thalweg_cli::failure::Outcome;
use thalweg_cli::memory;
use thalweg_cli::rmq_engine::RmqEngineArgs;
use thalweg_data::QueryKind;

use super::{Gpu, open, race, race_on_host, row};
use crate::bench::{Bench, Case, Common, Selection, drive, timed_types};
use crate::check;
use crate::columns::{self, of, table};
use crate::report::{Adapter, Row};
use crate::table::maybe;
use crate::timing::time;

/// Runs the benchmark.
pub fn run(
    common: &Common,
    engines: &[String],
    queries: &[QueryKind],
    count: usize,
    options: RmqEngineArgs,
) -> Outcome {
    let selection = Selection::parse(engines, Engine::ALL)?;
    options.expect_of(&selection.engines)?;
    let one = open(&common.device)?.upload(&[0u32])?;
    let Selection { engines, named } =
        selection.on_device(|engine| DeviceRmq::with_engine(one.clone(), Order::Min, engine).map(drop))?;
    drop(one);
    let gpu = Gpu::open(&common.device)?;
    let entrants = engines.into_iter().map(|engine| Entrant::of(options.applied(engine))).collect();
    drive(&GpuRmqBench { gpu, entrants, named, queries: queries.to_vec(), count, host: true }, common)
}

/// An engine with its options, and the name it goes by.
#[derive(Clone, Copy)]
pub struct Entrant {
    pub name: &'static str,
    pub engine: Engine,
}

impl Entrant {
    pub fn of(engine: Engine) -> Self {
        Self { name: engine.name(), engine }
    }

    fn build<K: Key>(&self, array: DeviceArray<K>) -> thalweg::Result<DeviceRmq<K>> {
        DeviceRmq::with_engine(array, Order::Min, self.engine)
    }

    fn is_default(&self) -> bool {
        self.name == Engine::default().name()
    }
}

pub struct GpuRmqBench {
    pub gpu: Gpu,
    pub entrants: Vec<Entrant>,
    /// Whether the user named the engines. The plain scan is left out where it is slow only if not.
    pub named: bool,
    pub queries: Vec<QueryKind>,
    pub count: usize,
    /// Whether batches from host to host are timed too.
    pub host: bool,
}

/// Elements that the plain scan may read for a batch before it is left out: about a second.
const SCAN_READS: u64 = 1 << 40;

/// A batch on both sides of the bus, and its right answers.
struct Workload<K: Key> {
    kind: QueryKind,
    queries: Vec<[u32; 2]>,
    on_device: DeviceArray<u32>,
    positions: DeviceArray<u32>,
    values: DeviceArray<K>,
    expected: Vec<u32>,
    expected_values: Vec<K>,
}

impl GpuRmqBench {
    fn workload<K: Key>(&self, case: &Case<'_>, array: &[K], kind: QueryKind) -> Outcome<Workload<K>> {
        let device = &self.gpu.device;
        let mut queries = memory::filled(self.count, [0u32; 2], "the queries")?;
        kind.fill(case.n, case.common.seed, &mut queries);
        let expected = check::leftmost_minima(array, &queries)?;
        let mut expected_values = memory::filled(self.count, K::default(), "expected answers")?;
        use rayon::prelude::*;
        expected_values.par_iter_mut().zip(&expected).for_each(|(value, &position)| *value = array[position as usize]);
        let on_device = device.upload(queries.as_flattened())?;
        let (positions, values) = (device.allocate(self.count)?, device.allocate(self.count)?);
        Ok(Workload { kind, queries, on_device, positions, values, expected, expected_values })
    }

    fn time_queries<K: Key>(
        &self,
        case: &mut Case<'_>,
        indexes: &[(Entrant, DeviceRmq<K>)],
        work: &Workload<K>,
    ) -> Outcome<Vec<Row>> {
        let Workload { kind, queries, on_device, positions, values, expected, expected_values } = work;
        let reads = queries.iter().map(|&[l, r]| u64::from(r - l) + 1).sum::<u64>();
        let mut indexes: Vec<&(Entrant, DeviceRmq<K>)> = indexes.iter().collect();
        if reads > SCAN_READS && !self.named {
            indexes.retain(|(entrant, _)| entrant.name != Engine::Naive.name());
            case.skip(
                Engine::Naive.name(),
                format_args!("{} ranges would read {:.1e} elements", kind.name(), reads as f64),
            );
        }
        let device = &self.gpu.device;
        let mut rows = Vec::new();
        let mut add = |case: &Case<'_>, what, timings: Vec<crate::timing::Timing>| {
            for ((entrant, _), timing) in indexes.iter().zip(timings) {
                let mut row = row(case, what, entrant.name).timed(timing, queries.len());
                (row.queries, row.default, row.leftmost) = (Some(kind.name()), entrant.is_default(), Some(true));
                rows.push(row);
            }
        };
        let who = |name: &str| format!("{name} on {}, {} ranges on {}", device.name(), kind.name(), case.title());

        let values_of = |i: usize| Ok(indexes[i].1.values(on_device, values)?);
        let timings = race(&self.gpu, case, &format!("{}, values", kind.name()), indexes.len(), values_of, |i| {
            check::equal(&who(indexes[i].0.name), "value", expected_values, &values.to_vec()?, |v| v.to_low_bits())
        })?;
        add(case, "value", timings);
        let positions_of = |i: usize| Ok(indexes[i].1.positions(on_device, positions)?);
        let timings =
            race(&self.gpu, case, &format!("{}, positions", kind.name()), indexes.len(), positions_of, |i| {
                check::equal(&who(indexes[i].0.name), "position", expected, &positions.to_vec()?, |&p| p)
            })?;
        add(case, "index", timings);
        if self.host {
            let mut out = memory::filled(queries.len(), 0u32, "the answers")?;
            let timings = race_on_host(case, &format!("{}, host to host", kind.name()), indexes.len(), |i| {
                let (entrant, index) = indexes[i];
                out.fill(u32::MAX);
                let (took, done) = time(|| index.positions_of_slice(queries, &mut out));
                done?;
                check::equal(&who(entrant.name), "position", expected, &out, |&p| p)?;
                Ok(took)
            })?;
            add(case, "host_to_host", timings);
            let mut from = device.host_array::<[u32; 2]>(queries.len())?;
            from.copy_from_slice(queries);
            let mut into = device.host_array::<u32>(queries.len())?;
            let timings = race_on_host(case, &format!("{}, host arrays", kind.name()), indexes.len(), |i| {
                let (entrant, index) = indexes[i];
                into.fill(u32::MAX);
                let (took, done) = time(|| index.positions_of_slice(&from, &mut into));
                done?;
                check::equal(&who(entrant.name), "position", expected, &into, |&p| p)?;
                Ok(took)
            })?;
            add(case, "host_array", timings);
        }
        Ok(rows)
    }

    /// Times everybody on one array.
    fn case<K: Key>(&self, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        memory::require(case.n * (size_of::<K>() + 4) + self.count * (24 + 2 * size_of::<K>()), &case.title())?;
        let array = case.array::<K>()?;
        let values = self.gpu.device.upload(&array)?;
        let mut indexes = Vec::new();
        for &entrant in &self.entrants {
            match entrant.build(values.clone()) {
                Ok(index) => indexes.push((entrant, index)),
                Err(e) => case.skip(entrant.name, e),
            }
        }
        let build = |i: usize| Ok(indexes[i].0.build(values.clone())?.build_time());
        let timings = race(&self.gpu, case, "build", indexes.len(), build, |_| Ok(()))?;
        let mut rows = Vec::new();
        for ((entrant, index), timing) in indexes.iter().zip(timings) {
            let extra = index.device_bytes();
            if extra == 0 {
                continue; // The plain scan has nothing to build.
            }
            let mut row = row(case, "build", entrant.name).timed(timing, case.n).extra(Some(extra));
            row.default = entrant.is_default();
            rows.push(row.moving(case.n * size_of::<K>() + extra, self.gpu.card.copy_gb_per_s));
        }
        for &kind in &self.queries {
            let work = self.workload(case, &array, kind)?;
            rows.extend(self.time_queries(case, &indexes, &work)?);
        }
        Ok(rows)
    }
}

impl Bench for GpuRmqBench {
    const NAME: &'static str = "rmq";
    const SIZES: &'static [usize] = &[1 << 20, 1 << 24, 1 << 28];
    const UNIT: &'static str = "ns per query";

    timed_types!(u32, u64, f32, f64);

    fn adapter(&self) -> Option<Adapter> {
        Some(self.gpu.describe())
    }

    fn tables(&self, rows: &[Row]) -> String {
        let builds = [
            columns::engine("build"),
            columns::ms(),
            columns::gb_per_s(),
            columns::of_copy(),
            columns::extra_bits("extra bits/element"),
        ];
        let other = |what: &'static str| {
            move |value: &Row| {
                let same = |row: &&Row| (row.engine, row.queries) == (value.engine, value.queries);
                maybe(of(rows, what).find(same).map(|row| row.ns_per_item))
            }
        };
        let queries = [
            columns::asked("ranges"),
            columns::engine("engine"),
            columns::ns("value ns/query"),
            columns::number("index ns/query", other("index")),
            columns::number("host to host ns/query", other("host_to_host")),
            columns::number("in host arrays", other("host_array")),
        ];
        let (builds, queries) = (table(of(rows, "build"), builds), table(of(rows, "value"), queries));
        if self.queries.is_empty() { builds.to_string() } else { format!("{builds}\n{queries}") }
    }

    fn panel(row: &Row) -> Option<String> {
        row.queries.filter(|_| row.what == "value").map(|kind| format!("{kind} ranges"))
    }

    fn how_to_read(&self) -> String {
        "Every answer was checked. Value, index: by the device's clock, array, queries and answers on the device.\n\
         Host to host: positions, queries copied up and answers copied back."
            .into()
    }
}
