//! `thalweg-bench tree --device gpu`: forests, lowest common ancestors, Cartesian trees, subtrees.

use rayon::prelude::*;
use thalweg::gpu::tree::{Cartesian, Engine, EulerTour, Forest, Lca, Nodes, lca};
use thalweg::gpu::{DeviceArray, rmq};
use thalweg::{Order, Position};
use thalweg_cli::failure::Outcome;
use thalweg_cli::input::{array, links};
use thalweg_cli::memory;
use thalweg_data::{ArrayKind, ForestKind};

use super::Gpu;
use crate::bench::{Bench, Case, Common, drive};
use crate::check;
use crate::columns::{self, table};
use crate::report::{Adapter, Row};
use crate::walks::forest::{Walked, minima_by_walk};

/// Runs the benchmark.
pub fn run(common: &Common, count: usize, ordered: bool) -> Outcome {
    drive(&GpuTree { gpu: Gpu::open(&common.device)?, count, ordered }, common)
}

struct GpuTree {
    gpu: Gpu,
    /// Pairs of nodes in a batch.
    count: usize,
    /// Nodes are numbered parents first, instead of at random.
    ordered: bool,
}

impl GpuTree {
    /// Compares an array on the device with the right one.
    fn check(&self, case: &Case<'_>, what: &str, want: &[u32], got: &DeviceArray<u32>) -> Outcome {
        let who = format!("{what} on {}, {}", self.gpu.device.name(), case.title());
        check::equal(&who, what, want, &got.to_vec()?, |&x| x)
    }

    fn case(&self, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        let (n, seed) = (case.n, case.common.seed);
        memory::require(n.saturating_mul(120), &case.title())?;
        let kind = ForestKind::ALL.iter().find(|kind| kind.name() == case.kind).expect("the names have been compared");
        let parents: Vec<u32> = links::make_forest(*kind, n, !self.ordered, seed)?;
        let walked = Walked::new(&parents)?;
        let values = array::generate::<u32>(ArrayKind::Random, n, seed)?;
        let (up, on_device) = (self.gpu.device.upload(&parents)?, self.gpu.device.upload(&values)?);
        let mut rows = self.time_forest(case, &parents, &up, &walked)?;
        rows.extend(self.time_ancestors(case, &up, &walked)?);
        rows.extend(self.time_arrays(case, &values, &on_device)?);

        let expected = minima_by_walk(&parents, &walked.order, &values);
        let tour = EulerTour::new(&up)?;
        let ask = || tour.subtree_values(&on_device, Order::Min, Nodes::All);
        rows.push(
            self.gpu.time(case, ("subtree minima", "lines"), n, ask, |found| {
                self.check(case, "minima", &expected, found)
            })?,
        );
        Ok(rows)
    }

    fn time_forest(
        &self,
        case: &Case<'_>,
        parents: &[u32],
        up: &DeviceArray<u32>,
        walked: &Walked,
    ) -> Outcome<Vec<Row>> {
        let n = case.n;
        let mut roots = memory::filled(n, 0u32, "the right roots")?;
        for &v in &walked.order {
            let above = parents[v as usize].checked().filter(|&up| up != v as usize);
            roots[v as usize] = above.map_or(v, |above| roots[above]);
        }
        let forest = Forest::from_parents(up.clone())?;
        let default = forest.engine();
        let mut rows = Vec::new();
        for &engine in Engine::ALL.iter().filter(|engine| engine.is_on_gpu()) {
            let mut row = self.gpu.time(
                case,
                ("depths", engine.name()),
                n,
                || Forest::with_engine(up.clone(), Some(engine)),
                |found| {
                    self.check(case, "roots", &roots, found.roots())?;
                    self.check(case, "depths", &walked.depths, found.depths())
                },
            )?;
            row.default = engine.name() == default;
            rows.push(row);
        }
        rows.push(self.gpu.time(
            case,
            ("children", "sort"),
            n,
            || forest.children(),
            |found| self.check(case, "children", walked.children.nodes(), found.nodes()),
        )?);
        rows.push(self.gpu.time(
            case,
            ("tour", "euler_tour"),
            n,
            || forest.tour(),
            |found| {
                self.check(case, "preorder", &walked.preorder, found.preorder())?;
                self.check(case, "sizes", &walked.sizes, found.sizes())
            },
        )?);
        Ok(rows)
    }

