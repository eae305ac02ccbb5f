//! `thalweg-bench in-order --device gpu`.

use thalweg::rmq::{Builder, Rmq};
use thalweg::{Device, Key};
use thalweg_cli::failure::Outcome;
use thalweg_cli::memory;
use thalweg_data::QueryKind;

use super::{Gpu, race, race_on_host, row};
use crate::bench::{Bench, Case, Common, drive, timed_types};
use crate::cases::in_order::one_in;
use crate::check;
use crate::columns::{self, table};
use crate::report::{Adapter, Row};
use crate::table::maybe;
use crate::timing::time;

/// What is asked, and how the rows of both devices with all copies are called.
const WHAT: [&str; 2] = ["smallest", "below"];
const ON_HOST: [&str; 2] = ["smallest, host to host", "below, host to host"];
/// The library itself, on all threads.
const ON_CPU: &str = "lines on the CPU";

/// Runs the benchmark.
pub fn run(common: &Common, queries: &[QueryKind], count: usize, k: usize, one_in: usize) -> Outcome {
    let gpu = Gpu::open(&common.device)?;
    drive(&GpuInOrder { gpu, queries: queries.to_vec(), count, k, one_in }, common)
}

struct GpuInOrder {
    gpu: Gpu,
    queries: Vec<QueryKind>,
    count: usize,
    k: usize,
    one_in: usize,
}

/// Answers of both kinds.
#[derive(PartialEq, Eq, Default)]
struct Answers {
    smallest: Vec<u32>,
    below: [Vec<u32>; 2],
}

impl Answers {
    fn ask<K: Key>(
        &mut self,
        what: usize,
        rmq: &Rmq<'_, K>,
        queries: &[[u32; 2]],
        k: usize,
        threshold: K,
    ) -> thalweg::Result<()> {
        if what == 0 {
            return rmq.smallest_each(queries, k, &mut self.smallest);
        }
        let found = rmq.below_each(queries, &[threshold])?;
        self.below = [found.lengths, found.positions];
        Ok(())
    }
}

impl GpuInOrder {
    fn case<K: Key>(&self, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        memory::require(case.n * (4 * size_of::<K>() + 16), &case.title())?;
        let (array, device) = (case.array::<K>()?, &self.gpu.device);
        let there = Builder::new().device(device).build(&array)?;
        let here = Builder::new().device(Device::Cpu).build(&array)?;
        let threshold = one_in(&array, self.one_in)?;
        let mut rows = Vec::new();
        for &kind in &self.queries {
            let mut queries = memory::filled(self.count, [0u32; 2], "the queries")?;
            kind.fill(case.n, case.common.seed, &mut queries);
            let new = || -> Outcome<Answers> {
                let smallest = memory::filled(self.count * self.k, 0u32, "the answers")?;
                Ok(Answers { smallest, ..Answers::default() })
            };
            let (mut want, mut got) = (new()?, new()?);
            for what in 0..WHAT.len() {
                want.ask(what, &here, &queries, self.k, threshold)?;
            }
            let answers = std::cell::RefCell::new(&mut got);
            let run = |what: usize| {
                let ask = || answers.borrow_mut().ask(what, &there, &queries, self.k, threshold);
                Ok(device.timed(ask)?.1)
            };
            let timings = race(&self.gpu, case, kind.name(), WHAT.len(), run, |what| {
                let who = format!("{} ranges on {}, {}", kind.name(), device.name(), case.title());
                let got = answers.borrow();
                if what == 0 {
                    return check::equal(&who, WHAT[0], &want.smallest, &got.smallest, |&x| x);
                }
                check::equal(&who, "lengths", &want.below[0], &got.below[0], |&x| x)?;
                check::equal(&who, WHAT[1], &want.below[1], &got.below[1], |&x| x)
            })?;
            // By everybody on either device.
            let on_host = race_on_host(case, kind.name(), 2 * WHAT.len(), |i| {
                let rmq = if i < WHAT.len() { &there } else { &here };
                let mut answers = answers.borrow_mut();
                let (took, done) = time(|| answers.ask(i % WHAT.len(), rmq, &queries, self.k, threshold));
                done?;
                Ok(took)
            })?;
            let row = |what, engine, timing| {
                let row = row(case, what, engine).timed(timing, self.count);
                Row { queries: Some(kind.name()), default: engine != ON_CPU, peer: engine == ON_CPU, ..row }
            };
            rows.extend(timings.into_iter().zip(WHAT).map(|(timing, what)| row(what, there.engine(), timing)));
            for (i, timing) in on_host.into_iter().enumerate() {
                let engine = if i < WHAT.len() { there.engine() } else { ON_CPU };
                rows.push(row(ON_HOST[i % WHAT.len()], engine, timing));
            }
        }
        Ok(rows)
    }
}

impl Bench for GpuInOrder {
    const NAME: &'static str = "in-order";
    const SIZES: &'static [usize] = &[1 << 24];
    const UNIT: &'static str = "ns per range";

    timed_types!(u32, u64, f32, f64);

    fn adapter(&self) -> Option<Adapter> {
        Some(self.gpu.describe())
    }

    fn tables(&self, rows: &[Row]) -> String {
        let host = |row: &Row, engine: &str| {
            let what = WHAT.iter().position(|&what| what == row.what).map(|i| ON_HOST[i]);
            let same = |other: &&Row| Some(other.what) == what && other.queries == row.queries;
            rows.iter().filter(same).find(|other| other.engine == engine)
        };
        let ms = |row: Option<&Row>| maybe(row.map(|row| row.median_ns / 1e6));
        let columns = [
            columns::asked("ranges"),
            columns::words("what", |row| row.what.into()),
            columns::ms(),
            columns::ns("ns/range"),
            columns::number("host to host ms", |row| ms(host(row, row.engine))),
            columns::number("CPU ms", |row| ms(host(row, ON_CPU))),
        ];
        table(rows.iter().filter(|row| WHAT.contains(&row.what)), columns).to_string()
    }

    fn panel(row: &Row) -> Option<String> {
        row.queries.map(|ranges| format!("{}, {ranges} ranges", row.what))
    }

    fn how_to_read(&self) -> String {
        format!(
            "Every answer is that of the CPU. 'smallest': the {} smallest of each of {} ranges; 'below': all that are among\n\
             the smallest of {} of the array. The index is there already. ms: by the device's clock, with copies; host\n\
             to host: by the host's. CPU: the library itself, on all threads.",
            self.k,
            self.count,
            format_args!("one in {}", self.one_in)
        )
    }
}
