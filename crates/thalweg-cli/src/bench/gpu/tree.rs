//! `thalweg bench tree --device gpu`: forests, lowest common ancestors, Cartesian trees, subtrees.

use std::cell::RefCell;

use rayon::prelude::*;
use thalweg::{Key, Order, rmq};
use thalweg_gpu::rmq::Builder as RmqBuilder;
use thalweg_gpu::tree::{Cartesian, Engine, Forest, Nodes, lca};
use thalweg_gpu::{DeviceArray, Timing};
use thalweg_testkit::{ArrayKind, ForestKind, Random};

use super::super::report::{Adapter, Row};
use super::super::table::{self, Table};
use super::super::{Bench, Case, Common, check, drive, timed_types};
use super::{Gpu, race, row};
use crate::failure::Outcome;
use crate::memory;

/// Runs the benchmark.
pub fn run(common: &Common) -> Outcome {
    drive(&GpuTree { gpu: Gpu::open(&common.device)? }, common)
}

struct GpuTree {
    gpu: Gpu,
}

impl GpuTree {
    /// Times one task: `work` is timed, `check` looks at what its first run has made.
    fn time<T>(
        &self,
        case: &Case<'_>,
        (what, engine): (&'static str, &'static str),
        items: usize,
        work: impl Fn() -> thalweg::Result<T>,
        check: impl Fn(&T) -> Outcome,
    ) -> Outcome<Row> {
        let made = RefCell::new(None);
        let run = |_| -> Outcome<Timing> {
            // What was made before is free for the next run.
            drop(made.take());
            let (result, timing) = self.gpu.device.timed(&work)?;
            made.replace(Some(result));
            Ok(timing)
        };
        let timings = race(&self.gpu, case, what, 1, run, |_| check(made.borrow().as_ref().expect("it has run")))?;
        Ok(row(case, what, engine).timed(timings[0], items))
    }

