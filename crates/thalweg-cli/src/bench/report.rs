//! The measurements, and the file that keeps them.

use std::collections::HashMap;
use std::fs;

use serde::Serialize;

use super::timing::Timing;

/// One measurement with everything needed to read it alone.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Row {
    /// What was timed: `build`, `batch`, `single`, `both_sides`, or the name of a primitive.
    pub what: &'static str,
    /// Length of the array.
    pub n: usize,
    /// Type of its elements.
    pub dtype: &'static str,
    /// Kind of array.
    pub kind: &'static str,
    /// Kind of ranges, for queries.
    pub queries: Option<&'static str>,
    /// Who was timed.
    pub engine: &'static str,
    /// Whether this is the engine that the library would choose.
    pub default: bool,
    /// Whether ratios are taken against this one: another crate, or what the standard library offers; for ANSV, which
    /// has no peers, the sequential `stack`.
    pub peer: bool,
    /// Threads of the pool that it ran on.
    pub threads: usize,
    /// What `ns_per_item` counts: elements, or queries.
    pub items: usize,
    /// Timed runs.
    pub runs: usize,
    /// Median time of a run.
    pub median_ns: f64,
    /// Time of the fastest run.
    pub min_ns: f64,
    /// Median time per item.
    pub ns_per_item: f64,
    /// Bytes read and written at least, over the median time.
    pub gb_per_s: Option<f64>,
    /// The same as a share of this machine's copy speed on as many threads.
    pub share_of_copy: Option<f64>,
    /// Memory beside the array and the answers.
    pub extra_bits_per_element: Option<f64>,
    /// Time of the fastest peer on the same task and threads over this one's: above 1 this one is faster.
    pub ratio_to_best_peer: Option<f64>,
    /// Whether every answer was the leftmost minimum, where several places hold it.
    pub leftmost: Option<bool>,
}

impl Row {
    /// Takes over a timing.
    pub fn timed(mut self, timing: Timing, items: usize) -> Self {
        (self.items, self.runs) = (items, timing.runs);
        (self.median_ns, self.min_ns) = (timing.median, timing.min);
        self.ns_per_item = timing.median / items.max(1) as f64;
        self
    }

    /// Notes the bytes that a run moves at least, to be compared with the speed of a copy.
    pub fn moving(mut self, bytes: usize, copy_gb_per_s: f64) -> Self {
        let speed = bytes as f64 / self.median_ns;
        (self.gb_per_s, self.share_of_copy) = (Some(speed), Some(speed / copy_gb_per_s));
        self
    }

    /// Notes extra memory, if it is known.
    pub fn extra(mut self, bytes: Option<usize>) -> Self {
        self.extra_bits_per_element = bytes.map(|bytes| 8.0 * bytes as f64 / self.n.max(1) as f64);
        self
    }

    /// What two rows must share for their times to be compared.
    fn task(&self) -> impl Eq + std::hash::Hash + use<> {
        (self.what, self.n, self.dtype, self.kind, self.queries, self.threads)
    }
}

/// Fills in every row's ratio to the fastest peer on the same task.
pub fn compare(rows: &mut [Row]) {
    let mut best = HashMap::new();
    for row in rows.iter().filter(|row| row.peer) {
        let best = best.entry(row.task()).or_insert(f64::INFINITY);
        *best = best.min(row.median_ns);
    }
    for row in rows {
        row.ratio_to_best_peer = best.get(&row.task()).map(|best| best / row.median_ns);
    }
}

/// The speed of a copy on some threads.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct CopySpeed {
    pub threads: usize,
    /// Bytes read and bytes written, together.
    pub gb_per_s: f64,
}

/// All that a run found out.
#[derive(Debug, Serialize)]
pub struct Report {
    pub problem: &'static str,
    pub version: &'static str,
    pub cpu: String,
    pub cores: usize,
    /// Vector instructions that the binary was compiled for. Our engines choose at run time; the peers do not.
    pub compiled_for: Vec<&'static str>,
    pub seed: u64,
    pub repeat: usize,
    pub copy: Vec<CopySpeed>,
    /// What was left out, and why.
    pub skipped: Vec<String>,
    pub rows: Vec<Row>,
}

/// The instruction sets that matter to the peers, as far as the compiler was allowed to use them.
pub fn compiled_for() -> Vec<&'static str> {
    let features = [
        (cfg!(target_feature = "popcnt"), "popcnt"),
        (cfg!(target_feature = "bmi2"), "bmi2"),
        (cfg!(target_feature = "avx2"), "avx2"),
        (cfg!(target_feature = "avx512f"), "avx512f"),
    ];
    features.into_iter().filter_map(|(there, name)| there.then_some(name)).collect()
}

/// The processor's name, where the system tells.
pub fn cpu_model() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    name.map_or("unknown".into(), |(_, name)| name.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(engine: &'static str, peer: bool, threads: usize, median: f64) -> Row {
        let row = Row { what: "batch", n: 1024, engine, peer, threads, ..Row::default() };
        row.timed(Timing { median, min: median, runs: 3 }, 10)
    }

    #[test]
    fn ratios_are_to_the_fastest_peer_of_the_same_task() {
        let mut rows = [
            row("ours", false, 1, 100.0),
            row("slow", true, 1, 800.0),
            row("fast", true, 1, 400.0),
            row("ours", false, 2, 50.0),
        ];
        compare(&mut rows);
        let ratios: Vec<Option<f64>> = rows.iter().map(|row| row.ratio_to_best_peer).collect();
        assert_eq!(ratios, [Some(4.0), Some(0.5), Some(1.0), None]);
        assert_eq!(rows[0].ns_per_item, 10.0);
    }

    #[test]
    fn speeds_and_sizes() {
        let row = row("ours", false, 1, 100.0).moving(1000, 20.0).extra(Some(256));
        assert_eq!((row.gb_per_s, row.share_of_copy, row.extra_bits_per_element), (Some(10.0), Some(0.5), Some(2.0)));
    }
}
