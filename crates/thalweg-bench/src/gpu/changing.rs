//! `thalweg-bench changing --device gpu`.

use std::cell::{Cell, RefCell};

use thalweg::gpu::rmq::{ChangingIndex, build_changing};
use thalweg::{Key, Order, Position};
use thalweg_cli::failure::Outcome;
use thalweg_cli::memory;
use thalweg_core::Coding;
use thalweg_core::bits::{Array, Bits};
use thalweg_data::QueryKind;

use super::{Gpu, race, race_on_host, row};
use crate::bench::{Bench, Case, Common, drive, timed_types};
use crate::cases::changing::Updates;
use crate::check;
use crate::columns::{self, table};
use crate::report::{Adapter, Row};
use crate::table::maybe;
use crate::timing::time;

/// Queries after every batch, which check it.
const QUERIES: usize = 1 << 14;

/// Runs the benchmark.
pub fn run(common: &Common, count: usize) -> Outcome {
    drive(&GpuChanging { gpu: Gpu::open(&common.device)?, count }, common)
}

struct GpuChanging {
    gpu: Gpu,
    count: usize,
}

impl GpuChanging {
    fn case<K: Key>(&self, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        memory::require(case.n * 4 * size_of::<K>() + self.count * 24, &case.title())?;
        let (mut array, device) = (case.array::<K>()?, &self.gpu.device);
        let coding = Coding::of::<K>(Order::Min);
        let build = |array: &[K]| build_changing(device, Array::of(array), coding);
        let builds = race(&self.gpu, case, "build", 1, |_| Ok(build(&array)?.build_time()), |_| Ok(()))?;
        // The same changes in random order, and by ascending positions of which none is there twice.
        let mut batches = [Updates::new(case, self.count, 11)?, Updates::new(case, self.count, 12)?];
        let ascending = &mut batches[1];
        ascending.positions.sort_unstable();
        ascending.positions.dedup();
        ascending.values.truncate(ascending.positions.len());
        // What is set a second time changes nothing: in between the elements become something else.
        let others = Updates::<K>::new(case, self.count, 13)?.values;
        let mut queries = memory::filled(QUERIES, [0u32; 2], "the queries")?;
        QueryKind::Mixed.fill(case.n, case.common.seed, &mut queries);
        let index = RefCell::new(build(&array)?);
        let mut rows = vec![row(case, "build", "lines").timed(builds[0], case.n)];
        for (what, updates) in [WHAT, ASCENDING].into_iter().zip(&batches) {
            updates.write(&mut array);
            let expected = check::leftmost_minima(&array, &queries)?;
            let items = updates.positions.len();
            let turns = Cell::new(0);
            let set = |index: &mut ChangingIndex| {
                let values = if turns.replace(turns.get() + 1) % 2 == 0 { &updates.values } else { &others };
                index.set_batch(u32::view(&updates.positions), Bits::of(&values[..items]))
            };
            let run = |_| Ok(set(&mut index.borrow_mut())?);
            let timings = race(&self.gpu, case, what[0], 1, run, |_| {
                let mut out = memory::filled(queries.len(), u32::MAX, "the answers")?;
                index.borrow().engine().positions(u32::pairs(&queries), u32::buffer(&mut out))?;
                let who = format!("lines after updates of {} on {}", case.title(), device.name());
                check::ranges(&who, &array, &queries, &expected, &out, true).map(drop)
            })?;
            let on_host = race_on_host(case, what[0], 1, |_| {
                let (took, done) = time(|| set(&mut index.borrow_mut()));
                done?;
                Ok(took)
            })?;
            // What the next ones begin with.
            turns.set(0);
            set(&mut index.borrow_mut())?;
            rows.push(row(case, what[0], "lines").timed(timings[0], items));
            rows.push(row(case, what[1], "lines").timed(on_host[0], items));
        }
        rows.iter_mut().for_each(|row| row.default = true);
        Ok(rows)
    }
}

/// What is timed, by the device's clock and from host to host.
const WHAT: [&str; 2] = ["updates", "updates, host to host"];
const ASCENDING: [&str; 2] = ["updates, ascending", "updates, ascending, host to host"];

impl Bench for GpuChanging {
    const NAME: &'static str = "changing";
    const SIZES: &'static [usize] = &[1 << 24, 1 << 26];
    const UNIT: &'static str = "ns per update";

    timed_types!(u32, u64, f32, f64);

    fn adapter(&self) -> Option<Adapter> {
        Some(self.gpu.describe())
    }

    fn tables(&self, rows: &[Row]) -> String {
        let build = rows.iter().find(|row| row.what == "build");
        let of_build =
            |row: &Row| maybe(build.filter(|_| row.what != "build").map(|build| row.median_ns / build.median_ns));
        let columns = [
            columns::words("what", |row| row.what.into()),
            columns::ms(),
            columns::ns("ns/item"),
            columns::number("of a build", of_build),
        ];
        table(rows, columns).to_string()
    }

    fn panel(row: &Row) -> Option<String> {
        Some(row.what.into())
    }

    fn how_to_read(&self) -> String {
        format!(
            "Answers were checked after updates. ms: by the device's clock, the array and the changes being there; host to host:\n\
             with the way of the changes, which the host makes in its copy of the array, too. 'updates': {} random elements.\n\
             'of a build': the time over that of a build by the device's clock.",
            self.count
        )
    }
}