    fn case<K: Key>(&self, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        memory::require(case.n * 120, &case.title())?;
        let (n, device) = (case.n, &self.gpu.device);
        let seed = case.common.seed;
        let who = |what: &str| format!("{what} on {}, {}", device.name(), case.title());
        let same = |what: &str, want: &[u32], got: &DeviceArray<u32>| -> Outcome {
            check::equal(&who(what), what, want, &got.to_vec()?, |&x| x)
        };

        // What the CPU finds.
        let parents: Vec<u32> = ForestKind::Random.make(n, seed);
        let tour = thalweg::tree::EulerTour::new(&parents)?;
        let values: Vec<u32> = ArrayKind::Random.make(n, seed);
        let random = Random::new(seed, 9);
        let queries: Vec<[u32; 2]> = (0..n as u64)
            .into_par_iter()
            .map(|i| [0, 1].map(|end| random.below(2 * i + end, n as u64) as u32))
            .collect();

        let up = device.upload(&parents)?;
        let forest = Forest::from_parents(up.clone())?;
        let mut rows = Vec::new();
        let roots = tour.roots()?;
        for &engine in Engine::ALL {
            let mut row = self.time(
                case,
                ("depths", engine.name()),
                n,
                || forest.depths_by(engine),
                |found| {
                    same("roots", &roots, &found.roots)?;
                    same("depths", tour.levels(), &found.depths)
                },
            )?;
            row.default = engine == Engine::PointerJumping;
            rows.push(row);
        }
        rows.push(self.time(
            case,
            ("children", "sort"),
            n,
            || forest.children(),
            |found| {
                let children = thalweg::tree::Children::new(&parents)?;
                same("children", children.nodes(), &found.nodes)
            },
        )?);
        rows.push(self.time(
            case,
            ("tour", "helman_jaja"),
            n,
            || forest.tour(),
            |found| {
                same("preorder", tour.preorder(), &found.preorder)?;
                same("sizes", tour.sizes(), &found.sizes)
            },
        )?);

        // Lowest common ancestors, from the parents on.
        let pairs = device.upload(queries.as_flattened())?;
        let answers = device.allocate::<u32>(n as u64)?;
        let mut expected = memory::filled(n, 0u32, "expected answers")?;
        thalweg::tree::lca::Builder::new().build_from_tour(&tour)?.batch(&queries, &mut expected)?;
        for &engine in lca::Engine::ALL {
            let builder = lca::Builder::new().engine(engine);
            let build = || builder.build(&Forest::from_parents(up.clone())?);
            let mut row = self.time(case, ("lca_build", engine.name()), n, build, |_| Ok(()))?;
            row.default = engine == builder.chosen();
            let index = builder.build(&forest)?;
            row = row.extra(Some(index.device_bytes() as usize));
            rows.push(row);
            let ask = || index.batch_on_device(&pairs, &answers);
            rows.push(self.time(case, ("lca", engine.name()), n, ask, |_| same("lca", &expected, &answers))?);
        }

        // Cartesian trees of an array, ready for range minima: by their ranges, and by the Euler tour.
        let array = device.upload(&values)?;
        let sorted: Vec<u32> = queries.iter().flat_map(|&[x, y]| [x.min(y), x.max(y)]).collect();
        let ranges = device.upload(&sorted)?;
        let mut minima = memory::filled(n, 0u32, "expected answers")?;
        let pairs_of = |i: usize| [sorted[2 * i], sorted[2 * i + 1]];
        let ranges_on_host: Vec<[u32; 2]> = (0..n).map(pairs_of).collect();
        rmq::Builder::new().build(&values)?.argmin_batch(&ranges_on_host, &mut minima)?;
        let builder = RmqBuilder::new().engine(thalweg_gpu::rmq::Engine::Inlabel);
        let build = || builder.build_on_device(array.clone());
        rows.push(self.time(case, ("rmq_build", "inlabel"), n, build, |index| {
            index.argmin_on_device(&ranges, &answers)?;
            same("argmin", &minima, &answers)
        })?);
        let build = || lca::Builder::new().build(&Cartesian::new(&array)?.forest()?);
        rows.push(self.time(case, ("rmq_build", "euler_tour"), n, build, |index| {
            index.batch_on_device(&ranges, &answers)?;
            same("argmin", &minima, &answers)
        })?);

        // Subtrees of all nodes.
        let places = forest.tour()?;
        let subtrees = thalweg::tree::Subtrees::new(&tour, &values)?;
        let ask = || places.subtree_minima(&array, Order::Min, Nodes::All);
        rows.push(self.time(case, ("subtree_min", "lines"), n, ask, |found| {
            same("subtree minima", &subtrees.all_min()?, found)
        })?);
        Ok(rows)
    }
}

impl Bench for GpuTree {
    const NAME: &'static str = "tree";
    const SIZES: &'static [usize] = &[1 << 20, 1 << 24, 1 << 26];
    const UNIT: &'static str = "ns per node or query";

    timed_types!(u32);

    fn adapter(&self) -> Option<Adapter> {
        Some(self.gpu.describe())
    }

    fn tables(&self, rows: &[Row]) -> String {
        let mut table = Table::new(2, ["random tree or array", "engine", "ms", "ns/item", "bits/node"]);
        for row in rows {
            table.row([
                row.what.into(),
                row.engine.into(),
                table::short(row.median_ns / 1e6),
                table::short(row.ns_per_item),
                table::maybe(row.extra_bits_per_element),
            ]);
        }
        table.to_string()
    }

    fn panel(row: &Row) -> Option<String> {
        Some(row.what.into())
    }

    fn how_to_read(&self) -> String {
        "Every answer was checked. ms: by the device's clock, everything on the device. lca_build: from the parents to an\n\
         index; lca: as many random pairs as there are nodes; rmq_build: from a random array to an index for range minima;\n\
         subtree_min: of all nodes, with the tour known."
            .into()
    }
}