    /// Lowest common ancestors, from the parents on.
    fn time_ancestors(&self, case: &Case<'_>, up: &DeviceArray<u32>, walked: &Walked) -> Outcome<Vec<Row>> {
        let device = &self.gpu.device;
        let queries = case.random_pairs(self.count)?;
        let (pairs, answers) = (device.upload(queries.as_flattened())?, device.allocate::<u32>(queries.len())?);
        let mut rows = Vec::new();
        for &engine in lca::Engine::ALL.iter().filter(|engine| engine.is_on_gpu()) {
            let build = || Lca::with_engine(up, engine);
            let built = self.gpu.time(case, ("lca build", engine.name()), case.n, build, |_| Ok(()))?;
            let index = build()?;
            let ask = || index.batch(&pairs, &answers);
            let asked = self.gpu.time(case, ("lca batch", engine.name()), queries.len(), ask, |_| {
                let found = answers.to_vec()?;
                let wrong = (0..found.len()).into_par_iter().find_first(|&i| !walked.is_lca(queries[i], found[i]));
                wrong.map_or(Ok(()), |row| {
                    let [x, y] = queries[row];
                    let who = format!("{engine} on {}, {}", device.name(), case.title());
                    check::wrong(&who, format_args!("query {row}: {} is not the lca of {x} and {y}", found[row]))
                })
            })?;
            let default = engine == lca::Engine::default();
            let built = built.extra(Some(index.device_bytes()));
            rows.extend([built, asked].map(|row| Row { default, ..row }));
        }
        // One after the other in the table.
        rows.sort_by_key(|row| row.what == "lca batch");
        Ok(rows)
    }

    /// From an array to an index for range minima: by the ranges of its Cartesian tree, and by the tree's Euler tour.
    fn time_arrays(&self, case: &Case<'_>, values: &[u32], array: &DeviceArray<u32>) -> Outcome<Vec<Row>> {
        let device = &self.gpu.device;
        let mut ranges = case.random_pairs(self.count.min(CHECKED))?;
        ranges.iter_mut().for_each(|[x, y]| (*x, *y) = (*x.min(y), *x.max(y)));
        let expected = check::leftmost_minima(values, &ranges)?;
        let (pairs, answers) = (device.upload(ranges.as_flattened())?, device.allocate::<u32>(ranges.len())?);
        let by_ranges = || rmq::DeviceRmq::with_engine(array.clone(), Order::Min, rmq::Engine::Inlabel);
        let by_tour = || Lca::new(&Cartesian::new(array)?.parents()?);
        Ok(vec![
            self.gpu.time(case, ("rmq build", "inlabel"), case.n, by_ranges, |index| {
                index.positions(&pairs, &answers)?;
                self.check(case, "argmin", &expected, &answers)
            })?,
            self.gpu.time(case, ("rmq build", "euler_tour"), case.n, by_tour, |index| {
                index.batch(&pairs, &answers)?;
                self.check(case, "argmin", &expected, &answers)
            })?,
        ])
    }
}

/// Range minima that an index is checked with.
const CHECKED: usize = 1 << 20;

impl Bench for GpuTree {
    const NAME: &'static str = "tree";
    const SIZES: &'static [usize] = &[1 << 20, 1 << 24, 1 << 26];
    const UNIT: &'static str = "ns per node or query";

    /// The nodes' type.
    const DTYPES: &'static [&'static str] = &["u32"];

    fn kinds() -> Vec<&'static str> {
        ForestKind::ALL.iter().map(|kind| kind.name()).collect()
    }

    fn run(&self, _dtype: &str, case: &mut Case<'_>) -> Outcome<Vec<Row>> {
        self.case(case)
    }

    fn adapter(&self) -> Option<Adapter> {
        Some(self.gpu.describe())
    }

    fn tables(&self, rows: &[Row]) -> String {
        let columns = [
            columns::what("what"),
            columns::engine("engine"),
            columns::ms(),
            columns::ns("ns/item"),
            columns::extra_bits("extra bits/node"),
        ];
        table(rows, columns).to_string()
    }

    fn panel(row: &Row) -> Option<String> {
        Some(row.what.into())
    }

    fn how_to_read(&self) -> String {
        "Every answer was checked. ms: by the device's clock, everything on the device. 'depths': with the check of\n\
         the parents. 'lca build': from the parents to an index. 'rmq build': from a random array of as many elements to an\n\
         index for range minima, by the ranges of its Cartesian tree or by that tree's Euler tour. 'subtree minima': of all\n\
         nodes, with the tour known."
            .into()
    }
}
